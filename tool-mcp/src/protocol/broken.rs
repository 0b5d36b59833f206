//! Whose message it is, read of one that is broken.

use serde::de::IgnoredAny;

use super::id::Id;

/// The id of a message that cannot be read as a whole, and what it is the id of.
#[derive(Debug, PartialEq)]
pub(crate) struct PartialMessage {
    pub(crate) id: Id,
    pub(crate) kind: MessageKind,
}

#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum MessageKind {
    Request,
    Answer,
}

impl PartialMessage {
    /// Reads the keys of the message up to where it is broken. What may be of either kind, or has two ids, has none.
    pub(crate) fn read(text: &str) -> Option<Self> {
        let (mut id, mut kind) = (None, None);
        let mut keys = KeyScanner(text.trim_start().strip_prefix('{')?);
        while let Some(key) = keys.key() {
            let found = match key {
                r#""method""# | r#""params""# => Some(MessageKind::Request),
                r#""result""# | r#""error""# => Some(MessageKind::Answer),
                _ => None,
            };
            if let Some(found) = found
                && kind.replace(found).is_some_and(|before| before != found)
            {
                return None;
            }
            let Some(value) = keys.value() else { break };
            if key == r#""id""# && id.replace(value).is_some() {
                return None;
            }
        }
        // What stands there may be broken as well.
        let id = id.filter(|id| serde_json::from_str::<IgnoredAny>(id).is_ok());
        Some(Self {
            id: Id::read(id?)?,
            kind: kind?,
        })
    }
}

/// The rest of an object's text.
struct KeyScanner<'t>(&'t str);

impl<'t> KeyScanner<'t> {
    /// The next key, with its quotes.
    fn key(&mut self) -> Option<&'t str> {
        let rest = self.0.trim_start().trim_start_matches(',').trim_start();
        let (key, rest) = rest.split_at_checked(string_end(rest)?)?;
        self.0 = rest.trim_start().strip_prefix(':')?.trim_start();
        Some(key)
    }

    /// The key's value, if it has an end. Inside of arrays and objects only strings and brackets count.
    fn value(&mut self) -> Option<&'t str> {
        let (mut depth, mut at) = (0_usize, 0);
        let end = loop {
            let rest = self.0.get(at..)?;
            match rest.bytes().next()? {
                b'"' => {
                    at += string_end(rest)?;
                    continue;
                }
                b'{' | b'[' => depth += 1,
                b',' if depth == 0 => break at,
                b'}' | b']' if depth == 0 => break at,
                b'}' | b']' => depth -= 1,
                _ => {}
            }
            at += rest.chars().next().map_or(1, char::len_utf8);
        };
        let (value, rest) = self.0.split_at_checked(end)?;
        self.0 = rest;
        Some(value.trim_end())
    }
}

/// Behind the string that stands first.
fn string_end(text: &str) -> Option<usize> {
    let mut is_escaped = false;
    let inside = text.strip_prefix('"')?;
    let end = inside.bytes().position(|byte| {
        let ends = byte == b'"' && !is_escaped;
        is_escaped = byte == b'\\' && !is_escaped;
        ends
    })?;
    Some(end + 2)
}

#[cfg(test)]
mod tests {
    use super::{MessageKind, PartialMessage};

    #[test]
    fn ids_of_broken_messages_are_read_where_it_is_sure_whose_they_are() {
        let request = |id| Some((id, MessageKind::Request));
        let answer = |id| Some((id, MessageKind::Answer));
        let table = [
            (
                r#"{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"na"#,
                request("7"),
            ),
            (
                r#"{"jsonrpc":"2.0","id":7,"params":{"a":"}","b":nope}"#,
                request("7"),
            ),
            (
                r#" { "method" : "x" , "params":{"a":[{nope}]}, "id" : "a\"b" } x"#,
                request(r#""a\"b""#),
            ),
            (r#"{"method":5,"id":-3}"#, request("-3")),
            (r#"{"id":7,"result":{"content":["#, answer("7")),
            (r#"{"id":7,"error":nope}"#, answer("7")),
            // Whose it is, or which it is, is not sure.
            (
                r#"{"jsonrpc":"2.0","id":"method":"tools/call","params":{}}"#,
                None,
            ),
            (r#"{"method":"x","id":7 7}"#, None),
            (r#"{"jsonrpc":"2.0","id":7,"resu"#, None),
            (r#"{"id":7,"method":"x","result":nope"#, None),
            (r#"{"id":7,"id":7,"method":"x"}"#, None),
            (r#"{"id":1.5,"method":nope"#, None),
            (r#"{"id":7"#, None),
            (r#"{"method":"x","params":{"id":7"#, None),
            (r#"{"method":"x","id":"\u12"}"#, None),
            (r#"[{"id":7,"method":"x"}]"#, None),
            ("nope", None),
            ("", None),
        ];
        for (text, id) in table {
            let torn = PartialMessage::read(text);
            let torn = torn.as_ref().map(|torn| (torn.id.as_json(), torn.kind));
            assert_eq!(torn, id, "{text}");
        }
    }
}
