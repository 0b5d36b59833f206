//! Whether the elements of an array are different values.

use std::borrow::Cow;

use hashbrown::HashSet;

use super::Decimal;
use crate::json::write_json_string;

/// The index of the first element that is equal to an earlier one, as `uniqueItems` means it: `1`
/// is `1.0`, `"A"` is `"\u0041"`, and the order of an object's keys is nothing; but `true` is not
/// `1`, and `"1"` is not.
///
/// The elements are JSON, and known to be: of other text the answer means nothing. Takes time in
/// proportion to the text, times its depth where the keys of objects are out of order.
pub(crate) fn first_repeat<'t>(elements: impl Iterator<Item = &'t str>) -> Option<usize> {
    let mut seen: HashSet<Value<'t>, foldhash::fast::RandomState> = HashSet::default();
    elements
        .map(Value::of)
        .position(|value| !seen.insert(value))
}

/// A value in a form that equal values have in common.
#[derive(PartialEq, Eq, Hash)]
enum Value<'t> {
    Number(Decimal<'t>),
    /// Any other value. Words, and strings without escapes, stand in the text as they are.
    Canonical(Cow<'t, str>),
}

impl<'t> Value<'t> {
    fn of(text: &'t str) -> Self {
        let text = text.trim_matches(is_space);
        if let Some(number) = Decimal::of(text) {
            return Self::Number(number);
        }
        let is_nested = text.starts_with(['[', '{']);
        if !is_nested && !text.contains('\\') {
            return Self::Canonical(Cow::Borrowed(text));
        }
        let mut canonical = Canonical {
            rest: text,
            out: String::with_capacity(text.len()),
        };
        canonical.value();
        Self::Canonical(Cow::Owned(canonical.out))
    }
}

fn is_space(char: char) -> bool {
    matches!(char, ' ' | '\n' | '\t' | '\r')
}

/// Writes a value so that equal ones read alike: without white space, numbers as their keys, strings
/// with the escapes that they need and no others, the entries of objects in the order of their keys.
struct Canonical<'t> {
    rest: &'t str,
    out: String,
}

impl<'t> Canonical<'t> {
    /// The next byte that is no white space, not consumed.
    fn peek(&mut self) -> Option<u8> {
        self.rest = self.rest.trim_start_matches(is_space);
        self.rest.bytes().next()
    }

    /// Consumes the byte, if it is the next one.
    fn take(&mut self, byte: char) -> bool {
        self.peek();
        match self.rest.strip_prefix(byte) {
            Some(rest) => {
                self.rest = rest;
                true
            }
            None => false,
        }
    }

    /// Consumes text up to an offset.
    fn split(&mut self, at: usize) -> &'t str {
        let (text, rest) = self.rest.split_at_checked(at).unwrap_or((self.rest, ""));
        self.rest = rest;
        text
    }

    fn value(&mut self) {
        match self.peek() {
            Some(b'{') => self.object(),
            Some(b'[') => self.array(),
            Some(b'"') => self.string(),
            _ => self.word(),
        }
    }

    /// A number, `true`, `false` or `null`.
    fn word(&mut self) {
        // One character at least, so that reading ends whatever stands there.
        let end = self
            .rest
            .char_indices()
            .skip(1)
            .find(|(_, char)| matches!(char, ',' | ']' | '}') || is_space(*char));
        let word = self.split(end.map_or(self.rest.len(), |(at, _)| at));
        match Decimal::of(word) {
            Some(number) => number.write_key(&mut self.out),
            None => self.out.push_str(word),
        }
    }

    fn string(&mut self) {
        let mut is_escaped = false;
        let mut has_escapes = false;
        let end = self.rest.bytes().skip(1).position(|byte| {
            let ends = byte == b'"' && !is_escaped;
            is_escaped = byte == b'\\' && !is_escaped;
            has_escapes |= is_escaped;
            ends
        });
        let text = match end {
            // Both quotes belong to it.
            Some(inner) => self.split(inner + 2),
            None => self.split(self.rest.len()),
        };
        if has_escapes && let Ok(unescaped) = serde_json::from_str::<String>(text) {
            write_json_string(&mut self.out, &unescaped);
        } else {
            self.out.push_str(text);
        }
    }

    fn array(&mut self) {
        self.take('[');
        self.out.push('[');
        while !self.rest.is_empty() && !self.take(']') {
            self.value();
            self.out.push(',');
            self.take(',');
        }
        self.out.push(']');
    }

    fn object(&mut self) {
        self.take('{');
        self.out.push('{');
        let start = self.out.len();
        // Where each entry starts in what is written, and where its key ends.
        let mut entries = Vec::new();
        while !self.rest.is_empty() && !self.take('}') {
            let entry = self.out.len();
            self.value();
            entries.push((entry, self.out.len()));
            self.take(':');
            self.out.push(':');
            self.value();
            self.out.push(',');
            self.take(',');
        }
        self.sort(start, &entries);
        self.out.push('}');
    }

    /// Brings the entries that have been written since `start` into the order of their keys.
    fn sort(&mut self, start: usize, entries: &[(usize, usize)]) {
        let written = self.out.get(start..).unwrap_or_default();
        let slice = |from: usize, to: usize| written.get(from - start..to - start);
        let ends = entries
            .iter()
            .skip(1)
            .map(|(next, _)| *next)
            .chain([self.out.len()]);
        let mut sorted: Vec<(&str, &str)> = entries
            .iter()
            .zip(ends)
            .filter_map(|((from, key_end), to)| Some((slice(*from, *key_end)?, slice(*from, to)?)))
            .collect();
        if sorted.is_sorted_by_key(|(key, _)| *key) {
            return;
        }
        // Of equal keys, which a reader refuses, the order stays what it was.
        sorted.sort_by_key(|(key, _)| *key);
        let sorted: String = sorted.into_iter().map(|(_, entry)| entry).collect();
        self.out.truncate(start);
        self.out.push_str(&sorted);
    }
}

#[cfg(test)]
mod tests {
    use super::first_repeat;

    #[test]
    fn equal_values_are_found_in_any_spelling() {
        let equal = [
            ("1", "1"),
            ("1", "1.0"),
            ("1", "10e-1"),
            ("-0", "0.0e7"),
            ("100", "1E+2"),
            ("9007199254740993", "9007199254740993.0"),
            ("null", "null"),
            ("true", " true\n"),
            (r#""a""#, r#""\u0061""#),
            (r#""a\/b""#, r#""a/b""#),
            (r#""\u00E9""#, "\"é\""),
            (r#""\ud83d\ude00""#, "\"😀\""),
            (r#""\"""#, r#""\u0022""#),
            (r#""\\""#, r#""\u005c""#),
            (r#""\n\u0001""#, r#""\u000A\u0001""#),
            ("[]", "[ ]"),
            ("{}", "{\n}"),
            ("[1,2]", "[ 1.0 , 2e0 ]"),
            (r#"{"a":1,"b":2}"#, r#"{ "b" : 2.0, "a" : 1 }"#),
            (
                r#"{"a":{"x":1,"y":[2]},"b":{}}"#,
                r#"{"b":{},"\u0061":{"y":[2.0],"x":1}}"#,
            ),
            (
                r#"{"b":1,"a":2,"":3,"\"":4}"#,
                r#"{"\u0022":4,"":3,"a":2,"b":1}"#,
            ),
            (
                r#"[[[{"b":"\\","a":[]}]]]"#,
                r#"[[[{"a":[],"b":"\u005C"}]]]"#,
            ),
            (r#"{"a":"}","b":"]"}"#, r#"{"b":"]","a":"}"}"#),
        ];
        for (a, b) in equal {
            assert_eq!(first_repeat([a, b].into_iter()), Some(1), "{a} {b}");
            assert_eq!(first_repeat([b, "7", a].into_iter()), Some(2), "{b} {a}");
        }
    }

    #[test]
    fn different_values_are_different() {
        let table: [&[&str]; 11] = [
            &[],
            &["1"],
            &[
                "1",
                "true",
                "\"1\"",
                "\"true\"",
                "null",
                "\"null\"",
                "[1]",
                "{\"1\":1}",
            ],
            &[
                "0", "false", "\"\"", "[]", "{}", "null", "[[]]", "[{}]", "[null]", "[0]",
            ],
            &["9007199254740992", "9007199254740993", "9007199254740993.5"],
            &["1e400", "1e401", "-1e400", "\"1e400\""],
            &["[1,2]", "[2,1]", "[12]", "[1,2,0]", "[[1,2]]", "[[1],2]"],
            &[
                r#""a""#,
                r#""A""#,
                r#""\\u0061""#,
                r#"" a""#,
                r#""a ""#,
                "\"á\"",
                "\"a\u{301}\"",
            ],
            &[
                r#"{"a":1}"#,
                r#"{"a":2}"#,
                r#"{"b":1}"#,
                r#"{"a":1,"b":1}"#,
                r#"{"a":"1"}"#,
            ],
            &[
                r#"["a","b"]"#,
                r#"["a\",\"b"]"#,
                r#"["a,b"]"#,
                r#"[["a"],"b"]"#,
            ],
            &[
                r#"{"a":{"b":1}}"#,
                r#"{"a":{},"b":1}"#,
                r#"{"a":"{\"b\":1}"}"#,
                r#"{"b":{"a":1}}"#,
            ],
        ];
        for elements in table {
            assert_eq!(first_repeat(elements.iter().copied()), None, "{elements:?}");
        }
    }

    #[test]
    fn the_first_repeat_is_told() {
        let table = [
            (vec!["1", "2", "1", "2"], 2),
            (vec!["1", "1", "1"], 1),
            (vec!["[1]", "1", "[2]", "2", "[1.0]"], 4),
        ];
        for (elements, index) in table {
            assert_eq!(
                first_repeat(elements.iter().copied()),
                Some(index),
                "{elements:?}"
            );
        }
    }

    #[test]
    fn many_and_deep_elements_take_no_long_time() {
        let many: Vec<String> = (0..100_000)
            .map(|i| format!("{{\"b\":{i},\"a\":[]}}"))
            .collect();
        assert_eq!(first_repeat(many.iter().map(String::as_str)), None);
        let deep = format!("{}{}", "{\"b\":0,\"a\":".repeat(127), "[]");
        let deep = format!("{deep}{}", "}".repeat(127));
        let other = deep.replacen("[]", "{}", 1);
        assert_eq!(
            first_repeat([deep.as_str(), &other, &deep].into_iter()),
            Some(2)
        );
    }

    #[test]
    fn text_that_is_no_json_ends_too() {
        for text in [
            "", "[", "{", "[1", "{\"a\"", "{\"a\":", "\"", "\"\\", "]", "}", "[}", "{]", "[:",
        ] {
            first_repeat([text, text].into_iter());
        }
    }
}
