//! A wire that does not stream: each event is a whole message.

use serde::de::IgnoredAny;

use super::super::WireError;
use super::super::stream::{Assemble, StreamEvent, Streamed};
use super::super::write::list;

#[derive(Debug, Default)]
pub(super) struct Stream(Vec<String>);

impl Assemble for Stream {
    fn event(&mut self, json: &str, _: &mut Vec<StreamEvent>) -> Result<(), WireError> {
        serde_json::from_str::<IgnoredAny>(json)
            .map_err(|error| WireError::json("this is no MCP message", error))?;
        self.0.push(json.to_owned());
        Ok(())
    }

    fn finish(mut self: Box<Self>) -> Streamed {
        let response = match self.0.as_mut_slice() {
            [one] => std::mem::take(one),
            _ => list(self.0),
        };
        Streamed {
            response,
            ended: true,
            unfinished: Vec::new(),
        }
    }
}
