//! Functions that answer the whole call of a function whose parameters are of basic types, as most are.

use serde::Deserialize;

use super::slot::{TakeValue, Value, fill, missing_argument};
use super::{DescriptorRef, RunResult, ready};
use crate::tool::{Call, EarlyExit};
use toolwright_provider::call::Output;

/// Functions that answer a call of a function of so many parameters, all of them passed as they are decoded.
macro_rules! calls {
    ($($call:ident ($($value:ident $slot:ident)*);)*) => {$(
        #[doc = "A call of a function with parameters of basic types."]
        #[allow(clippy::elidable_lifetime_names)] // Of the one without parameters.
        #[inline]
        pub fn $call<'a, $($slot: Deserialize<'a>,)* R: Output>(
            call: Call<'a>,
            about: DescriptorRef,
            tool: impl FnOnce($($slot),*) -> R,
        ) -> RunResult<'a> {
            $(let mut $value = Value::<$slot>::EMPTY;)*
            if let Some(stop) = fill(&call, about, &mut [$(&mut $value),*]) {
                return Err(stop);
            }
            $(let Some($value) = $value.take() else {
                return missing_argument();
            };)*
            ready(tool($($value),*))
        }
    )*};
}

calls! {
    call0 ();
    call1 (a A);
    call2 (a A b B);
    call3 (a A b B c C);
    call4 (a A b B c C d D);
    call5 (a A b B c C d D e E);
    call6 (a A b B c C d D e E f F);
}

/// Functions that decode as many arguments as there are names.
macro_rules! reads {
    ($($read:ident ($($value:ident $slot:ident)*);)*) => {$(
        #[doc = "Arguments of basic types."]
        #[allow(clippy::elidable_lifetime_names)] // Of the one without parameters.
        #[inline]
        pub fn $read<'a, $($slot: Deserialize<'a>,)* R>(
            call: Call<'a>,
            about: DescriptorRef,
            make: impl FnOnce($($slot),*) -> R,
        ) -> Result<R, EarlyExit> {
            $(let mut $value = Value::<$slot>::EMPTY;)*
            if let Some(stop) = fill(&call, about, &mut [$(&mut $value),*]) {
                return Err(stop);
            }
            $(let Some($value) = $value.take() else {
                return missing_argument();
            };)*
            Ok(make($($value),*))
        }
    )*};
}

reads! {
    read0 ();
    read1 (a A);
    read2 (a A b B);
    read3 (a A b B c C);
    read4 (a A b B c C d D);
    read5 (a A b B c C d D e E);
    read6 (a A b B c C d D e E f F);
}
