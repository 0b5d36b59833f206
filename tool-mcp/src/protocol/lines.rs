//! Lines of a stream, none of which may be longer than a limit.

use std::io;

use tokio::io::{AsyncBufRead, AsyncBufReadExt};

/// Bytes that are kept of the start and of the end of a line that is too long.
const KEPT: usize = 512;

/// Reads lines.
pub(crate) struct Lines<R> {
    from: R,
    most: usize,
    line: Vec<u8>,
    /// The ends of a line that is too long.
    cut: Option<(Vec<u8>, Vec<u8>)>,
}

/// One line, without its end.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Line {
    Whole(Vec<u8>),
    /// One that was too long, of which the ends are left.
    Cut {
        head: Vec<u8>,
        tail: Vec<u8>,
    },
}

impl<R: AsyncBufRead + Unpin> Lines<R> {
    /// Lines of at most so many bytes each.
    pub(crate) fn new(from: R, most: usize) -> Self {
        Self {
            from,
            most,
            line: Vec::new(),
            cut: None,
        }
    }

    /// The next line; `None` at the end of the stream. What stands behind the last line's end is a line too.
    /// A future that is dropped has lost nothing.
    pub(crate) async fn next(&mut self) -> io::Result<Option<Line>> {
        loop {
            let part = self.from.fill_buf().await?;
            if part.is_empty() {
                let is_rest = !self.line.is_empty() || self.cut.is_some();
                return Ok(is_rest.then(|| self.finish()));
            }
            let end = memchr::memchr(b'\n', part);
            let taken = part.get(..end.unwrap_or(part.len())).unwrap_or(part);
            match &mut self.cut {
                Some((_, tail)) => keep_tail(tail, taken),
                None if self.line.len() + taken.len() > self.most => {
                    let mut head = std::mem::take(&mut self.line);
                    let mut tail = Vec::new();
                    keep_tail(&mut tail, &head);
                    keep_tail(&mut tail, taken);
                    let missing = KEPT.saturating_sub(head.len());
                    head.extend_from_slice(taken.get(..missing).unwrap_or(taken));
                    head.truncate(KEPT);
                    head.shrink_to_fit();
                    self.cut = Some((head, tail));
                }
                None => self.line.extend_from_slice(taken),
            }
            let used = end.map_or(part.len(), |end| end + 1);
            self.from.consume(used);
            if end.is_some() {
                return Ok(Some(self.finish()));
            }
        }
    }

    fn finish(&mut self) -> Line {
        match self.cut.take() {
            Some((head, tail)) => Line::Cut { head, tail },
            None => Line::Whole(std::mem::take(&mut self.line)),
        }
    }
}

/// The last bytes of all that was put there.
fn keep_tail(tail: &mut Vec<u8>, more: &[u8]) {
    let start = more.len().saturating_sub(KEPT);
    tail.extend_from_slice(more.get(start..).unwrap_or_default());
    let over = tail.len().saturating_sub(KEPT);
    tail.drain(..over);
}

#[cfg(test)]
#[allow(clippy::unwrap_used, clippy::indexing_slicing)]
mod tests {
    use super::*;

    async fn lines(text: &[u8], most: usize, at_once: usize) -> Vec<Line> {
        let reader = tokio::io::BufReader::with_capacity(at_once, text);
        let mut lines = Lines::new(reader, most);
        let mut all = Vec::new();
        while let Some(line) = lines.next().await.unwrap() {
            all.push(line);
        }
        all
    }

    #[tokio::test]
    async fn lines_are_whole_or_cut_however_they_arrive() {
        let long = format!("start{}end", "x".repeat(2_000));
        let text = format!("one\n{long}\n\nlast");
        for at_once in [1, 7, 512, 4_096] {
            let lines = lines(text.as_bytes(), 100, at_once).await;
            assert_eq!(lines.len(), 4, "{at_once}");
            assert_eq!(lines[0], Line::Whole(b"one".into()));
            let Line::Cut { head, tail } = &lines[1] else {
                panic!("{:?}", lines[1]);
            };
            assert!(head.starts_with(b"startx"), "{at_once}");
            assert!(head.len() <= KEPT, "{at_once}");
            assert!(tail.ends_with(b"xend") && tail.len() == KEPT, "{at_once}");
            assert_eq!(lines[2], Line::Whole(Vec::new()));
            assert_eq!(lines[3], Line::Whole(b"last".into()));
        }
        let exact = lines(b"abc\nabcd\n", 3, 512).await;
        assert_eq!(exact[0], Line::Whole(b"abc".into()));
        assert!(matches!(exact[1], Line::Cut { .. }));
    }
}
