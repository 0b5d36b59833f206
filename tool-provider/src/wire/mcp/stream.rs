//! MCP does not stream: each event is a whole message.

use serde_json::value::RawValue;

use super::super::WireError;
use super::super::stream::tree::Tree;
use super::super::stream::{Assemble, DeltaSink};
use crate::call::ToolCall;

#[derive(Debug, Default)]
pub(in super::super) struct Stream(Vec<Tree>);

impl Assemble for Stream {
    fn event(&mut self, json: &str, sink: &mut DeltaSink) -> Result<(), WireError> {
        serde_json::from_str::<&RawValue>(json)
            .map_err(|error| WireError::json("this is not an MCP message", error))?;
        self.0.push(Tree::Raw(json.to_owned()));
        sink.ended = true;
        Ok(())
    }

    fn finish(mut self: Box<Self>, _: bool) -> (Tree, Vec<ToolCall>) {
        let response = match self.0.as_mut_slice() {
            [one] => std::mem::take(one),
            _ => Tree::List(self.0),
        };
        (response, Vec::new())
    }
}
