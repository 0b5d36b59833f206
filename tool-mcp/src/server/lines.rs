//! Lines, of which no more than a limit is held in memory.

/// Of a line that is too long, so many bytes are kept.
const START: usize = 512;

/// A line without its end.
#[derive(Debug, PartialEq)]
pub(super) enum Line {
    Whole(Vec<u8>),
    /// It was longer than the limit, of which this is the start; told as soon as that is known, and the rest is passed
    /// over.
    TooLong(Vec<u8>),
}

/// Makes lines of what is read piece by piece.
pub(super) struct Lines {
    limit: usize,
    line: Vec<u8>,
    passing_over: bool,
}

impl Lines {
    pub(super) fn new(limit: usize) -> Self {
        Self {
            limit,
            line: Vec::new(),
            passing_over: false,
        }
    }

    /// The next line that ends in these bytes, of which the rest is left.
    pub(super) fn next(&mut self, bytes: &mut &[u8]) -> Option<Line> {
        while !bytes.is_empty() {
            let (part, ended) = match memchr::memchr(b'\n', bytes) {
                Some(end) => {
                    let (part, rest) = bytes.split_at(end);
                    *bytes = rest.get(1..).unwrap_or_default();
                    (part, true)
                }
                None => (std::mem::take(bytes), false),
            };
            if self.passing_over {
                self.passing_over = !ended;
                continue;
            }
            if self.line.len() + part.len() > self.limit {
                let mut start = std::mem::take(&mut self.line);
                start.truncate(START);
                let more = part.get(..START - start.len()).unwrap_or(part);
                start.extend_from_slice(more);
                start.shrink_to_fit();
                self.passing_over = !ended;
                return Some(Line::TooLong(start));
            }
            self.line.extend_from_slice(part);
            if ended {
                return Some(Line::Whole(std::mem::take(&mut self.line)));
            }
        }
        None
    }

    /// What stands behind the last end of a line.
    pub(super) fn last(self) -> Option<Line> {
        (!self.line.is_empty()).then_some(Line::Whole(self.line))
    }
}

#[cfg(test)]
mod tests {
    use super::{Line, Lines};

    fn lines(limit: usize, pieces: &[&[u8]]) -> Vec<Line> {
        let mut lines = Lines::new(limit);
        let mut found = Vec::new();
        for piece in pieces {
            let mut bytes = *piece;
            found.extend(std::iter::from_fn(|| lines.next(&mut bytes)));
        }
        found.extend(lines.last());
        found
    }

    #[test]
    fn lines_are_cut_at_their_ends_and_at_the_limit() {
        let whole = |text: &str| Line::Whole(text.into());
        assert_eq!(
            lines(3, &[b"abc\n\nd", b"e\nf"]),
            [whole("abc"), whole(""), whole("de"), whole("f")]
        );
        // Of what is too long nothing is kept, and the next line is whole.
        assert_eq!(
            lines(3, &[b"ab", b"cd", b"ef\ngh\n"]),
            [Line::TooLong(b"abcd".into()), whole("gh")]
        );
        let too_long = || Line::TooLong(b"abcd".into());
        assert_eq!(lines(3, &[b"abcd\nef"]), [too_long(), whole("ef")]);
        assert_eq!(lines(3, &[b"abcd"]), [too_long()]);
    }
}
