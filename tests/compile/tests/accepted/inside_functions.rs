//! Tools inside functions, modules, macros and imports.
#![deny(warnings)]

use toolwright::{tool, tools};

mod shop {
    pub mod orders {
        /// Place an order.
        #[toolwright::tool]
        pub(in crate::inside_functions::shop) fn place() {}

        /// Cancel an order.
        #[toolwright::tool]
        pub(crate) async fn cancel() {}
    }
    pub(crate) use orders::cancel;

    pub fn tools() -> toolwright::Toolset {
        toolwright::tools![self::orders::place, orders::cancel, super::shop::cancel as "again"]
    }
}
use shop::cancel as stop;

macro_rules! constants {
    ($($name:ident: $ty:ty = $value:expr, $doc:literal;)*) => {$(
        #[doc = $doc]
        #[tool]
        fn $name(#[arg(default = $value)] value: $ty) -> $ty {
            value
        }
    )*};
}

constants! {
    one: u8 = 1, "One.";
    two: String = "two".into(), "Two.";
}

macro_rules! listed {
    ($($path:path),*) => { tools![$($path),*] };
}

#[test]
fn runs() {
    /// Tell the weather.
    #[tool]
    fn weather(city: String) -> String {
        city
    }

    let tools = {
        /// Tell the time.
        #[tool]
        fn clock() -> u32 {
            3
        }
        tools![weather, clock, stop, one, two]
    };
    assert_eq!(tools.iter().len(), 5);
    // Variables of a tool's name are others.
    assert_eq!(
        [1, 2].map(|one| tools![one, two].iter().len() + one),
        [3, 4]
    );
    assert_eq!(
        listed![crate::inside_functions::one, weather].iter().len(),
        2
    );
    assert_eq!(shop::tools().iter().len(), 3);
    assert_eq!(weather("Oslo".into()), "Oslo");
}
