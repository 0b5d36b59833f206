//! Sending a request and reading its answer, whole or as a stream.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use reqwest::Client;
use reqwest::redirect::Policy;
use toolwright_runtime::{Completion, Definitions, Stop, StreamEvent};

use super::body::Body;
use super::{Endpoint, failure};
use crate::model::{DeltaSink, ModelError, ModelRequest, ModelResponse};
use crate::{Native, wire_name};

/// Time limit for making a connection.
const CONNECT: Duration = Duration::from_secs(30);
/// A wait that is longer is somebody else's decision.
const LONGEST_WAIT: Duration = Duration::from_mins(1);
const FIRST_WAIT: Duration = Duration::from_millis(500);
const LONGEST_OWN_WAIT: Duration = Duration::from_secs(8);
/// So much is read of an answer that is an error.
const MOST_OF_AN_ERROR: usize = 64 << 10;

impl Endpoint {
    pub(super) async fn send(
        &self,
        request: ModelRequest<'_>,
        deltas: DeltaSink<'_>,
    ) -> Result<ModelResponse, ModelError> {
        let body = self.body(&request, deltas.is_wanted())?;
        let told = AtomicBool::new(false);
        let mut wait = FIRST_WAIT;
        let mut left = self.retries;
        loop {
            let error = match self.attempt(&body, deltas, &told).await {
                Ok(response) => return Ok(response),
                Err(error) => error,
            };
            let asked = error.retry_after();
            let is_hopeless = !error.kind().is_transient()
                || told.load(Ordering::Relaxed)
                || asked.is_some_and(|asked| asked > LONGEST_WAIT);
            if left == 0 || is_hopeless {
                return Err(error);
            }
            left -= 1;
            tokio::time::sleep(asked.unwrap_or(wait)).await;
            wait = (wait * 2).min(LONGEST_OWN_WAIT);
        }
    }

    fn client(&self) -> Result<&Client, ModelError> {
        let client = self.client.get_or_init(|| {
            let client = Client::builder()
                .connect_timeout(CONNECT)
                .read_timeout(self.silence)
                .redirect(Policy::none())
                .user_agent(concat!("toolwright/", env!("CARGO_PKG_VERSION")));
            client.build().map_err(failure::transport)
        });
        client.as_ref().map_err(Clone::clone)
    }

    async fn attempt(
        &self,
        body: &Body,
        deltas: DeltaSink<'_>,
        told: &AtomicBool,
    ) -> Result<ModelResponse, ModelError> {
        let streams = deltas.is_wanted();
        let request = self.client()?.post(self.url(streams));
        let request = request.headers(self.headers()?).timeout(self.timeout);
        let answer = request.body(body.text.clone()).send().await;
        let mut answer = answer.map_err(failure::transport)?;
        let status = answer.status();
        if !status.is_success() {
            let headers = answer.headers().clone();
            let said = read(&mut answer, MOST_OF_AN_ERROR).await;
            let said = said.unwrap_or_default();
            return Err(self.failed(status.as_u16(), &headers, &said));
        }
        // Some imitators do not stream, whatever they are asked.
        let kind = answer.headers().get("content-type");
        let is_whole = kind.is_some_and(|kind| kind.as_bytes().starts_with(b"application/json"));
        let text = if streams && !is_whole {
            self.stream(&mut answer, &body.sent, deltas, told).await?
        } else {
            let said = read(&mut answer, self.most_bytes.saturating_add(1)).await?;
            self.count(said.len())?;
            String::from_utf8(said).map_err(failure::unreadable)?
        };
        let completion = body.sent.completion(&text);
        let completion = completion.map_err(|error| self.unreadable(&error))?;
        if streams && is_whole {
            tell(&completion, deltas);
        }
        Ok(self.response(completion, &body.sent))
    }

    /// The text of the whole response.
    async fn stream(
        &self,
        answer: &mut reqwest::Response,
        sent: &Definitions,
        deltas: DeltaSink<'_>,
        told: &AtomicBool,
    ) -> Result<String, ModelError> {
        let mut pieces = sent.accumulator();
        let mut length = 0_usize;
        let broke = loop {
            let piece = match answer.chunk().await {
                Ok(Some(piece)) => piece,
                Ok(None) => break failure::broke_off(),
                Err(error) => break failure::transport(error),
            };
            length = length.saturating_add(piece.len());
            self.count(length)?;
            let events = pieces.push_bytes(&piece);
            for event in events.map_err(|error| self.unreadable(&error))? {
                told.store(true, Ordering::Relaxed);
                deltas.send(&event);
            }
        };
        // Behind its end nothing of an answer is missed, however the connection ends. Without a beginning
        // there is no end either.
        match pieces.finish() {
            Ok(streamed) if streamed.ended => Ok(streamed.response),
            _ => Err(broke),
        }
    }

    fn count(&self, length: usize) -> Result<(), ModelError> {
        let most = self.most_bytes;
        if length > most {
            let message = format!("the answer is longer than {most} bytes");
            return Err(failure::unreadable(message));
        }
        Ok(())
    }

    fn unreadable(&self, error: &toolwright_runtime::WireError) -> ModelError {
        let words = self.redacted(&error.to_string());
        if error.is_reported() {
            return ModelError::new(crate::ModelErrorKind::Busy, words);
        }
        failure::unreadable(words)
    }

    fn response(&self, completion: Completion, sent: &Definitions) -> ModelResponse {
        ModelResponse {
            text: completion.text,
            calls: completion.calls,
            native: Some(Native {
                wire: wire_name(self.wire),
                messages: completion.messages,
            }),
            usage: completion.usage,
            cut_off: completion.stop == Some(Stop::CutOff),
            lowered: sent.is_lowered(),
        }
    }
}

/// At most so many bytes of the answer.
async fn read(answer: &mut reqwest::Response, most: usize) -> Result<Vec<u8>, ModelError> {
    let mut said = Vec::new();
    while let Some(piece) = answer.chunk().await.map_err(failure::transport)? {
        let left = most.saturating_sub(said.len());
        said.extend(piece.iter().take(left));
        if said.len() >= most {
            break;
        }
    }
    Ok(said)
}

/// Tells a response that came at once.
fn tell(completion: &Completion, deltas: DeltaSink<'_>) {
    if !completion.text.is_empty() {
        deltas.send(&StreamEvent::Text(completion.text.clone()));
    }
    for (place, call) in completion.calls.iter().enumerate() {
        let name = call.name.to_string();
        deltas.send(&StreamEvent::Call { place, name });
        let text = call.arguments.to_string();
        deltas.send(&StreamEvent::Arguments { place, text });
    }
}
