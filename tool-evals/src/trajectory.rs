use std::fmt;
use std::sync::Arc;

use serde::{Deserialize, Serialize};
use serde_json::Value;
use toolwright::executor::{TraceEvent, TraceStore, Traced, TracedCall};

/// The calls of a conversation, in order. `Display` prints one on a line.
///
/// ```
/// use serde_json::json;
/// use toolwright::executor::TraceStore;
/// use toolwright::{Context, Executor, ToolCall, tool, tools};
/// use toolwright_evals::{Order, Trajectory, call};
///
/// /// Finds an invoice.
/// #[tool]
/// fn find(customer: String) -> u32 {
///     7
/// }
///
/// /// Pays an invoice.
/// #[tool]
/// fn pay(invoice: u32, note: String) -> bool {
///     true
/// }
///
/// let trace = TraceStore::new(1000);
/// let executor = Executor::serial(&tools![find, pay]).on_event(trace.observer());
/// let calls = [
///     ToolCall::new("c1", "find", r#"{"customer": "Ada"}"#),
///     ToolCall::new("c2", "pay", r#"{"invoice": 7, "note": "Thanks!"}"#),
/// ];
/// executor.run_blocking(&calls, &Context::new().with_session("s"));
///
/// let trajectory = Trajectory::of(&trace, "s");
/// trajectory.assert(Order::Exact, &[call("find"), call("pay")]);
/// trajectory.assert(Order::InOrder, &[call("pay").containing(json!({"invoice": 7}))]);
/// let error = trajectory.check(Order::InOrder, &[call("pay"), call("find")]).unwrap_err();
/// assert!(error.starts_with("`find` is not called after `pay`"), "{error}");
/// ```
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Trajectory {
    /// The calls.
    pub calls: Vec<MadeCall>,
}

/// A call that was made.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct MadeCall {
    /// The tool's name.
    pub tool: String,
    /// Its arguments, without secrets.
    pub arguments: Value,
    /// True if it succeeded. A call that failed, or that still waits for somebody, did not.
    pub ok: bool,
}

/// A call that is wanted: [`call`] makes it. In JSON: `{"tool": "pay", "arguments": {…}}`, or `containing` in the place of
/// `arguments`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Wanted {
    tool: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    arguments: Option<Value>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    containing: Option<Value>,
}

/// How calls have to stand.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Order {
    /// These calls, in this order, and no others.
    Exact,
    /// These calls, in this order. Others may stand between.
    InOrder,
    /// These calls, in any order. Others may stand between.
    AnyOrder,
}

/// A wanted call of this tool, with any arguments.
pub fn call(tool: impl Into<String>) -> Wanted {
    Wanted {
        tool: tool.into(),
        arguments: None,
        containing: None,
    }
}

impl Wanted {
    /// Wants these arguments. `1` and `1.0` are equal, and so are objects with their keys in another order.
    pub fn with(self, arguments: Value) -> Self {
        Self {
            arguments: Some(arguments),
            ..self
        }
    }

    /// Wants arguments with these among them, in objects inside too. Lists and other values have to be equal.
    pub fn containing(self, arguments: Value) -> Self {
        Self {
            containing: Some(arguments),
            ..self
        }
    }

    fn is(&self, step: &MadeCall) -> bool {
        let (equal, part) = (self.arguments.as_ref(), self.containing.as_ref());
        self.tool == step.tool
            && equal.is_none_or(|it| fits(it, &step.arguments, false))
            && part.is_none_or(|it| fits(it, &step.arguments, true))
    }
}

/// Returns true if a value is another one, or with `part`, if its objects have at least the wanted keys.
fn fits(wanted: &Value, value: &Value, part: bool) -> bool {
    match (wanted, value) {
        (Value::Object(wanted), Value::Object(value)) => {
            (part || wanted.len() == value.len())
                && wanted
                    .iter()
                    .all(|(key, wanted)| value.get(key).is_some_and(|it| fits(wanted, it, part)))
        }
        (Value::Array(wanted), Value::Array(value)) => {
            let pairs = || wanted.iter().zip(value);
            wanted.len() == value.len() && pairs().all(|(wanted, it)| fits(wanted, it, false))
        }
        (Value::Number(wanted), Value::Number(value)) => {
            let is_float = wanted.is_f64() || value.is_f64();
            wanted == value || (is_float && wanted.as_f64() == value.as_f64())
        }
        _ => wanted == value,
    }
}

impl Trajectory {
    /// Returns the calls of a conversation that a store listened to: of all runs of its session. Calls of agents that its
    /// calls ran have sessions of their own.
    ///
    /// A store keeps its last events alone, so make it large enough.
    pub fn of(trace: &TraceStore, session: &str) -> Self {
        Self::of_events(&trace.of_session(session))
    }

    /// Returns the calls of these events. Calls of a batch stand in the order in which the model made them. A call that
    /// waited for somebody stands where it was made, with what came of it.
    pub fn of_events(events: &[Arc<TraceEvent>]) -> Self {
        let mut made: Vec<Made<'_>> = Vec::new();
        for event in events {
            let (call, ok, waits) = match &event.what {
                Traced::Finished { call, outcome, .. } => (call, outcome.is_ok(), false),
                Traced::Pending { call, .. } => (call, false, true),
                _ => continue,
            };
            let waited = made.iter_mut().find(|it| {
                let there = (&it.event.run, it.event.turn, &it.call.id, &it.call.name);
                it.waits && there == (&event.run, event.turn, &call.id, &call.name)
            });
            match waited {
                // Somebody may have edited its arguments.
                Some(waited) => (waited.call, waited.ok, waited.waits) = (call, ok, waits),
                None => made.push(Made {
                    event,
                    at: call.index,
                    call,
                    ok,
                    waits,
                }),
            }
        }
        // Batches follow each other in a conversation; within one, calls end in any order.
        let batches = |it: &Made<'_>| {
            events
                .iter()
                .position(|event| event.batch == it.event.batch)
        };
        made.sort_by_cached_key(|it| (batches(it), it.at));
        let calls = made.into_iter().map(|Made { call, ok, .. }| MadeCall {
            tool: call.name.to_string(),
            arguments: serde_json::from_str(&call.arguments)
                .unwrap_or_else(|_| Value::String(call.arguments.clone())),
            ok,
        });
        Self {
            calls: calls.collect(),
        }
    }

    /// Checks the calls.
    ///
    /// # Errors
    /// Fails if they are others. The text says which call is missing, and lists all calls. Fails too if no call is wanted
    /// where others may stand between: all calls would pass.
    pub fn check(&self, order: Order, wanted: &[Wanted]) -> Result<(), String> {
        let fault = match order {
            Order::Exact => self.exact_fault(wanted),
            Order::InOrder | Order::AnyOrder if wanted.is_empty() => Some(
                "no call is wanted, which says nothing; `Order::Exact` says that none is made"
                    .into(),
            ),
            Order::InOrder => self.order_fault(wanted),
            Order::AnyOrder => {
                let pairs = self.pairs(wanted);
                let missing = wanted.iter().zip(pairs).find(|(_, step)| step.is_none());
                missing.map(|(wanted, _)| format!("{wanted} is not called"))
            }
        };
        match fault {
            Some(fault) => Err(format!("{fault}; the calls are:\n{self}")),
            None => Ok(()),
        }
    }

    /// Asserts the calls.
    ///
    /// # Panics
    /// If they are others, with the text of [`check`](Self::check).
    #[track_caller]
    pub fn assert(&self, order: Order, wanted: &[Wanted]) {
        if let Err(fault) = self.check(order, wanted) {
            panic!("{fault}");
        }
    }

    fn exact_fault(&self, wanted: &[Wanted]) -> Option<String> {
        for (number, wanted) in (1..).zip(wanted) {
            match self.calls.get(number - 1) {
                None => return Some(format!("call {number} is missing: {wanted}")),
                Some(step) if !wanted.is(step) => {
                    return Some(format!("call {number} is not {wanted}"));
                }
                Some(_) => {}
            }
        }
        let more = self.calls.get(wanted.len())?;
        Some(format!("`{}` is one call too many", more.tool))
    }

    fn order_fault(&self, wanted: &[Wanted]) -> Option<String> {
        let mut steps = self.calls.iter();
        let mut last: Option<&Wanted> = None;
        for wanted in wanted {
            if !steps.any(|step| wanted.is(step)) {
                return Some(match last {
                    Some(last) => format!("{wanted} is not called after {last}"),
                    None => format!("{wanted} is not called"),
                });
            }
            last = Some(wanted);
        }
        None
    }

    /// Gives as many wanted calls as possible a call of their own, and returns its place.
    pub(super) fn pairs(&self, wanted: &[Wanted]) -> Vec<Option<usize>> {
        let mut taken: Vec<Option<usize>> = vec![None; self.calls.len()];
        for at in 0..wanted.len() {
            self.take(wanted, at, &mut taken, &mut vec![false; self.calls.len()]);
        }
        let place = |at| taken.iter().position(|by| *by == Some(at));
        (0..wanted.len()).map(place).collect()
    }

    /// Takes a call for a wanted one; another wanted one that had it takes another.
    fn take(
        &self,
        wanted: &[Wanted],
        at: usize,
        taken: &mut [Option<usize>],
        tried: &mut [bool],
    ) -> bool {
        let Some(want) = wanted.get(at) else {
            return false;
        };
        for (place, step) in self.calls.iter().enumerate() {
            let Some(seen) = tried.get_mut(place) else {
                continue;
            };
            if *seen || !want.is(step) {
                continue;
            }
            *seen = true;
            let by = taken.get(place).copied().flatten();
            if by.is_none_or(|other| self.take(wanted, other, taken, tried)) {
                if let Some(slot) = taken.get_mut(place) {
                    *slot = Some(at);
                }
                return true;
            }
        }
        false
    }

    /// Returns how many wanted calls can stand in order.
    pub(super) fn in_order(&self, wanted: &[Wanted]) -> usize {
        // The longest common subsequence, a row for each wanted call.
        let mut row = vec![0; self.calls.len()];
        for wanted in wanted {
            let (mut left, mut above_left) = (0, 0);
            for (best, step) in row.iter_mut().zip(&self.calls) {
                let above = *best;
                *best = if wanted.is(step) {
                    above_left + 1
                } else {
                    above.max(left)
                };
                (left, above_left) = (*best, above);
            }
        }
        row.last().copied().unwrap_or_default()
    }
}

/// A call in the events.
struct Made<'e> {
    /// Event by which it was first seen.
    event: &'e TraceEvent,
    /// Its place in the batch of that event.
    at: usize,
    call: &'e TracedCall,
    ok: bool,
    waits: bool,
}

impl fmt::Display for Trajectory {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.calls.is_empty() {
            return f.write_str("no calls\n");
        }
        for (number, step) in (1..).zip(&self.calls) {
            writeln!(f, "{number}. {step}")?;
        }
        Ok(())
    }
}

impl fmt::Display for MadeCall {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let end = if self.ok { "" } else { ", without success" };
        write!(f, "{} {}{end}", self.tool, self.arguments)
    }
}

impl fmt::Display for Wanted {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "`{}`", self.tool)?;
        if let Some(arguments) = &self.arguments {
            write!(f, " with {arguments}")?;
        }
        if let Some(part) = &self.containing {
            write!(f, " with {part} among its arguments")?;
        }
        Ok(())
    }
}
