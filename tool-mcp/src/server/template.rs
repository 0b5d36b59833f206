//! Templates of URIs: `orders://{id}`, `file:///{+path}`.
//!
//! Source: RFC 6570, of which these two expressions are known. `{id}` stands for one part, without a slash, `{+path}` for
//! anything.

use toolwright_schema::text::percent_decoded;

/// A part of a template.
#[derive(Debug, PartialEq)]
pub(crate) enum Part<'t> {
    Text(&'t str),
    Variable { name: &'t str, is_path: bool },
}

/// The parts of a template.
///
/// # Errors
/// Why it is none.
pub(crate) fn parts(template: &str) -> Result<Vec<Part<'_>>, String> {
    let (mut parts, mut rest) = (Vec::new(), template);
    while let Some((before, after)) = rest.split_once('{') {
        if !before.is_empty() {
            parts.push(Part::Text(before));
        }
        let Some((name, after)) = after.split_once('}') else {
            return Err("a `{` has no `}`".to_owned());
        };
        let path = name.strip_prefix('+');
        let variable = path.unwrap_or(name);
        let is_name = |char: char| char.is_alphanumeric() || char == '_';
        if variable.is_empty() || !variable.chars().all(is_name) {
            return Err(format!(
                "`{{{name}}}` is neither `{{name}}` nor `{{+name}}`"
            ));
        }
        if matches!(parts.last(), Some(Part::Variable { .. })) {
            return Err("two variables have nothing between them".to_owned());
        }
        parts.push(Part::Variable {
            name: variable,
            is_path: path.is_some(),
        });
        rest = after;
    }
    if rest.contains('}') {
        return Err("a `}` has no `{`".to_owned());
    }
    if !rest.is_empty() {
        parts.push(Part::Text(rest));
    }
    Ok(parts)
}

/// The values of a URI's variables, if it is of this template.
pub(crate) fn variables<'t>(template: &'t str, uri: &str) -> Option<Vec<(&'t str, String)>> {
    let parts = parts(template).ok()?;
    let (mut found, mut rest) = (Vec::new(), uri);
    let mut parts = parts.iter().peekable();
    while let Some(part) = parts.next() {
        match part {
            Part::Text(text) => rest = rest.strip_prefix(text)?,
            Part::Variable { name, is_path } => {
                let end = match parts.peek() {
                    // The last place of what follows for a path, the first for a part.
                    Some(Part::Text(text)) if *is_path => rest.rfind(text)?,
                    Some(Part::Text(text)) => rest.find(text)?,
                    _ => rest.len(),
                };
                let (value, after) = rest.split_at_checked(end)?;
                let value = percent_decoded(value)?;
                if value.is_empty() || (!is_path && value.contains('/')) {
                    return None;
                }
                found.push((*name, value));
                rest = after;
            }
        }
    }
    rest.is_empty().then_some(found)
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
            assert!(parts(wrong).is_err(), "{wrong}");
        }
    }
}
