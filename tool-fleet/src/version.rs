//! Which version of a tool a call was made for.

use std::borrow::Cow;

use serde::{Deserialize, Serialize};
use serde_json::Value;
use toolwright::call::ErrorKind;
use toolwright::{Tool, ToolCall, ToolDef, ToolError, Toolset};

use crate::payloads::sha256;

/// Version of a tool: what its author says, and what its arguments are.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct ToolVersion {
    /// That of `#[tool(version = "2.0")]`; empty for none.
    version: String,
    /// Digest of the input schema, without its words.
    fingerprint: String,
}

impl ToolVersion {
    pub(crate) fn of(tool: &dyn Tool) -> Self {
        Self {
            version: tool.__past().version.to_owned(),
            fingerprint: fingerprint(tool.def()),
        }
    }

    fn in_words(&self) -> String {
        let print = self.fingerprint.get(..8).unwrap_or_default();
        match &*self.version {
            "" => format!("a version without a number ({print})"),
            version => format!("version {version} ({print})"),
        }
    }

    /// Returns the call as one of today's tool: as it is, or migrated.
    pub(crate) fn migrate<'c>(
        &self,
        tools: &Toolset,
        call: &'c ToolCall,
    ) -> Result<Cow<'c, ToolCall>, ToolError> {
        let Some(tool) = tools.get(&call.name) else {
            // By an earlier name, or none of ours.
            return tools.migrate(call, &self.version);
        };
        let own = Self::of(&**tool);
        if own.fingerprint == self.fingerprint && own.version == self.version {
            return Ok(Cow::Borrowed(call));
        }
        let past = tool.__past();
        let can_migrate = past.migrate.is_some() && own.version != self.version;
        if can_migrate || !past.was_args.is_empty() {
            return tools.migrate(call, &self.version);
        }
        if own.fingerprint == self.fingerprint {
            return Ok(Cow::Borrowed(call));
        }
        let (name, theirs, ours) = (&call.name, self.in_words(), own.in_words());
        Err(ToolError::new(
            ErrorKind::NotStarted,
            format!(
                "the call is for {theirs} of `{name}`, and the worker has {ours}, which has no migration for it; nothing ran"
            ),
        )
        .permanent())
    }
}

/// Returns a digest of what arguments a tool takes.
fn fingerprint(def: &ToolDef) -> String {
    let text = def.input.as_json();
    match serde_json::from_str(text) {
        Ok(mut schema) => {
            strip_words(&mut schema);
            sha256(schema.to_string().as_bytes())
        }
        Err(_) => sha256(text.as_bytes()),
    }
}

/// Removes what a schema says to people and models: correcting a description is no new version.
fn strip_words(schema: &mut Value) {
    match schema {
        Value::Object(members) => {
            for word in ["title", "description", "examples", "$comment"] {
                members.remove(word);
            }
            for (keyword, value) in members.iter_mut() {
                match (&**keyword, value) {
                    // Their keys are names.
                    (
                        "properties" | "patternProperties" | "$defs" | "definitions"
                        | "dependentSchemas",
                        Value::Object(named),
                    ) => named.values_mut().for_each(strip_words),
                    ("const" | "enum" | "default", _) => {}
                    (_, value) => strip_words(value),
                }
            }
        }
        Value::Array(schemas) => schemas.iter_mut().for_each(strip_words),
        _ => {}
    }
}
