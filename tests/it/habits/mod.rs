//! What providers do beside their documentation: each test is a habit that was seen, in a case of our own.
// A test that finds less than it expects has failed.
#![allow(clippy::unwrap_used, clippy::indexing_slicing)]

mod content;
mod ends;
mod errors;
mod hosted;
mod next_request;
mod scripts;
mod streams;
mod usage;

use serde_json::Value;
use toolwright::{
    Wire,
    wire::{Completion, HostedCall, StreamEvent, Streamed},
};

/// The events of a stream, and the response that they make.
pub(super) fn stream(wire: Wire, events: &[Value]) -> (Vec<StreamEvent>, Streamed) {
    let mut accumulator = wire.accumulator();
    let mut told = Vec::new();
    for event in events {
        told.extend(accumulator.push(&event.to_string()).unwrap());
    }
    (told, accumulator.finish().unwrap())
}

/// The words that were told.
pub(super) fn words(told: &[StreamEvent]) -> String {
    let words = told.iter().filter_map(|event| match event {
        StreamEvent::Text(text) => Some(&**text),
        _ => None,
    });
    words.collect()
}

pub(super) fn read(wire: Wire, response: &Value) -> Completion {
    wire.completion(&response.to_string()).unwrap()
}

/// The calls of the provider's own tools as the last events of each place say.
pub(super) fn hosted(told: &[StreamEvent]) -> Vec<HostedCall> {
    let mut calls = Vec::new();
    for event in told {
        if let StreamEvent::Hosted { place, call } = event {
            assert!(*place <= calls.len(), "{told:?}");
            match calls.get_mut(*place) {
                Some(known) => *known = call.clone(),
                None => calls.push(call.clone()),
            }
        }
    }
    calls
}
