//! Text with an upper bound.

/// Text that is cut at a limit, with the number of bytes that were left out.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct Capped {
    text: String,
    left_out: usize,
    limit: usize,
}

impl Capped {
    pub(crate) fn new(limit: usize) -> Self {
        Self {
            limit,
            ..Self::default()
        }
    }

    /// Adds text as far as there is room. Never cuts inside of a character.
    pub(crate) fn push(&mut self, text: &str) {
        let room = match self.left_out {
            0 => self.limit.saturating_sub(self.text.len()),
            _ => 0,
        };
        let cut = text.floor_char_boundary(room);
        let (fits, rest) = text.split_at(cut);
        self.text.push_str(fits);
        self.left_out += rest.len();
    }

    /// Returns the text, with a last line that says what was left out.
    pub(crate) fn finish(mut self) -> String {
        if self.left_out > 0 {
            let note = format!("\n[output truncated: {} bytes left out]", self.left_out);
            self.text.push_str(&note);
        }
        self.text
    }
}
