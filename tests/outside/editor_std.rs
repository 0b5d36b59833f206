//! As much of std as the sample of editor.sh needs, for rust-analyzer: core, alloc and std are this file. Without sources it
//! would add `rust-src` to the toolchain, and the compiler then says other things in golden files.
#![no_core]

macro_rules! builtin {
    ($($name:ident)*) => {
        $(
            /// Built in.
            #[rustc_builtin_macro]
            #[macro_export]
            macro_rules! $name { () => {}; }
        )*
    };
}
builtin! { cfg_select compile_error concat stringify module_path line column format_args }

/// A text.
#[macro_export]
macro_rules! format {
    ($($text:tt)*) => { $crate::string::String };
}

pub mod clone {
    pub trait Clone {}
    #[rustc_builtin_macro]
    pub macro Clone($item:item) {}
}

pub mod default {
    pub trait Default {
        fn default() -> Self;
    }
    #[rustc_builtin_macro]
    pub macro Default($item:item) {}
}

pub mod fmt {
    pub trait Debug {}
    #[rustc_builtin_macro]
    pub macro Debug($item:item) {}
}

/// Derives.
#[rustc_builtin_macro]
pub macro derive($item:item) {}

pub mod marker {
    #[lang = "sized"]
    pub trait Sized {}
}

pub mod option {
    pub enum Option<T> {
        None,
        Some(T),
    }
}

pub mod result {
    pub enum Result<T, E> {
        Ok(T),
        Err(E),
    }
}

pub mod string {
    pub struct String;
}

pub mod prelude {
    pub mod rust_2024 {
        pub use crate::clone::Clone;
        pub use crate::default::Default;
        pub use crate::fmt::Debug;
        pub use crate::option::Option::{self, None, Some};
        pub use crate::result::Result::{self, Err, Ok};
        pub use crate::string::String;
        pub use crate::{cfg_select, compile_error, concat, derive, format, format_args, stringify};
    }
    pub use self::rust_2024 as rust_2021;
    pub use self::rust_2024 as v1;
}

/// An editor explains keywords with these.
macro_rules! keywords {
    ($($module:ident $word:literal)*) => {
        $(
            /// A keyword.
            #[doc(keyword = $word)]
            mod $module {}
        )*
    };
}
keywords! {
    as_keyword "as" async_keyword "async" await_keyword "await" const_keyword "const" crate_keyword "crate" enum_keyword "enum"
    extern_keyword "extern" fn_keyword "fn" for_keyword "for" impl_keyword "impl" let_keyword "let" mod_keyword "mod"
    move_keyword "move" mut_keyword "mut" pub_keyword "pub" ref_keyword "ref" self_keyword "self" static_keyword "static"
    struct_keyword "struct" super_keyword "super" trait_keyword "trait" type_keyword "type" use_keyword "use"
    where_keyword "where"
}
