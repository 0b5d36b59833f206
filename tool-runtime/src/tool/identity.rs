use std::any::{Any, TypeId};
use std::fmt;
use std::sync::{Arc, Weak};

use crate::tool::state::Values;
use crate::tool::{Context, Grant, State};

/// Identity of the caller: the agent, the grant, the state and the host's values. An answer for one caller must not be
/// given to another.
///
/// The host's values have types that cannot be compared, so another value is another caller. A [`Grant`] is compared.
pub(crate) struct Identity {
    agent: Option<Arc<str>>,
    grant: Option<Grant>,
    state: State,
    values: Vec<(TypeId, Weak<dyn Any + Send + Sync>)>,
}

impl Identity {
    pub(crate) fn of(cx: &Context) -> Self {
        let values = others(cx.values());
        Self {
            agent: cx.agent_id().map(Into::into),
            grant: cx.get::<Grant>().cloned(),
            state: cx.session_state().clone(),
            values: values
                .map(|(of, value)| (of, Arc::downgrade(value)))
                .collect(),
        }
    }

    /// Returns true if the context is one of the same caller.
    pub(crate) fn is_of(&self, cx: &Context) -> bool {
        let is_same = |(of, value): &(TypeId, Weak<dyn Any + Send + Sync>)| {
            let own = others(cx.values()).find(|(own, _)| own == of);
            // A weak pointer keeps its address from being used again.
            own.is_some_and(|(_, own)| Weak::as_ptr(value).addr() == Arc::as_ptr(own).addr())
        };
        self.agent.as_deref() == cx.agent_id()
            && self.grant.as_ref() == cx.get()
            && self.state == *cx.session_state()
            && self.values.len() == others(cx.values()).count()
            && self.values.iter().all(is_same)
    }
}

/// Returns the host's values that are compared by their place in memory.
fn others(values: &Values) -> impl Iterator<Item = (TypeId, &Arc<dyn Any + Send + Sync>)> {
    let grant = TypeId::of::<Grant>();
    values.of_host().filter(move |(of, _)| *of != grant)
}

impl fmt::Debug for Identity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // State and claims may be secret.
        f.write_str("Identity(..)")
    }
}
