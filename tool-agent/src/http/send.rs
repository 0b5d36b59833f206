//! Sends a request and reads the response, whole or as a stream.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use reqwest::Client;
use reqwest::redirect::Policy;
use toolwright_provider::definitions::Definitions;
use toolwright_provider::wire::{Completion, StreamEvent, WireError};

use super::body::RequestBody;
use super::{Endpoint, failure};
use crate::model::{DeltaSink, ModelError, ModelRequest, ModelResponse};
use crate::thread::Native;
use crate::thread::format::native_name;

/// Time limit for connecting.
const CONNECT: Duration = Duration::from_secs(30);
/// A longer wait is not retried: the host decides then.
const MAX_RETRY_AFTER: Duration = Duration::from_mins(1);
const INITIAL_BACKOFF: Duration = Duration::from_millis(500);
const MAX_BACKOFF: Duration = Duration::from_secs(8);
/// Maximal bytes read of an error response.
const MAX_ERROR_BYTES: usize = 64 << 10;

impl Endpoint {
    pub(super) async fn send(
        &self,
        request: ModelRequest<'_>,
        deltas: DeltaSink<'_>,
    ) -> Result<ModelResponse, ModelError> {
        let body = self.body(&request, deltas.is_wanted())?;
        let has_streamed = AtomicBool::new(false);
        let mut wait = INITIAL_BACKOFF;
        let mut left = self.retries;
        loop {
            let error = match self.attempt(&body, deltas, &has_streamed).await {
                Ok(response) => return Ok(response),
                Err(error) => error,
            };
            let retry_after = error.retry_after();
            let is_final = !error.kind().is_transient()
                || has_streamed.load(Ordering::Relaxed)
                || retry_after.is_some_and(|retry_after| retry_after > MAX_RETRY_AFTER);
            if left == 0 || is_final {
                return Err(error);
            }
            left -= 1;
            tokio::time::sleep(retry_after.unwrap_or(wait)).await;
            wait = (wait * 2).min(MAX_BACKOFF);
        }
    }

    fn client(&self) -> Result<&Client, ModelError> {
        let client = self.client.get_or_init(|| {
            let client = Client::builder()
                .connect_timeout(CONNECT)
                .read_timeout(self.read_timeout)
                .redirect(Policy::none())
                .user_agent(concat!("toolwright/", env!("CARGO_PKG_VERSION")));
            client.build().map_err(failure::transport)
        });
        client.as_ref().map_err(Clone::clone)
    }

    async fn attempt(
        &self,
        body: &RequestBody,
        deltas: DeltaSink<'_>,
        has_streamed: &AtomicBool,
    ) -> Result<ModelResponse, ModelError> {
        let streams = deltas.is_wanted();
        let request = self.client()?.post(self.url(streams));
        let request = request.headers(self.headers()?).timeout(self.timeout);
        let answer = request.body(body.text.clone()).send().await;
        let mut answer = answer.map_err(failure::transport)?;
        let status = answer.status();
        // Some compatible servers never stream.
        let kind = answer.headers().get("content-type");
        let is_json = kind.is_some_and(|kind| kind.as_bytes().starts_with(b"application/json"));
        let is_whole = is_json || !status.is_success();
        let text = if !status.is_success() {
            let headers = answer.headers().clone();
            let bytes = read(&mut answer, MAX_ERROR_BYTES).await;
            let bytes = bytes.unwrap_or_default();
            let failed = || self.failed(status.as_u16(), &headers, &bytes);
            broken_calls(&body.sent, &bytes).ok_or_else(failed)?
        } else if streams && !is_whole {
            self.stream(&mut answer, &body.sent, deltas, has_streamed)
                .await?
        } else {
            let bytes = read(&mut answer, self.max_bytes.saturating_add(1)).await?;
            self.count(bytes.len())?;
            String::from_utf8(bytes).map_err(failure::unreadable)?
        };
        let completion = body.sent.completion(&text);
        let completion = completion.map_err(|error| self.unreadable(&error))?;
        if streams && is_whole {
            send_whole(&completion, deltas);
        }
        Ok(response(completion, body))
    }

    /// Reads a stream and returns the text of the whole response.
    async fn stream(
        &self,
        answer: &mut reqwest::Response,
        sent: &Definitions,
        deltas: DeltaSink<'_>,
        has_streamed: &AtomicBool,
    ) -> Result<String, ModelError> {
        let mut pieces = sent.accumulator();
        let mut length = 0_usize;
        let mut broke = None;
        while broke.is_none() {
            let piece = match answer.chunk().await {
                Ok(Some(piece)) => {
                    length = length.saturating_add(piece.len());
                    self.count(length)?;
                    piece
                }
                end => {
                    broke = Some(
                        end.err()
                            .map_or_else(failure::broke_off, failure::transport),
                    );
                    // The last line may lack its end.
                    "\n".into()
                }
            };
            let mut events = pieces.push_bytes(&piece);
            // Behind the events, there may be an error.
            loop {
                let news = match events {
                    // A last line that broke off is not an event.
                    Err(error) if broke.is_some() && !error.is_reported() => break,
                    news => news.map_err(|error| self.unreadable(&error))?,
                };
                if news.is_empty() {
                    break;
                }
                has_streamed.store(true, Ordering::Relaxed);
                for event in &news {
                    deltas.send(event);
                }
                events = pieces.push_bytes(b"");
            }
        }
        // After the final event, a broken connection loses nothing.
        match pieces.finish() {
            Ok(streamed) if streamed.ended => Ok(streamed.response),
            _ => Err(broke.unwrap_or_else(failure::broke_off)),
        }
    }

    fn count(&self, length: usize) -> Result<(), ModelError> {
        let most = self.max_bytes;
        if length > most {
            let message = format!("the answer is longer than {most} bytes");
            return Err(failure::unreadable(message));
        }
        Ok(())
    }

    fn unreadable(&self, error: &WireError) -> ModelError {
        let words = self.redacted(&error.to_string());
        if error.is_reported() {
            return ModelError::new(crate::model::ModelErrorKind::Busy, words);
        }
        failure::unreadable(words)
    }
}

/// Returns the response that an error is which holds the model's own broken calls; `None` for all other errors.
fn broken_calls(sent: &Definitions, body: &[u8]) -> Option<String> {
    let mut pieces = sent.accumulator();
    pieces.push(&String::from_utf8_lossy(body)).ok()?;
    let streamed = pieces.finish().ok()?;
    streamed.ended.then_some(streamed.response)
}

fn response(completion: Completion, body: &RequestBody) -> ModelResponse {
    let text = match &body.answer {
        Some(form) => form.restore(&completion.text).into_owned(),
        None => completion.text,
    };
    ModelResponse {
        text,
        calls: completion.calls,
        hosted: completion.hosted,
        native: Some(Native {
            wire: native_name(&body.sent),
            messages: completion.messages,
        }),
        usage: completion.usage,
        loaded: completion.loaded.into_iter().map(Into::into).collect(),
        stop: completion.stop,
    }
}

/// Reads at most `most` bytes of the response.
async fn read(answer: &mut reqwest::Response, most: usize) -> Result<Vec<u8>, ModelError> {
    let mut bytes = Vec::new();
    while let Some(piece) = answer.chunk().await.map_err(failure::transport)? {
        let left = most.saturating_sub(bytes.len());
        bytes.extend(piece.iter().take(left));
        if bytes.len() >= most {
            break;
        }
    }
    Ok(bytes)
}

/// Sends a whole response to the sink.
fn send_whole(completion: &Completion, deltas: DeltaSink<'_>) {
    if !completion.text.is_empty() {
        deltas.send(&StreamEvent::Text(completion.text.clone()));
    }
    for (place, call) in completion.calls.iter().enumerate() {
        let name = call.name.to_string();
        deltas.send(&StreamEvent::Call { place, name });
        let text = call.arguments.to_string();
        deltas.send(&StreamEvent::Arguments { place, text });
    }
    for (place, call) in completion.hosted.iter().cloned().enumerate() {
        deltas.send(&StreamEvent::Hosted { place, call });
    }
}
