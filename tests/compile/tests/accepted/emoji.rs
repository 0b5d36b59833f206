//! What people write is not hidden text: emoji of several characters, joiners between letters, and one selector behind a
//! character that has them.
use serde::Deserialize;
use toolwright::{Schema, tool, tools};

/// Where to: 🏴󠁧󠁢󠁳󠁣󠁴󠁿 or 🏳️‍🌈
#[derive(Deserialize, Schema)]
enum Place {
    /// 👩🏽‍🚀 up there
    #[serde(rename = "❤️‍🔥")]
    Space,
    /// نمی‌خواهم and क्‍ष, 葛󠄀飾, ᠠ᠋, 0︀, က︀, © and ❤️
    Home,
}

/// Travels, with 👨‍👩‍👧 and 1️⃣ suitcase.
#[tool(targets(openai_strict, gemini_openapi))]
fn travel(#[arg(default = "✈️")] by: &str, to: Place) -> bool {
    by.is_empty() && matches!(to, Place::Space | Place::Home)
}

#[test]
fn runs() {
    let tools = tools! { targets: [anthropic_strict], budget: 300; travel };
    assert_eq!(tools.iter().len(), 1);
}
