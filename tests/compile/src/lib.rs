//! What programs of the tests get from a crate that is not theirs: a macro that makes tools, by a path of its own.

#[doc(hidden)]
pub use toolwright as vendor;

/// A tool, a type with tools and a schema, by `crate = $crate::…`.
#[macro_export]
macro_rules! make {
    ($tool:ident, $Host:ident, $method:ident) => {
        #[derive($crate::vendor::Schema, $crate::vendor::Provide)]
        #[schema(crate = $crate::vendor)]
        #[provide(crate = $crate::vendor)]
        struct $Host {
            amount: u32,
        }

        #[doc = "Made."]
        #[$crate::vendor::tool(crate = $crate::vendor)]
        fn $tool(#[arg(default = 1)] number: u32) -> u32 {
            number
        }

        #[$crate::vendor::tool(crate = $crate::vendor)]
        impl $Host {
            #[doc = "Made, too."]
            #[tool]
            fn $method(&self) -> u32 {
                self.amount
            }
        }
    };
}
