//! Truncation of texts that are too long for a model, in linear time.
//!
//! Plain text is cut at a boundary. JSON is cut so that it is still valid, since a model reads the structure.

use std::fmt::Write;

use crate::string::quoted;

/// Returns the offset at which to cut a text to these limits. `None` if the text is within them.
pub fn end(text: &str, bytes: usize, lines: usize) -> Option<usize> {
    let by_lines = match lines.checked_sub(1) {
        None => 0,
        Some(last) => text
            .match_indices('\n')
            .nth(last)
            .map_or(text.len(), |(at, _)| at + 1),
    };
    let end = by_lines.min(text.floor_char_boundary(bytes));
    (end < text.len()).then_some(end)
}

/// Shortens a JSON text to at most `room` bytes, or to `note` alone if there is no room for more. `note` is at its end
/// and says that something was omitted.
///
/// Strings are shortened first, all to one length. If that is not enough, lists and objects lose their last elements,
/// and say how many.
pub fn json(text: &str, room: usize, note: &str) -> String {
    let said = quoted(note);
    let is_container = text.trim_start().starts_with(['{', '[']);
    let Some(room) = room.checked_sub(said.len() + NOTE_KEY.len() + RESERVED) else {
        return said;
    };
    if !is_container {
        return said;
    }
    let longest = longest_string(text, room);
    let mut cutter = Cutter {
        out: String::new(),
        room,
        reserved: 0,
        longest,
        levels: Vec::new(),
        note: said,
    };
    for token in Tokens(text) {
        cutter.take(token);
    }
    cutter.out
}

/// Key of the note in an object.
const NOTE_KEY: &str = r#""[output truncated]":"#;

/// Maximal length of the end of a list or an object: `,"…":"18446744073709551615 more"}`.
const RESERVED: usize = 40;

/// Strings are never cut shorter than this.
const SHORTEST: usize = 64;

/// Maximal length of the note in a shortened string: `…[18446744073709551615 more bytes]`.
const SHORTENED: usize = 40;

#[derive(Clone, Copy)]
enum Token<'t> {
    Open(char),
    Close(char),
    /// String token with its quotes.
    String(&'t str),
    /// Number, `true`, `false` or `null`.
    Scalar(&'t str),
}

/// Tokens of a valid JSON text, without its commas and colons.
struct Tokens<'t>(&'t str);

impl<'t> Iterator for Tokens<'t> {
    type Item = Token<'t>;

    fn next(&mut self) -> Option<Token<'t>> {
        let rest = self.0.trim_start_matches([' ', '\t', '\n', '\r', ',', ':']);
        let first = rest.chars().next()?;
        let end = match first {
            '{' | '[' | '}' | ']' => first.len_utf8(),
            '"' => string_end(rest),
            _ => rest
                .find([' ', '\t', '\n', '\r', ',', ':', '{', '[', '}', ']', '"'])
                .unwrap_or(rest.len()),
        };
        let (token, rest) = rest.split_at_checked(end)?;
        self.0 = rest;
        Some(match first {
            '{' | '[' => Token::Open(first),
            '}' | ']' => Token::Close(first),
            '"' => Token::String(token),
            _ => Token::Scalar(token),
        })
    }
}

/// Returns the end of the string at the start of the text.
fn string_end(text: &str) -> usize {
    let mut escaped = false;
    for (at, byte) in text.bytes().enumerate().skip(1) {
        match byte {
            _ if escaped => escaped = false,
            b'\\' => escaped = true,
            b'"' => return at + 1,
            _ => {}
        }
    }
    text.len()
}

/// Returns the length to cut strings to, so that the rest has room. Returns the minimum if no length is enough.
fn longest_string(text: &str, room: usize) -> usize {
    let mut lengths = Vec::new();
    let mut length = room.max(SHORTEST);
    while length > SHORTEST {
        lengths.push((length, 0usize));
        length /= 2;
    }
    let mut others = 0usize;
    for token in Tokens(text) {
        match token {
            Token::String(string) => {
                others += 1;
                for (length, total) in &mut lengths {
                    *total += string.len().min(*length + SHORTENED);
                }
            }
            Token::Scalar(scalar) => others += scalar.len() + 1,
            Token::Open(_) | Token::Close(_) => others += 1,
        }
    }
    lengths
        .iter()
        .find(|(_, total)| total + others <= room)
        .map_or(SHORTEST, |(length, _)| *length)
}

/// Shortens a string token to `longest` bytes. Returns `None` if it is not longer.
fn shortened(string: &str, longest: usize) -> Option<String> {
    if string.len() <= longest + SHORTENED {
        return None;
    }
    let mut end = 1;
    let mut units = string.char_indices().skip(1);
    while let Some((at, char)) = units.next() {
        if char == '\\' {
            // Escapes and surrogate pairs are kept whole.
            let rest = string.get(at..).unwrap_or_default();
            let length = match rest.as_bytes() {
                [
                    _,
                    b'u',
                    b'd' | b'D',
                    b'8' | b'9' | b'a' | b'b' | b'A' | b'B',
                    ..,
                ] => 12,
                [_, b'u', ..] => 6,
                _ => 2,
            };
            if at + length > longest {
                break;
            }
            units.nth(length - 2);
            end = at + length;
        } else {
            if at + char.len_utf8() > longest {
                break;
            }
            end = at + char.len_utf8();
        }
    }
    let kept = string.get(..end)?;
    let more = string.len().saturating_sub(end + 1);
    Some(format!("{kept}…[{more} more bytes]\""))
}

struct Level<'t> {
    is_object: bool,
    /// True if the container is in the output.
    is_shown: bool,
    /// Number of omitted elements. All elements after the first omitted one are omitted.
    left_out: usize,
    /// True if the container has elements in the output.
    has_items: bool,
    key: Option<&'t str>,
}

struct Cutter<'t> {
    out: String,
    room: usize,
    /// Bytes reserved for the ends of open containers.
    reserved: usize,
    longest: usize,
    levels: Vec<Level<'t>>,
    note: String,
}

impl<'t> Cutter<'t> {
    fn take(&mut self, token: Token<'t>) {
        match token {
            Token::String(key) if self.wants_key() => {
                if let Some(level) = self.levels.last_mut() {
                    level.key = Some(key);
                }
            }
            Token::String(string) => {
                let short = shortened(string, self.longest);
                self.item(short.as_deref().unwrap_or(string), 0);
            }
            Token::Scalar(number) if number.len() > self.longest => {
                let length = number.len();
                self.item(&format!("\"[a number of {length} digits]\""), 0);
            }
            Token::Scalar(scalar) => {
                self.item(scalar, 0);
            }
            Token::Open(open) => {
                let is_shown = self.item(open.encode_utf8(&mut [0; 4]), RESERVED);
                if is_shown {
                    self.reserved += RESERVED;
                }
                self.levels.push(Level {
                    is_object: open == '{',
                    is_shown,
                    left_out: 0,
                    has_items: false,
                    key: None,
                });
            }
            Token::Close(close) => self.close(close),
        }
    }

    fn wants_key(&self) -> bool {
        let level = self.levels.last();
        level.is_some_and(|level| level.is_object && level.key.is_none())
    }

    /// Writes a value or an opening bracket, if there is room for it and for `more` bytes. Returns false if it was
    /// omitted.
    fn item(&mut self, text: &str, more: usize) -> bool {
        let Some(level) = self.levels.last_mut() else {
            self.out.push_str(text);
            return true;
        };
        let key = level.key.take();
        let short = key.and_then(|key| shortened(key, self.longest));
        let key = short.as_deref().or(key);
        let needs = text.len() + more + key.map_or(0, |key| key.len() + 1) + 1;
        let fits = self.out.len() + self.reserved + needs <= self.room;
        if !level.is_shown || level.left_out > 0 || !fits {
            level.left_out += 1;
            return false;
        }
        if level.has_items {
            self.out.push(',');
        }
        level.has_items = true;
        if let Some(key) = key {
            self.out.push_str(key);
            self.out.push(':');
        }
        self.out.push_str(text);
        true
    }

    fn close(&mut self, close: char) {
        let Some(level) = self.levels.pop() else {
            return;
        };
        if !level.is_shown {
            return;
        }
        self.reserved = self.reserved.saturating_sub(RESERVED);
        let mut comma = if level.has_items { "," } else { "" };
        if level.left_out > 0 {
            let key = if level.is_object { "\"…\":" } else { "" };
            let more = level.left_out;
            // Writing to a string cannot fail.
            let _ = write!(self.out, "{comma}{key}\"{more} more\"");
            comma = ",";
        }
        if self.levels.is_empty() {
            let key = if level.is_object { NOTE_KEY } else { "" };
            let note = &self.note;
            let _ = write!(self.out, "{comma}{key}{note}");
        }
        self.out.push(close);
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, clippy::indexing_slicing)]
mod tests {
    use serde_json::{Value, json};

    use super::{end, json};

    #[test]
    fn text_is_cut_between_characters_and_behind_lines() {
        assert_eq!(end("abc", 3, 1), None);
        assert_eq!(end("abc", 2, 1), Some(2));
        assert_eq!(end("aé", 2, 1), Some(1));
        assert_eq!(end("a\nb\nc", 9, 3), None);
        assert_eq!(end("a\nb\nc", 9, 2), Some(4));
        assert_eq!(end("a\nb\n", 9, 2), None);
        assert_eq!(end("a", 9, 0), Some(0));
        assert_eq!(end("", 0, 0), None);
    }

    #[test]
    fn json_stays_json_in_every_room() {
        let deep = format!("{}1{}", "[".repeat(3000), "]".repeat(3000));
        let pairs = format!(
            r#"["{}", "{}"]"#,
            r"\ud83d\ude00".repeat(200),
            r"\n\u00e9".repeat(300)
        );
        let digits = format!("[{}]", "7".repeat(5000));
        let texts = [
            json!({"log": "x".repeat(5000), "status": "ok", "n": [1, 2, {"a": null}]}).to_string(),
            json!((0..2000).collect::<Vec<_>>()).to_string(),
            json!(
                (0..500)
                    .map(|n| json!({"id": n, "tags": ["a", "é"], "text": "y".repeat(n)}))
                    .collect::<Vec<_>>()
            )
            .to_string(),
            json!({"é".repeat(4000): 1, "b": {"c": "\"\\".repeat(900)}}).to_string(),
            deep,
            pairs,
            digits,
        ];
        for text in &texts {
            for room in (0..3000).step_by(37) {
                let cut = json(text, room, "note");
                let value = serde_json::from_str::<serde::de::IgnoredAny>(&cut);
                assert!(value.is_ok(), "{room}: {cut}");
                assert!(
                    cut.contains("note") && cut.len() <= room.max(6),
                    "{room}: {cut}"
                );
            }
        }
    }

    #[test]
    fn what_is_short_stays_where_one_string_is_long() {
        let text = json!({"log": "x".repeat(5000), "status": "ok", "list": [1, 2]}).to_string();
        let cut: Value = serde_json::from_str(&json(&text, 1000, "note")).unwrap();
        assert_eq!(
            (&cut["status"], &cut["list"]),
            (&json!("ok"), &json!([1, 2]))
        );
        assert!(cut["log"].as_str().unwrap().ends_with(" more bytes]"));
        // Keys after a shortened list stay, as far as there is room.
        let list = json!((0..2000).collect::<Vec<_>>());
        let text = format!(
            r#"{{"list": {list}, "last": true, "log": "{}"}}"#,
            "x".repeat(90)
        );
        let cut: Value = serde_json::from_str(&json(&text, 500, "note")).unwrap();
        let list = cut["list"].as_array().unwrap();
        let more = format!("{} more", 2001 - list.len());
        assert_eq!(list.last().unwrap(), &json!(more));
        assert_eq!((&cut["last"], &cut["…"]), (&json!(true), &json!("1 more")));
    }
}
