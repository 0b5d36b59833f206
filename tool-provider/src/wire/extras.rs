//! Keys that a provider knows and this library does not write: a tool's extras, which go to one wire alone.

use std::fmt;

use serde_json::{Map, Value};

use super::Wire;
use super::tool_declaration::ToolDeclaration;
use crate::call::{SortedKeys, ToolDef};
use toolwright_json::ObjectWriter;
use toolwright_schema::text::Printable;

/// Error of a tool's extras: see `with_extras` of a tool.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum ExtrasError {
    /// The extras are not JSON objects.
    NotAnObject {
        /// The wire that they are for.
        wire: Wire,
    },
    /// Definitions of this wire have keys of these names already.
    OwnKeys {
        /// The wire that they are for.
        wire: Wire,
        /// The keys, sorted.
        keys: Vec<String>,
    },
}

impl fmt::Display for ExtrasError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NotAnObject { wire } => write!(f, "the extras for {wire:?} are not JSON objects"),
            Self::OwnKeys { wire, keys } => {
                let keys = keys.iter().map(|key| format!("`{}`", Printable::new(key)));
                let keys: Vec<_> = keys.collect();
                write!(
                    f,
                    "the extras for {wire:?} name keys that its definitions have already: {}",
                    keys.join(", ")
                )
            }
        }
    }
}

impl std::error::Error for ExtrasError {}

impl Wire {
    /// Returns the keys that are written at a definition's own level, by whatever dialect.
    const fn own_keys(self) -> &'static [&'static str] {
        match self {
            Self::OpenAiChat | Self::Ollama => &["type", "function"],
            Self::OpenAiResponses => &["type", "name", "description", "parameters", "strict"],
            Self::Anthropic => &["name", "description", "input_schema", "strict"],
            Self::Gemini => &["name", "description", "parameters", "parametersJsonSchema"],
            Self::BedrockConverse => &["name", "description", "inputSchema"],
            Self::Mcp | Self::Mcp2026 => &[
                "name",
                "title",
                "description",
                "inputSchema",
                "outputSchema",
                "annotations",
                "icons",
                "_meta",
            ],
        }
    }
}

impl ToolDef {
    /// Adds extras for a wire. Later values replace earlier ones of the same key.
    ///
    /// # Errors
    /// Fails if the extras are not an object, or name a key that definitions of the wire have already.
    #[doc(hidden)]
    pub fn with_extras(mut self, wire: Wire, extras: Value) -> Result<Self, ExtrasError> {
        let Value::Object(extras) = extras else {
            return Err(ExtrasError::NotAnObject { wire });
        };
        let own = |key: &&String| wire.own_keys().contains(&key.as_str());
        let mut keys: Vec<_> = extras.keys().filter(own).cloned().collect();
        keys.sort_unstable();
        if !keys.is_empty() {
            return Err(ExtrasError::OwnKeys { wire, keys });
        }
        if extras.is_empty() {
            return Ok(self);
        }
        let mut all = Map::from(std::mem::take(&mut self.extras));
        let of_wire = all.entry(name(wire)).or_insert(Value::Null);
        if let Value::Object(there) = of_wire {
            there.extend(extras);
        } else {
            *of_wire = extras.into();
        }
        self.extras = all.into();
        Ok(self)
    }
}

/// Returns the name under which a definition has a wire's extras.
fn name(wire: Wire) -> String {
    format!("{wire:?}")
}

impl ToolDeclaration<'_> {
    /// Returns true if the tool's extras for this wire have the key.
    pub(super) fn has_extra(&self, key: &str) -> bool {
        let extras = self.def.extras.get(&name(self.wire));
        extras.is_some_and(|extras| extras.get(key).is_some())
    }

    /// Adds the tool's extras for this wire, in the order of their keys.
    pub(super) fn with_extras(&self, object: ObjectWriter) -> ObjectWriter {
        let extras = &self.def.extras;
        if extras.is_empty() {
            return object;
        }
        let Some(Value::Object(extras)) = extras.get(&name(self.wire)) else {
            return object;
        };
        // A stored definition may have been edited: a key of ours is never written twice.
        let own = self.wire.own_keys();
        let extras = extras
            .iter()
            .filter(|(key, _)| !own.contains(&key.as_str()));
        let mut extras: Vec<_> = extras.collect();
        extras.sort_unstable_by_key(|(key, _)| *key);
        extras.into_iter().fold(object, |object, (key, value)| {
            let value = serde_json::to_string(&SortedKeys(value));
            object.json(key, &value.unwrap_or_else(|_| "null".to_owned()))
        })
    }
}
