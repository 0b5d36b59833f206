//! Templates of URIs: `orders://{id}`, `file:///{+path}`.
//!
//! Source: RFC 6570, of which these two expressions are known. `{id}` stands for one part, without a slash, `{+path}` for
//! anything.

use std::fmt::Write;

use regex::Regex;
use toolwright_schema::text::percent_decoded;

/// Characters of a path, and of a part: a slash ends it, however it is written. No escape is cut.
const PATH: &str = r"((?:[^%]|%[[:xdigit:]]{2})+)";
const PART: &str = r"((?:[^%/]|%[013-9A-Fa-f][[:xdigit:]]|%2[0-9A-Ea-e])+?)";

/// The values of a URI's variables, if any make it a URI of this template. Of several ways to read it, a part is as short
/// as can be, and a path as long.
pub(crate) fn variables<'t>(template: &'t str, uri: &str) -> Option<Vec<(&'t str, String)>> {
    // Most URIs are of another template, for which nothing is to be compiled.
    let is_plain = |char: char| char.is_ascii_graphic() && char != '{';
    let head = template.split(|char| !is_plain(char)).next()?;
    if !uri.starts_with(head) {
        return None;
    }
    let (pattern, names) = pattern(template)?;
    let found = Regex::new(&pattern).ok()?.captures(uri)?;
    let values = found.iter().skip(1).flatten();
    let values = names.into_iter().zip(values);
    values
        .map(|(name, value)| Some((name, percent_decoded(value.as_str())?)))
        .collect()
}

/// The regular expression of a template, and the names of its groups. `None` if it is not a template.
fn pattern(template: &str) -> Option<(String, Vec<&str>)> {
    let (mut pattern, mut names, mut rest) = ("(?s)^".to_owned(), Vec::new(), template);
    while let Some((before, after)) = rest.split_once('{') {
        let (expression, after) = after.split_once('}')?;
        let path = expression.strip_prefix('+');
        let name = path.unwrap_or(expression);
        let is_name = |char: char| char.is_alphanumeric() || char == '_';
        let has_neighbour = before.is_empty() && !names.is_empty();
        if name.is_empty() || !name.chars().all(is_name) || has_neighbour {
            return None;
        }
        literal(before, &mut pattern)?;
        pattern.push_str(if path.is_some() { PATH } else { PART });
        names.push(name);
        rest = after;
    }
    literal(rest, &mut pattern)?;
    pattern.push('$');
    Some((pattern, names))
}

/// Adds text that stands as it is, or as the escapes that a client writes for what a URI cannot have.
fn literal(text: &str, pattern: &mut String) -> Option<()> {
    for char in text.chars() {
        let mut bytes = [0; 4];
        let char = &*char.encode_utf8(&mut bytes);
        match char {
            "{" | "}" => return None,
            _ if char.bytes().all(|byte| byte.is_ascii_graphic()) => {
                pattern.push_str(&regex::escape(char));
            }
            _ => {
                write!(pattern, "(?:{char}|(?i-u:").ok()?;
                for byte in char.bytes() {
                    write!(pattern, "%{byte:02x}").ok()?;
                }
                pattern.push_str("))");
            }
        }
    }
    Some(())
}

#[cfg(test)]
mod tests {
    use super::*;

    type Variables = &'static [(&'static str, &'static str)];

    #[test]
    fn uris_are_read_by_their_template() {
        let table: [(&str, &str, Option<Variables>); 11] = [
            ("orders://{id}", "orders://7", Some(&[("id", "7")])),
            ("orders://{id}", "orders://7/8", None),
            ("orders://{id}", "orders://", None),
            (
                "orders://{id}/items/{n}",
                "orders://a%20b/items/2",
                Some(&[("id", "a b"), ("n", "2")]),
            ),
            (
                "file:///{+path}",
                "file:///a/b.txt",
                Some(&[("path", "a/b.txt")]),
            ),
            (
                "file:///{+path}.txt",
                "file:///a.txt/b.txt",
                Some(&[("path", "a.txt/b")]),
            ),
            ("a://{x}", "b://1", None),
            ("a://{x}", "a://%ff", None),
            ("a://{x}", "a://100%", None),
            // A slash is one, however it is written.
            ("a://{x}", "a://..%2Fb", None),
            ("a://{+x}", "a://b%2Fc", Some(&[("x", "b/c")])),
        ];
        for (template, uri, expected) in table {
            let found = variables(template, uri);
            let found = found.as_ref().map(|found| {
                let found = found.iter().map(|(name, value)| (*name, &**value));
                found.collect::<Vec<_>>()
            });
            assert_eq!(found.as_deref(), expected, "{template} {uri}");
        }
        for wrong in ["a://{x", "a://x}", "a://{}", "a://{x}{y}", "a://{?x}"] {
            assert!(pattern(wrong).is_none(), "{wrong}");
        }
    }
}
