//! What is said: the same words to every server.

use std::fmt::Write;

use crate::server::Failure;
use memchr::memmem;
use serde_json::Value;
use toolwright_benches_measure::arguments::{ADD, order};
use toolwright_benches_measure::hand;

/// The version of the protocol that has sessions, which begin with a greeting.
pub(crate) const SESSIONS: &str = "2025-11-25";
/// The version whose every request says all about itself.
pub(crate) const STATELESS: &str = "2026-07-28";

/// What follows the greeting.
pub(crate) const READY: &str = r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#;

/// The greeting of a session.
pub(crate) fn hello() -> String {
    format!(
        r#"{{"jsonrpc":"2.0","id":0,"method":"initialize","params":{{"protocolVersion":"{SESSIONS}","capabilities":{{}},"clientInfo":{{"name":"rate","version":"1"}}}}}}"#
    )
}

/// A call that is made again and again, each time under another id.
#[derive(Clone)]
pub(crate) struct Call {
    pub(crate) tool: &'static str,
    arguments: String,
    /// All after the id.
    rest: String,
    /// What every answer has in it; empty until one was looked at.
    pub(crate) mark: String,
}

impl Call {
    /// The calls that are measured, as this version of the protocol writes them.
    pub(crate) fn all(version: &str) -> [Self; 2] {
        [("add", ADD.to_owned()), ("create_order", order())].map(|(tool, arguments)| {
            let meta = if version == STATELESS {
                format!(
                    r#","_meta":{{"io.modelcontextprotocol/protocolVersion":"{STATELESS}","io.modelcontextprotocol/clientInfo":{{"name":"rate","version":"1"}},"io.modelcontextprotocol/clientCapabilities":{{}}}}"#
                )
            } else {
                String::new()
            };
            let rest = format!(
                r#","method":"tools/call","params":{{"name":"{tool}","arguments":{arguments}{meta}}}}}"#
            );
            let mark = String::new();
            Self { tool, arguments, rest, mark }
        })
    }

    /// Puts the message with this id at the end of `out`.
    pub(crate) fn write(&self, id: u64, out: &mut String) {
        let _ = write!(out, r#"{{"jsonrpc":"2.0","id":{id}"#);
        out.push_str(&self.rest);
    }

    /// Looks at a whole answer, which has to say what the tool says, and notes what all the others have to have in them.
    pub(crate) fn learn(&mut self, answer: &[u8]) -> Result<(), Failure> {
        let text = std::str::from_utf8(answer)?;
        // An answer over HTTP may be an event, after one that only says that there is a stream.
        let json = text
            .lines()
            .map(|line| line.strip_prefix("data:").unwrap_or(line).trim());
        let json = json.filter(|line| line.starts_with('{')).next_back();
        let said: Value = serde_json::from_str(json.ok_or_else(|| format!("no answer: {text}"))?)?;
        let result = &said["result"];
        let said = result["content"][0]["text"].as_str();
        let said = said.ok_or_else(|| format!("no text: {text}"))?;
        let right: Value = serde_json::from_str(&hand::call(self.tool, &self.arguments)?)?;
        let is_structured = match &result["structuredContent"] {
            Value::Null => self.tool == "add",
            structured => *structured == right,
        };
        if result["isError"] == true
            || !is_structured
            || serde_json::from_str::<Value>(said)? != right
        {
            return Err(format!("{right} is not what this says: {text}").into());
        }
        self.mark = format!(r#""text":{}"#, serde_json::to_string(said)?);
        self.check(answer)
    }

    /// Whether this is an answer like the one that was looked at.
    pub(crate) fn check(&self, answer: &[u8]) -> Result<(), Failure> {
        match memmem::find(answer, self.mark.as_bytes()) {
            Some(_) => Ok(()),
            None => Err(format!("not {}: {}", self.mark, String::from_utf8_lossy(answer)).into()),
        }
    }
}
