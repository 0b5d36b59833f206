//! Tools whose struct goes by another name.
#![deny(warnings)]

use toolwright::{tool, tools};

mod api {
    pub mod weather {
        pub const KIND: &str = "sun";
    }
}
use api::weather;

/// Tell the weather.
#[tool(handle = Weather)]
fn weather() -> &'static str {
    weather::KIND
}

/// Show a character.
#[tool(handle = CharTool)]
fn char(code: u8) -> char {
    code.into()
}

/// Tell what serde says.
#[tool(handle = SerdeTool)]
pub fn serde() -> Option<String> {
    Some(<serde::de::value::Error as serde::de::Error>::custom("no").to_string())
}

/// Named like a crate, and listed by a path that can mean nothing else.
#[tool]
fn serde_json() {}

mod other {
    /// Tell something else.
    #[toolwright::tool(handle = Other)]
    pub(super) fn other<T: Default + serde::Serialize>() -> T {
        T::default()
    }
}
use other::Other;

#[test]
fn runs() {
    let tools = tools![Weather, CharTool, SerdeTool, self::serde_json, Other::<u8> as "other"];
    assert_eq!(tools.len(), 5);
    assert_eq!(weather(), "sun");
    assert_eq!(char(65), 'A');
    assert!(serde().is_some());
    assert_eq!(other::other::<u8>(), 0);
}
