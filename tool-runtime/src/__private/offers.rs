//! Methods of a block by their role: tools, prompts, resources.

use std::fmt;
use std::sync::Arc;

use super::{
    BoundTool, Descriptor, DescriptorRef, Method, NamedTool, OneToolBlock, RunResult, described,
};
use crate::tool::Call;

/// Methods of a block with one role, in order.
pub struct Offers<T: 'static> {
    /// Their names, for the check of a list.
    pub names: &'static [NamedTool],
    /// Their descriptors.
    pub descriptors: &'static [&'static Descriptor],
    /// The methods.
    pub entries: &'static [BoundTool<T>],
}

impl<T> Offers<T> {
    /// None.
    pub const NONE: Self = Self {
        names: &[],
        descriptors: &[],
        entries: &[],
    };
}

impl<T> fmt::Debug for Offers<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.names).finish()
    }
}

/// The prompts of a value, for a list: `tools![..Prompts(app): Prompts<App>]`. They are the methods with `#[prompt]` in the
/// `#[tool] impl` of its type.
pub struct Prompts<T>(pub Arc<T>);

/// The resources of a value, for a list: `tools![..Resources(app): Resources<App>]`. They are the methods with
/// `#[resource(…)]` in the `#[tool] impl` of its type.
pub struct Resources<T>(pub Arc<T>);

macro_rules! role {
    ($role:ident, $offers:ident, $entry:ident) => {
        impl<T> fmt::Debug for $role<T> {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(stringify!($role))
            }
        }

        #[diagnostic::do_not_recommend]
        impl<T: OneToolBlock> OneToolBlock for $role<T> {
            const TOOLS: Offers<Self> = T::$offers;
        }

        /// A method with this role.
        pub const fn $entry<T: Method<M>, M>() -> BoundTool<$role<T>> {
            fn run<'a, T: Method<M>, M>(
                state: &'a Arc<$role<T>>,
                call: Call<'a>,
                about: DescriptorRef,
            ) -> RunResult<'a> {
                T::run(&state.0, call, about)
            }
            BoundTool {
                descriptor: described::<T, M>(),
                run: run::<T, M>,
            }
        }
    };
}

role!(Prompts, PROMPTS, prompt_entry);
role!(Resources, RESOURCES, resource_entry);
