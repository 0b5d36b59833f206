//! A message, built in `const`.

/// As much of a message as fits; made only where something is refused.
pub struct ConstText {
    bytes: [u8; 768],
    len: usize,
}

impl Default for ConstText {
    fn default() -> Self {
        Self::new()
    }
}

impl ConstText {
    pub const fn new() -> Self {
        Self {
            bytes: [0; 768],
            len: 0,
        }
    }

    pub const fn push(&mut self, text: &str) {
        let mut rest = text.as_bytes();
        while let [byte, tail @ ..] = rest {
            if let Some((_, [place, ..])) = self.bytes.split_at_mut_checked(self.len) {
                *place = *byte;
                self.len += 1;
            }
            rest = tail;
        }
    }

    pub const fn push_all(&mut self, mut texts: &[&str]) {
        while let [text, rest @ ..] = texts {
            self.push(text);
            texts = rest;
        }
    }

    pub const fn push_number(&mut self, number: usize) {
        if number > 9 {
            self.push_number(number / 10);
        }
        // One digit.
        #[allow(clippy::cast_possible_truncation)]
        let digit = [b'0' + (number % 10) as u8];
        if let Ok(digit) = std::str::from_utf8(&digit) {
            self.push(digit);
        }
    }

    pub const fn as_str(&self) -> &str {
        match self.bytes.split_at_checked(self.len) {
            Some((text, _)) => match std::str::from_utf8(text) {
                Ok(text) => text,
                Err(_) => "this list is refused",
            },
            None => "this list is refused",
        }
    }
}
