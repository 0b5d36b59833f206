//! Invisible characters in text that is written for the model.
//!
//! Instructions have been hidden in descriptions of tools with such characters. Examples are tag characters (an
//! invisible copy of ASCII), runs of zero-width characters or variation selectors, and text displayed in another
//! order than in the file. Legitimate text is accepted: emoji of several characters, and joiners between letters of
//! scripts that have them. The rule applies to all tools, since no provider shows these characters to anyone either.

use proc_macro2::Span;

use toolwright_pattern::hidden::name;

pub(crate) use toolwright_pattern::hidden::find;

use crate::ctxt::Ctxt;

/// Adds an error if a text contains an invisible character.
pub(crate) fn check(cx: &Ctxt, span: Span, text: &str) {
    let Some((at, char)) = find(text) else {
        return;
    };
    cx.error_at(
        span,
        format!(
            "hidden in this text: U+{:04X}, {}, {}\nhelp: remove it; if it is meant, write what it is for in visible words",
            u32::from(char),
            name(char),
            place(text, at),
        ),
    );
}

/// Describes the position of the character, by the word before it.
fn place(text: &str, at: usize) -> String {
    let before = text.get(..at).unwrap_or_default();
    let visible: String = before
        .chars()
        .filter(|char| name(*char).is_empty())
        .collect();
    match visible.split_whitespace().last() {
        Some(word) => {
            let count = word.chars().count();
            let end: String = word.chars().skip(count.saturating_sub(24)).collect();
            format!("behind `{end}`")
        }
        None => "at the beginning".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::place;

    #[test]
    fn the_place_is_counted_in_visible_text() {
        let text = "Adds two\u{200b}\u{200b} numbers";
        assert_eq!(place(text, text.len()), "behind `numbers`");
        assert_eq!(place(text, 11), "behind `two`");
        assert_eq!(place(text, 0), "at the beginning");
    }
}
