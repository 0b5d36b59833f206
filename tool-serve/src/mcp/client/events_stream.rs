//! Server-sent events out of a body, none of which may be larger than a limit: of the bytes that stand
//! between two empty lines, names of fields and ends of lines included, and comments left out.

use std::fmt;

use bytes::Bytes;
use futures_util::stream::{Stream, StreamExt};
use rmcp::transport::streamable_http_client::SseError;
use sse_stream::{Sse, SseStream};

/// Why a body was not read to its end.
#[derive(Debug)]
enum Broken<E> {
    /// The connection.
    Source(E),
    TooLarge(usize),
}

impl<E: fmt::Display> fmt::Display for Broken<E> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Source(error) => error.fmt(f),
            Self::TooLarge(most) => write!(f, "an event of more than {most} bytes"),
        }
    }
}

impl<E: std::error::Error> std::error::Error for Broken<E> {}

/// How large the event is that is being read: an empty line ends it. A comment counts until its line
/// ends, for that is how long it is held.
#[derive(Default)]
struct Size {
    event: usize,
    line: usize,
    is_comment: bool,
    /// A line's end may be of two characters.
    after_return: bool,
}

impl Size {
    /// The largest that an event has become within these bytes.
    fn add(&mut self, bytes: &[u8]) -> usize {
        let mut largest = self.event;
        for byte in bytes {
            let is_second = *byte == b'\n' && self.after_return;
            self.after_return = *byte == b'\r';
            if is_second {
                continue;
            }
            self.event += 1;
            largest = largest.max(self.event);
            match byte {
                b'\n' | b'\r' if self.line == 0 => self.event = 0,
                b'\n' | b'\r' => {
                    if self.is_comment {
                        self.event -= self.line + 1;
                    }
                    self.line = 0;
                }
                _ => {
                    if self.line == 0 {
                        self.is_comment = *byte == b':';
                    }
                    self.line += 1;
                }
            }
        }
        largest
    }
}

/// Whether a body was left because of an event that was too large.
pub(super) fn is_too_large<E: std::error::Error + Send + Sync + 'static>(error: &SseError) -> bool {
    let SseError::Body(error) = error else {
        return false;
    };
    matches!(error.downcast_ref::<Broken<E>>(), Some(Broken::TooLarge(_)))
}

/// The events of a body. One that is too large is an error, and the end.
pub(super) fn events<E>(
    body: impl Stream<Item = Result<Bytes, E>> + Send + 'static,
    most: usize,
) -> impl Stream<Item = Result<Sse, SseError>> + Send + 'static
where
    E: std::error::Error + Send + Sync + 'static,
{
    let start = (Size::default(), false);
    let limited = body.scan(start, move |(size, is_over), part| {
        if *is_over {
            return std::future::ready(None);
        }
        let part = match part {
            Ok(bytes) if size.add(&bytes) > most => Err(Broken::TooLarge(most)),
            Ok(bytes) => Ok(bytes),
            Err(error) => Err(Broken::Source(error)),
        };
        *is_over = part.is_err();
        std::future::ready(Some(part))
    });
    SseStream::from_bytes_stream(limited)
}

#[cfg(test)]
#[allow(clippy::unwrap_used, clippy::indexing_slicing)]
mod tests {
    use super::*;

    async fn read(text: &str, most: usize, at_once: usize) -> Vec<Result<Option<String>, String>> {
        let parts: Vec<_> = text
            .as_bytes()
            .chunks(at_once)
            .map(|part| Ok::<_, std::io::Error>(Bytes::copy_from_slice(part)))
            .collect();
        let events = events(futures_util::stream::iter(parts), most);
        let events = events.map(|event| event.map(|event| event.data).map_err(|e| e.to_string()));
        events.collect().await
    }

    #[tokio::test]
    async fn an_event_is_limited_and_a_stream_is_not() {
        for (end, at_once) in [("\n", 1), ("\n", 1_000), ("\r\n", 1), ("\r\n", 3)] {
            let some = format!("data: one{end}{end}").repeat(100);
            let events = read(&some, 20, at_once).await;
            assert_eq!(events.len(), 100, "{at_once}");
            assert!(
                events
                    .iter()
                    .all(|event| *event == Ok(Some("one".to_owned())))
            );
            let many = format!("data: x{end}").repeat(10);
            let large = format!("{some}{many}{end}{some}");
            let events = read(&large, 20, at_once).await;
            let error = events.last().unwrap().as_ref().unwrap_err();
            assert!(error.contains("more than 20 bytes"), "{error}");
        }
    }

    #[tokio::test]
    async fn a_stream_is_kept_open_by_comments_and_held_up_by_none() {
        for (end, at_once) in [
            ("\n", 1),
            ("\n", 1_000),
            ("\r", 7),
            ("\r\n", 1),
            ("\r\n", 3),
        ] {
            let waits = format!(": wait{end}").repeat(100);
            let text = format!("data: one{end}{waits}{end}{waits}data: two{end}{end}");
            let events = read(&text, 20, at_once).await;
            let expected = ["one", "two"].map(|data| Ok(Some(data.to_owned())));
            assert_eq!(events, expected, "{end:?} {at_once}");
            let endless = format!(":{}", "x".repeat(20));
            let events = read(&endless, 20, at_once).await;
            let error = events.last().unwrap().as_ref().unwrap_err();
            assert!(error.contains("more than 20 bytes"), "{error}");
        }
    }
}
