use std::any::{Any, TypeId};
use std::collections::HashMap;
use std::fmt;
use std::sync::{Arc, LazyLock};

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use toolwright_schema::text::ShortStr;

/// State of a conversation: JSON values by name, stored with the conversation.
///
/// A tool reads it through its [`Context`](crate::tool::Context), a visibility function through its [`Scope`](crate::tool::Scope).
/// Default: empty.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct State(Map<String, Value>);

impl State {
    /// Makes an empty state.
    pub fn new() -> Self {
        Self::default()
    }

    /// Sets `value` under `name`.
    pub fn with(mut self, name: impl Into<String>, value: impl Into<Value>) -> Self {
        self.0.insert(name.into(), value.into());
        self
    }

    /// Returns the value under `name`.
    pub fn get(&self, name: &str) -> Option<&Value> {
        self.0.get(name)
    }

    /// Combines two states: this one takes precedence over `base`.
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

    /// Returns true if there are no values.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

/// Deepest value that a tool may store.
#[cfg(feature = "tokio")]
const LEVELS: u8 = 64;

/// Returns true if a stored conversation can be read back with this value.
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

/// Values of the host, by their types.
#[derive(Clone, Default)]
pub(crate) struct Values(HashMap<TypeId, HeldValue>);

#[derive(Clone)]
struct HeldValue {
    value: Arc<dyn Any + Send + Sync>,
    /// False for a value of this library, which does not identify the caller. Only layers use it.
    // Layers alone ask.
    #[cfg_attr(not(feature = "tokio"), allow(dead_code))]
    is_hosts: bool,
}

impl Values {
    pub(crate) fn insert<T: Any + Send + Sync>(&mut self, value: T, is_hosts: bool) {
        let value = Arc::new(value);
        self.0
            .insert(TypeId::of::<T>(), HeldValue { value, is_hosts });
    }

    pub(crate) fn get<T: Any>(&self) -> Option<&T> {
        self.0.get(&TypeId::of::<T>())?.value.downcast_ref()
    }

    /// Returns the values that the host itself added.
    #[cfg(feature = "tokio")]
    pub(crate) fn of_host(&self) -> impl Iterator<Item = (TypeId, &Arc<dyn Any + Send + Sync>)> {
        let values = self.0.iter().filter(|(_, held)| held.is_hosts);
        values.map(|(of, held)| (*of, &held.value))
    }

    /// Adds the values of other types.
    pub(crate) fn add(&mut self, others: &Self) {
        for (of, value) in &others.0 {
            let own = self.0.entry(*of);
            own.or_insert_with(|| value.clone());
        }
    }
}

impl fmt::Debug for Values {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // They may be secret.
        f.write_str("Values(..)")
    }
}

/// Facts about a conversation that decide which tools it sees; never the arguments of a call.
#[derive(Debug, Clone, Copy)]
#[non_exhaustive]
pub struct Scope<'a> {
    /// The user's last input, if known.
    pub input: Option<&'a str>,
    /// The conversation's state.
    pub state: &'a State,
    /// The turn of the run, from 0.
    pub turn: u32,
    /// Tools that the conversation has called before this turn, in order, if known. A name may be one that the tool had then.
    pub called: &'a [Arc<str>],
    values: Option<&'a Values>,
    /// Old names of tools, each with the one of today.
    old_names: &'a [(ShortStr, ShortStr)],
}

static EMPTY: LazyLock<State> = LazyLock::new(State::new);

impl<'a> Scope<'a> {
    /// Makes the scope of a conversation with this state.
    pub fn new(state: &'a State) -> Self {
        Self {
            input: None,
            state,
            turn: 0,
            called: &[],
            values: None,
            old_names: &[],
        }
    }

    /// Sets the user's last input.
    pub fn with_input(mut self, input: &'a str) -> Self {
        self.input = Some(input);
        self
    }

    /// Sets the turn of the run, from 0.
    pub fn with_turn(self, turn: u32) -> Self {
        Self { turn, ..self }
    }

    /// Sets the tools called before, in order.
    pub fn with_called(self, called: &'a [Arc<str>]) -> Self {
        Self { called, ..self }
    }

    /// Sets the old names of tools, each with the one of today.
    pub(crate) fn with_old_names(self, old_names: &'a [(ShortStr, ShortStr)]) -> Self {
        Self { old_names, ..self }
    }

    /// Returns the name that a tool has today.
    fn name_of_today<'n>(&self, name: &'n str) -> &'n str
    where
        'a: 'n,
    {
        let mut old_names = self.old_names.iter();
        let found = old_names.find(|(old, _)| **old == *name);
        found.map_or(name, |(_, today)| today)
    }

    /// Sets the values of the host.
    pub(crate) fn with_values(mut self, values: &'a Values) -> Self {
        self.values = Some(values);
        self
    }

    /// Returns the value of type `T` that the host has put into the [context](crate::tool::Context::with): structured
    /// input of a run, JSON or of a type. It is not stored with a session, so a run that continues needs it again.
    ///
    /// Agents that a tool runs know the values of their caller, too.
    ///
    /// ```
    /// use toolwright::{Context, call::Scope, tool, tools};
    ///
    /// /// The form that the user filled in.
    /// struct Order {
    ///     items: usize,
    /// }
    ///
    /// fn has_items(scope: &Scope<'_>) -> bool {
    ///     scope.get::<Order>().is_some_and(|order| order.items > 0)
    /// }
    ///
    /// /// Pays the order.
    /// #[tool(visible = has_items)]
    /// fn pay() {}
    ///
    /// let tools = tools![pay];
    /// let cx = Context::new().with(Order { items: 2 });
    /// assert_eq!(tools.visible(&cx.scope()).iter().len(), 1);
    /// assert_eq!(tools.visible(&Context::new().scope()).iter().len(), 0);
    /// ```
    pub fn get<T: Any>(&self) -> Option<&'a T> {
        self.values?.get()
    }

    /// Returns true if the conversation has called the tool before this turn. Old names of tools are known.
    pub fn has_called(&self, tool: &str) -> bool {
        let tool = self.name_of_today(tool);
        let mut called = self.called.iter();
        called.any(|called| self.name_of_today(called) == tool)
    }

    /// Returns the tool that was called last, by its name of today.
    pub fn last_called(&self) -> Option<&'a str> {
        self.called.last().map(|called| self.name_of_today(called))
    }
}

impl Default for Scope<'_> {
    fn default() -> Self {
        Self::new(&EMPTY)
    }
}
