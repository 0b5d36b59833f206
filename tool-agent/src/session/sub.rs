//! Sub-sessions: sessions of agents that calls run.

use std::collections::BTreeMap;
use std::sync::Arc;

use toolwright_provider::call::ToolCall;
use toolwright_runtime::executor::PendingReason;
use toolwright_runtime::tool::CallPlace;

use super::{CallRef, Session, SessionError, Status, WaitingCall, find, key};
use crate::store::CheckpointId;
use crate::thread::ThreadMessage;

/// Inputs for calls of one session.
pub(super) type Inputs<'a, T> = Vec<(CallRef<'a>, T)>;

/// Inputs for the agents in calls, by the places of the calls.
type InputsInside<'a, T> = BTreeMap<usize, Inputs<'a, T>>;

/// Sessions of agents that calls run. A call may run an agent ([`AgentTool`](crate::AgentTool)) in a conversation of
/// its own. If the agent waits for input, the call is pending as [`PendingReason::Agent`], and its session is
/// stored here.
///
/// Its first question is this session's too: [`say`](Self::say) and [`answer`](Self::answer) go to it. All other
/// input goes to the sub-session.
impl Session {
    /// Returns the session of the agent that a pending call runs.
    pub fn sub_session<'a>(&self, call: impl Into<CallRef<'a>>) -> Option<&Session> {
        match self.lead(call.into()) {
            (Some(index), inside) => self.sub_at(index)?.sub_session(inside),
            (None, call) => self.sub_at(self.place_of_sub(&call).ok()?),
        }
    }

    fn sub_at(&self, index: usize) -> Option<&Session> {
        self.wait(index)?.sub.as_deref()
    }

    /// Gives input to the session of the agent that a pending call runs: a decision about one of its calls, a result, a
    /// message. It continues when an agent runs this session.
    ///
    /// ```no_run
    /// # use toolwright::agent::{Session, session::SessionError};
    /// # use toolwright::call::Decision;
    /// # fn approve(session: &mut Session) -> Result<(), SessionError> {
    /// session.in_sub_session("c1", |sub| sub.decide("x7", Decision::Approve))
    /// # }
    /// ```
    ///
    /// # Errors
    /// Fails if no such call is pending, if several are, if the call runs no agent, or if `say` fails.
    pub fn in_sub_session<'a, T>(
        &mut self,
        call: impl Into<CallRef<'a>>,
        say: impl FnOnce(&mut Session) -> Result<T, SessionError>,
    ) -> Result<T, SessionError> {
        let said = match self.lead(call.into()) {
            (Some(index), inside) => self.asking(index)?.in_sub_session(inside, say),
            (None, call) => self.asking(self.place_of_sub(&call)?).and_then(say),
        }?;
        if self.awaits() {
            self.settle();
        }
        Ok(said)
    }

    /// Follows a reference: returns the place of the call whose agent has the named call, and the reference there. The place is
    /// `None` for a call of this session.
    pub(super) fn lead<'a>(&self, call: CallRef<'a>) -> (Option<usize>, CallRef<'a>) {
        match call {
            CallRef::Path(path) => match &*path {
                [first, inside @ ..] if !inside.is_empty() => {
                    (Some(*first), CallRef::Path(inside.to_vec().into()))
                }
                _ => (None, CallRef::Path(path)),
            },
            CallRef::Key(key) => {
                let leads = |wait: &&WaitingCall| {
                    let sub = wait.sub.as_ref();
                    sub.is_some_and(|sub| sub.has_key(&key))
                };
                if let Some(index) = self.place_of_key(&key) {
                    (None, CallRef::Index(index))
                } else {
                    let wait = self.waits.iter().find(leads);
                    (wait.map(|wait| wait.index), CallRef::Key(key))
                }
            }
            call => (None, call),
        }
    }

    /// Splits inputs into those for calls of this session, and those for the agents in its calls. Fails if the call of such an
    /// agent is decided.
    pub(super) fn split<'a, T>(
        &self,
        inputs: impl IntoIterator<Item = (CallRef<'a>, T)>,
    ) -> Result<(Inputs<'a, T>, InputsInside<'a, T>), SessionError> {
        let (mut own, mut inside) = (Vec::new(), InputsInside::new());
        for (call, input) in inputs {
            match self.lead(call) {
                (None, call) => own.push((call, input)),
                (Some(index), call) => {
                    self.check_undecided(index)?;
                    inside.entry(index).or_default().push((call, input));
                }
            }
        }
        Ok((own, inside))
    }

    /// Gives inputs to copies of the sessions in calls. [`put_subs`](Self::put_subs) keeps the copies.
    pub(super) fn give_inside<'a, T>(
        &self,
        inputs: InputsInside<'a, T>,
        give: impl Fn(&mut Session, Inputs<'a, T>) -> Result<(), SessionError>,
    ) -> Result<Vec<(usize, Session)>, SessionError> {
        let given = inputs.into_iter().map(|(index, inputs)| {
            let sub = self.sub_at(index).map(Session::same);
            let mut sub = sub.ok_or_else(|| SessionError::UnknownCall(index.to_string()))?;
            give(&mut sub, inputs).map_err(|error| error.at(index))?;
            Ok((index, sub))
        });
        given.collect()
    }

    pub(super) fn put_subs(&mut self, subs: Vec<(usize, Session)>) {
        for (index, sub) in subs {
            if let Some(wait) = self.wait_mut(index) {
                wait.sub = Some(Box::new(sub));
            }
            if self.awaits() {
                self.settle();
            }
        }
    }

    /// Returns the place of the call of the last turn that has this key.
    pub(super) fn place_of_key(&self, key: &str) -> Option<usize> {
        let turn = format!("{}/{}/", self.run_id(), self.turn());
        let (index, _) = key.strip_prefix(&turn)?.split_once('/')?;
        let index = index.parse().ok()?;
        let call = self.thread.last_calls().get(index)?;
        (self.call_key(index, &call.id) == key).then_some(index)
    }

    /// Returns the call of this conversation that ran the agent of this session, or an agent around it.
    pub(super) fn call_around(&self, session: &str) -> Option<&ToolCall> {
        // Its id begins with the call's key: run, turn, place, and the call's id.
        let inside = session.strip_prefix(&*self.id)?.strip_prefix('/')?;
        let mut parts = inside.splitn(4, '/').skip(2);
        let (index, rest) = (parts.next()?.parse::<usize>().ok()?, parts.next()?);
        let messages = self.thread.messages().iter().rev();
        let mut calls = messages.filter_map(|message| message.tool_calls().get(index));
        calls.find(|call| {
            let behind = rest.strip_prefix(&*call.id);
            behind.is_some_and(|behind| behind.starts_with(['@', '#']))
        })
    }

    /// Returns the name of the tool whose open call ran this detached session.
    pub(crate) fn tool_of_detached(&self, paused: &Session) -> Option<&str> {
        let suffix = format!("@{}", self.born);
        let key = paused.id().strip_suffix(&*suffix)?;
        self.thread
            .messages()
            .iter()
            .find_map(|message| match message {
                ThreadMessage::Tool(answer) if answer.open.as_deref() == Some(key) => {
                    Some(&*answer.name)
                }
                _ => None,
            })
    }

    /// Returns true if a call of the last turn here, or of an agent in it, has this key.
    pub(super) fn has_key(&self, key: &str) -> bool {
        let mut inside = self.waits.iter().filter_map(|wait| wait.sub.as_ref());
        self.place_of_key(key).is_some() || inside.any(|sub| sub.has_key(key))
    }

    /// Makes the session a branch after this checkpoint. Its calls get other idempotency keys.
    pub(crate) fn branch_off(&mut self, behind: Option<CheckpointId>) {
        self.branch = behind;
        self.rename_subs();
    }

    /// Gives all sub-sessions new ids and marks them as never saved. The originals may have continued. Waiting calls have no record
    /// under their new keys.
    fn rename_subs(&mut self) {
        let (run, turn) = (self.run_id(), self.turn());
        for wait in &mut self.waits {
            wait.forget_record();
            let Some(sub) = &mut wait.sub else { continue };
            let place = CallPlace::new(&run, turn, wait.index, &*wait.call.id);
            sub.id = id_of(&place.key(), &self.born);
            sub.saved = None;
            sub.received = 0;
            sub.rename_subs();
        }
    }

    /// Returns the place of a call that runs an agent.
    fn place_of_sub(&self, call: &CallRef<'_>) -> Result<usize, SessionError> {
        let mut pending = self.pending();
        pending.retain(|pending| self.wait(pending.index).is_some());
        let found = find(pending.iter().map(key), call)?;
        let index = pending.get(found).map(|pending| pending.index);
        index.ok_or_else(|| SessionError::UnknownCall(call.to_string()))
    }

    /// Returns true if an agent can run the session as it stands.
    pub(crate) fn goes_on(&self) -> bool {
        match self.status() {
            Status::Idle | Status::Interrupted { .. } | Status::Completed => true,
            Status::AwaitingTools | Status::AwaitingUser { .. } => self.is_decided(),
            Status::Failed { .. } => false,
        }
    }

    /// Returns the session of the agent that the call at this place runs.
    pub(super) fn asking(&mut self, index: usize) -> Result<&mut Session, SessionError> {
        self.check_undecided(index)?;
        let sub = self
            .wait_mut(index)
            .and_then(|wait| wait.sub.as_deref_mut());
        sub.ok_or_else(|| SessionError::UnknownCall(index.to_string()))
    }
}

/// Returns the session id of the agent that a call runs, from the call's key and the calling session's mark. A repeated
/// call has the same id.
pub(crate) fn id_of(key: &str, born: &str) -> Arc<str> {
    format!("{key}@{born}").into()
}

impl WaitingCall {
    /// Returns true if the call runs an agent that can continue.
    pub(crate) fn goes_on(&self) -> bool {
        self.reason == PendingReason::Agent && self.sub.as_ref().is_some_and(|sub| sub.goes_on())
    }
}
