//! Path templates, and paths that stay where the template leads.

use crate::request::MOST_URL;
use crate::text::{escape, escape_but, hex_byte, unescape};

/// Most escapes of one value in another.
const MOST_LAYERS: usize = 4;

/// A piece of a template.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Piece {
    /// Text that is written as it is.
    Literal(String),
    /// A parameter's name.
    Parameter(String),
}

/// A path template, with the query that some documents write behind it. A fragment is not sent, so it is dropped.
#[derive(Debug, Clone)]
pub(crate) struct Template {
    /// Segments, in order. The path starts with a slash before the first.
    segments: Vec<Vec<Piece>>,
    /// Pairs of the query: a name, and the pieces of the value.
    pub(crate) query: Vec<(String, Vec<Piece>)>,
}

impl Template {
    /// Reads a template that starts with a slash.
    pub(crate) fn new(template: &str) -> Self {
        let (template, _) = split_outside(template, '#');
        let (path, query) = split_outside(template, '?');
        let path = path.strip_prefix('/').unwrap_or(path);
        let segments = split_all(path, '/').into_iter().map(pieces).collect();
        let pairs = split_all(query, '&')
            .into_iter()
            .filter(|pair| !pair.is_empty());
        let query = pairs.map(|pair| {
            let (name, value) = split_outside(pair, '=');
            (unescape(name), pieces(value))
        });
        Self {
            segments,
            query: query.collect(),
        }
    }

    /// Returns the names of the parameters, in order.
    pub(crate) fn parameters(&self) -> impl Iterator<Item = &str> {
        let pieces = self.segments.iter().flatten();
        let pieces = pieces.chain(self.query.iter().flat_map(|(_, pieces)| pieces));
        pieces.filter_map(|piece| match piece {
            Piece::Parameter(name) => Some(&**name),
            Piece::Literal(_) => None,
        })
    }

    /// Returns true if a literal segment is `.` or `..`, which parsers of URLs drop.
    pub(crate) fn has_dots(&self) -> bool {
        self.segments
            .iter()
            .any(|segment| match segment.as_slice() {
                [Piece::Literal(text)] => is_dots(text) || is_dots(&unescape(text)),
                _ => false,
            })
    }

    /// Returns the number of segments.
    pub(crate) fn len(&self) -> usize {
        self.segments.len()
    }

    /// Writes the path. `value` returns an escaped value and whether it may have several segments.
    ///
    /// # Errors
    /// Fails with the name of a parameter and a reason if a segment would not stay one segment.
    pub(crate) fn write(
        &self,
        mut value: impl FnMut(&str) -> Result<(String, bool), String>,
    ) -> Result<String, String> {
        let mut out = String::new();
        for segment in &self.segments {
            let mut text = String::new();
            let mut named = None;
            let mut has_slashes = false;
            let mut is_matrix = false;
            for (index, piece) in segment.iter().enumerate() {
                match piece {
                    Piece::Literal(literal) => text.push_str(&literal_path(literal)),
                    Piece::Parameter(name) => {
                        let (value, may_have_slashes) = value(name)?;
                        has_slashes |= may_have_slashes;
                        text.push_str(&value);
                        named = Some(name);
                    }
                }
                // A literal `;` with no value in front of it is not a pair of the style `matrix`.
                is_matrix |= index == 0 && text.starts_with(';');
            }
            if let Some(name) = named {
                let parts = if has_slashes {
                    text.split('/').collect()
                } else {
                    vec![&*text]
                };
                for part in parts {
                    check(part, is_matrix).map_err(|why| format!("`{name}` {why}"))?;
                }
            }
            out.push('/');
            out.push_str(&text);
        }
        Ok(out)
    }
}

/// Checks an escaped segment that holds a value of a model's. Servers and proxies decode segments, some of them twice, read
/// `%2F` and a backslash as a slash, and drop what follows a semicolon. None of that may leave the segment.
fn check(segment: &str, is_matrix: bool) -> Result<(), &'static str> {
    if segment.len() > MOST_URL {
        return Err("is too long for a URL");
    }
    // The style `matrix` writes `;name=value`, and no value as `;name`.
    let value = match segment.strip_prefix(';').filter(|_| is_matrix) {
        Some(pair) => pair.split_once('=').map_or("", |(_, value)| value),
        None => segment,
    };
    check_full(value)?;
    let mut text = segment.to_owned();
    let mut layers = 0;
    loop {
        if text.chars().any(char::is_control) {
            return Err("has a control character");
        }
        if is_dots(&text) {
            return Err("has a `.` or `..`, which is another path");
        }
        let decoded = unescape(&text);
        if decoded == text {
            break;
        }
        layers += 1;
        if layers > MOST_LAYERS {
            return Err("is escaped too often");
        }
        text = decoded;
    }
    Ok(())
}

fn is_dots(segment: &str) -> bool {
    let mut parts = segment.split(['/', '\\']);
    parts.any(|part| matches!(part.split(';').next().map(str::trim), Some("." | "..")))
}

/// Checks that no server reads a value as empty, whatever it decodes.
fn check_full(value: &str) -> Result<(), &'static str> {
    let mut text = value.to_owned();
    for _ in 0..=MOST_LAYERS {
        let mut parts = text.split(['/', '\\']);
        let is_empty = |part: &str| {
            part.split(';')
                .next()
                .is_none_or(|part| part.trim().is_empty())
        };
        if parts.all(is_empty) {
            return Err("is empty, which is another path");
        }
        let decoded = unescape(&text);
        if decoded == text {
            break;
        }
        text = decoded;
    }
    Ok(())
}

/// Escapes a literal of a template. Its own escapes stay.
fn literal_path(literal: &str) -> String {
    let mut out = String::new();
    for (index, part) in literal.split('%').enumerate() {
        if index > 0 {
            let is_escape = part.get(..2).is_some_and(|hex| hex_byte(hex).is_some());
            out.push_str(if is_escape { "%" } else { "%25" });
        }
        out.push_str(&escape_but(part, |byte| b"!$&()*+,;=:@".contains(&byte)));
    }
    out
}

/// Writes the value of a query pair in a template.
pub(crate) fn literal_query(literal: &str) -> String {
    escape(&unescape(literal))
}

/// Splits at the first separator outside of braces.
fn split_outside(text: &str, separator: char) -> (&str, &str) {
    let mut depth = 0_usize;
    for (place, char) in text.char_indices() {
        match char {
            '{' => depth += 1,
            '}' => depth = depth.saturating_sub(1),
            char if char == separator && depth == 0 => {
                return (
                    text.get(..place).unwrap_or(""),
                    text.get(place + 1..).unwrap_or(""),
                );
            }
            _ => {}
        }
    }
    (text, "")
}

fn split_all(text: &str, separator: char) -> Vec<&str> {
    let mut depth = 0_usize;
    let mut parts = Vec::new();
    let mut start = 0;
    for (place, char) in text.char_indices() {
        match char {
            '{' => depth += 1,
            '}' => depth = depth.saturating_sub(1),
            char if char == separator && depth == 0 => {
                parts.extend(text.get(start..place));
                start = place + 1;
            }
            _ => {}
        }
    }
    parts.extend(text.get(start..));
    parts
}

fn pieces(text: &str) -> Vec<Piece> {
    let mut pieces = Vec::new();
    let mut rest = text;
    while let Some((before, after)) = rest.split_once('{') {
        let Some((name, after)) = after.split_once('}') else {
            break;
        };
        if !before.is_empty() {
            pieces.push(Piece::Literal(before.to_owned()));
        }
        pieces.push(Piece::Parameter(name.to_owned()));
        rest = after;
    }
    if !rest.is_empty() {
        pieces.push(Piece::Literal(rest.to_owned()));
    }
    pieces
}
