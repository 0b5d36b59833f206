use super::rng::Rng;
use super::value::{Key, Node, Value};

/// Style of writing a value.
#[derive(Debug, Clone, Copy)]
pub(super) struct Style {
    /// Percentage of the places for white space that have some.
    pub(super) space: usize,
    /// Percentage of escapes among characters that need none.
    pub(super) escapes: usize,
}

impl Style {
    pub(super) fn any(rng: &mut Rng) -> Self {
        let space = rng.pick(&[0, 0, 0, 10, 50]).copied().unwrap_or(0);
        let escapes = rng.pick(&[0, 0, 0, 10, 100]).copied().unwrap_or(0);
        Self { space, escapes }
    }
}

pub(super) struct Writer<'a> {
    pub(super) style: Style,
    pub(super) rng: &'a mut Rng,
    pub(super) out: String,
}

impl Writer<'_> {
    pub(super) fn node(&mut self, node: &Node) {
        match &node.value {
            Value::Null => self.out.push_str("null"),
            Value::Bool(true) => self.out.push_str("true"),
            Value::Bool(false) => self.out.push_str("false"),
            Value::Number(text) => self.out.push_str(text),
            Value::String(text) => self.string(text, false),
            Value::Array(items) => {
                self.out.push('[');
                self.space();
                for (at, item) in items.iter().enumerate() {
                    self.comma(at);
                    self.node(item);
                    self.space();
                }
                self.out.push(']');
            }
            Value::Object(entries) => {
                self.out.push('{');
                self.space();
                for (at, (Key { name, escaped }, value)) in entries.iter().enumerate() {
                    self.comma(at);
                    self.string(name, *escaped);
                    self.space();
                    self.out.push(':');
                    self.space();
                    self.node(value);
                    self.space();
                }
                self.out.push('}');
            }
        }
    }

    fn comma(&mut self, at: usize) {
        if at > 0 {
            self.out.push(',');
            self.space();
        }
    }

    pub(super) fn space(&mut self) {
        while self.rng.percent(self.style.space) {
            let space = self.rng.pick(&[' ', ' ', '\n', '\t', '\r']);
            self.out.push(space.copied().unwrap_or(' '));
        }
    }

    /// A string; the first character with an escape, if it is to have one at any cost.
    fn string(&mut self, text: &str, mut escaped: bool) {
        self.out.push('"');
        for char in text.chars() {
            let is_escaped = escaped || self.rng.percent(self.style.escapes);
            escaped = false;
            let short = match char {
                '"' => Some('"'),
                '\\' => Some('\\'),
                '\n' => Some('n'),
                '\r' => Some('r'),
                '\t' => Some('t'),
                '\u{8}' => Some('b'),
                '\u{c}' => Some('f'),
                '/' if is_escaped => Some('/'),
                _ => None,
            };
            match short {
                Some(short) if !self.rng.percent(20) => self.out.extend(['\\', short]),
                Some(_) => self.by_number(char),
                None if char < ' ' || is_escaped => self.by_number(char),
                None => self.out.push(char),
            }
        }
        self.out.push('"');
    }

    /// `\u00e9`, and two of them where UTF-16 needs two.
    fn by_number(&mut self, char: char) {
        for unit in char.encode_utf16(&mut [0; 2]) {
            self.out.push_str("\\u");
            let digits = format!("{unit:04x}");
            self.out.push_str(&if self.rng.percent(50) {
                digits.to_uppercase()
            } else {
                digits
            });
        }
    }
}
