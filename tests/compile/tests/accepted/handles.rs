//! Tools whose functions cannot have the name that the model calls, or share it with a crate.
#![deny(warnings)]

use toolwright::{tool, tools};

mod weather {
    pub const KIND: &str = "sun";
}

/// Tell the weather.
#[tool(name = "weather")]
fn weather_tool() -> &'static str {
    weather::KIND
}

/// Show a character.
#[tool(name = "char")]
fn char_tool(code: u8) -> char {
    code.into()
}

/// Tell what serde says.
#[tool(name = "serde")]
pub fn serde_tool() -> Option<String> {
    Some(<serde::de::value::Error as serde::de::Error>::custom("no").to_string())
}

/// Named like a crate, and listed by a path that can mean nothing else.
#[tool]
fn serde_json() {}

mod other {
    /// Tell something else.
    #[toolwright::tool(name = "other")]
    pub(super) fn other_tool<T: Default + serde::Serialize>() -> T {
        T::default()
    }
}
use other::other_tool;

#[test]
fn runs() {
    let tools =
        tools![weather_tool, char_tool, serde_tool, self::serde_json, other_tool::<u8> as "other"];
    assert_eq!(tools.iter().len(), 5);
    assert_eq!(weather_tool(), "sun");
    assert_eq!(char_tool(65), 'A');
    assert!(serde_tool().is_some());
    assert_eq!(other_tool::<u8>(), 0);
}
