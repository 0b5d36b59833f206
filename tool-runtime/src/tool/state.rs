use std::sync::{Arc, LazyLock};

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// What a conversation knows: JSON values by name, so that it can be stored with the conversation.
///
/// A tool reads it through its [`Context`](crate::Context), a visibility function through its
/// [`Scope`](crate::Scope). Where a host gives none, it is empty.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct State(Map<String, Value>);

impl State {
    /// An empty state.
    pub fn new() -> Self {
        Self::default()
    }

    /// The same state with `value` under `name`.
    pub fn with(mut self, name: impl Into<String>, value: impl Into<Value>) -> Self {
        self.0.insert(name.into(), value.into());
        self
    }

    /// The value under `name`.
    pub fn get(&self, name: &str) -> Option<&Value> {
        self.0.get(name)
    }

    /// What this state knows, and of what it does not know, what `base` does.
    pub(crate) fn over(&self, base: &Self) -> Self {
        let mut values = base.0.clone();
        values.extend(self.0.clone());
        Self(values)
    }

    /// Sets each value in turn.
    #[cfg(feature = "tokio")]
    pub(crate) fn updated(self, updates: &[(String, Value)]) -> Self {
        let updates = updates.iter().cloned();
        updates.fold(self, |state, (name, value)| state.with(name, value))
    }

    /// Whether nothing is in it.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

/// So many levels a value may have that a tool lets a conversation know.
#[cfg(feature = "tokio")]
const LEVELS: u8 = 64;

/// Whether a value can be read back out of the text of a conversation.
#[cfg(feature = "tokio")]
pub(crate) fn is_storable(value: &Value) -> bool {
    fn has(value: &Value, levels: u8) -> bool {
        match value {
            Value::Array(items) => levels > 0 && items.iter().all(|item| has(item, levels - 1)),
            Value::Object(map) => levels > 0 && map.values().all(|item| has(item, levels - 1)),
            _ => true,
        }
    }
    has(value, LEVELS)
}

impl From<Map<String, Value>> for State {
    fn from(values: Map<String, Value>) -> Self {
        Self(values)
    }
}

/// What decides whether a tool is offered: the conversation, never the arguments of a call.
#[derive(Debug, Clone, Copy)]
#[non_exhaustive]
pub struct Scope<'a> {
    /// What the user asked last, if the host knows.
    pub input: Option<&'a str>,
    /// What the conversation knows.
    pub state: &'a State,
    /// The turn of the run, from 0.
    pub turn: u32,
    /// The tools that the conversation has called before this turn, in order, as far as the host
    /// says so.
    pub called: &'a [Arc<str>],
}

static EMPTY: LazyLock<State> = LazyLock::new(State::new);

impl<'a> Scope<'a> {
    /// A conversation that knows `state`.
    pub fn new(state: &'a State) -> Self {
        Self {
            input: None,
            state,
            turn: 0,
            called: &[],
        }
    }

    /// The same conversation, with what the user asked.
    pub fn with_input(self, input: &'a str) -> Self {
        Self {
            input: Some(input),
            ..self
        }
    }

    /// The same conversation, in this turn of the run, from 0.
    pub fn with_turn(self, turn: u32) -> Self {
        Self { turn, ..self }
    }

    /// The same conversation, which has called these tools, in order.
    pub fn with_called(self, called: &'a [Arc<str>]) -> Self {
        Self { called, ..self }
    }

    /// Whether the conversation has called the tool before this turn.
    pub fn has_called(&self, tool: &str) -> bool {
        self.called.iter().any(|called| **called == *tool)
    }

    /// The tool that the conversation called last.
    pub fn last_called(&self) -> Option<&'a str> {
        self.called.last().map(|called| &**called)
    }
}

impl Default for Scope<'_> {
    fn default() -> Self {
        Self::new(&EMPTY)
    }
}
