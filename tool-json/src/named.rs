//! Enums whose variants have names.

/// Declares an enum without data, and each variant's name beside it, so that none is without one.
#[doc(hidden)]
#[macro_export]
macro_rules! named_enum {
    ($(#[$enum_meta:meta])* pub enum $enum:ident {
        $($(#[$meta:meta])* $variant:ident = $name:literal,)*
    }) => {
        $(#[$enum_meta])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
        pub enum $enum {
            $($(#[$meta])* $variant,)*
        }

        impl $enum {
            /// All variants, in order.
            #[doc(hidden)]
            pub const ALL: &'static [Self] = &[$(Self::$variant),*];

            /// Returns the stable name, for messages, logs and protocols.
            pub const fn as_str(self) -> &'static str {
                match self {
                    $(Self::$variant => $name,)*
                }
            }
        }
    };
}
