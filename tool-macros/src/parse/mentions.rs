//! Links to other tools in a tool's doc comment: rustdoc's [`fn@forecast`], which a model reads as the tool's name.

use proc_macro2::Span;
use syn::ext::IdentExt;
use syn::{LitStr, Path};

use crate::handle::type_of_method;
use crate::model::{Description, DocLink, TextLit};

/// Marks of a path in text: no doc comment has them.
const OPEN: char = '\u{1}';
const CLOSE: char = '\u{2}';

/// Marks the path of rustdoc's link to a function; nothing for another link.
pub(crate) fn mark(label: &str) -> Option<String> {
    let path = label.trim_matches('`').strip_prefix("fn@")?;
    let path = path.strip_suffix("()").unwrap_or(path);
    Some(format!("`{OPEN}{path}{CLOSE}`"))
}

/// Returns the text with the last name of each path in the path's place.
pub(crate) fn unmark(text: &str) -> String {
    split(text, Span::call_site()).0
}

/// Returns a tool's description, and the other tools in it.
pub(crate) fn of(words: Description) -> (Description, Vec<DocLink>) {
    match words {
        Description::Text(TextLit { value, span }) => {
            let (value, mentions) = split(&value, span);
            (Description::Text(TextLit { value, span }), mentions)
        }
        other @ Description::Const(_) => (other, Vec::new()),
    }
}

fn split(text: &str, span: Span) -> (String, Vec<DocLink>) {
    let (mut out, mut mentions, mut rest) = (String::new(), Vec::new(), text);
    while let Some((before, from)) = rest.split_once(OPEN) {
        out.push_str(before);
        let (path, behind) = from.split_once(CLOSE).unwrap_or((from, ""));
        rest = behind;
        let at = out.len();
        let Ok(path) = LitStr::new(path, span).parse::<Path>() else {
            out.push_str(path);
            continue;
        };
        if let Some(last) = path.segments.last() {
            out.push_str(&last.ident.unraw().to_string());
        }
        // A method's type is known, and its name in the list of the type's tools is not.
        if type_of_method(&path).is_none() {
            let len = out.len() - at;
            mentions.push(DocLink { at, len, path });
        }
    }
    out.push_str(rest);
    (out, mentions)
}
