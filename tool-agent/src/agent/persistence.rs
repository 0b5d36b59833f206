//! Loading and saving of an agent's sessions.
//!
//! Each save names the checkpoint that it follows. Two processes that run one session at once therefore get a conflict,
//! and never two different continuations.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::{SystemTime, UNIX_EPOCH};

use serde_json::{Map, Value};
use toolwright_provider::call::ToolCall;
use toolwright_runtime::executor::UnknownOutcome;
use toolwright_runtime::tool::Context;

use super::Agent;
use super::held_lease::{HeldLease, is_releasing, released};
use crate::run::{AgentError, Run};
use crate::session::{Session, SessionError};
use crate::store::journal::{Journal, Unsaved};
use crate::store::{Checkpoint, CheckpointError, CheckpointId, Checkpointer, Lease, Written};

/// Store of an agent's sessions, with its settings.
#[derive(Clone, Default)]
pub(super) struct Persistence {
    pub(super) store: Option<Arc<dyn Checkpointer>>,
    pub(super) metadata: Map<String, Value>,
    /// Id of the session whose call runs this agent.
    pub(super) caller: Option<Arc<str>>,
}

impl Persistence {
    pub(super) fn store(&self) -> Result<&Arc<dyn Checkpointer>, CheckpointError> {
        self.store.as_ref().ok_or(CheckpointError::NoCheckpointer)
    }

    /// Saves a session, if there is a store.
    pub(super) async fn put(
        &self,
        session: &mut Session,
        written: Written,
        lease: Lease,
    ) -> Result<(), CheckpointError> {
        let after = session.saved;
        self.put_after(session, written, lease, after, after).await
    }

    /// Saves a session at the start of a run, and takes its lease if the store has leases.
    pub(super) async fn start(
        &self,
        session: &mut Session,
    ) -> Result<Option<HeldLease>, CheckpointError> {
        let start = Written::Start;
        let store = self.store.as_ref();
        let leased = store.and_then(|store| {
            // A lease of no time would be over at once.
            let term = store.lease_term().filter(|term| !term.is_zero())?;
            Some((store, term))
        });
        let Some((store, term)) = leased else {
            self.put(session, start, Lease::None).await?;
            return Ok(None);
        };
        // Only the caller's run touches this session. Whoever holds its lease has lost that of the caller.
        let lease = match &self.caller {
            Some(_) => Lease::TakeOver(term),
            None => Lease::Take(term),
        };
        self.put(session, start, lease).await?;
        let held = session
            .saved
            .map(|token| HeldLease::new(store, session.id(), token, term));
        Ok(held)
    }

    /// Returns the checkpoint of the session as it is now.
    pub(super) fn unsaved(
        &self,
        session: &Session,
        written: Written,
        lease: Lease,
        after: Option<CheckpointId>,
        parent: Option<CheckpointId>,
    ) -> Result<Unsaved, CheckpointError> {
        let body = serde_json::to_string(session).map_err(|error| {
            let words = format!("the session `{}` cannot be written", session.id());
            CheckpointError::store_with(words, error)
        })?;
        let now = SystemTime::now().duration_since(UNIX_EPOCH);
        Ok(Unsaved {
            session: session.id().to_owned(),
            after,
            parent,
            written,
            next: session.next(),
            at_ms: u64::try_from(now.unwrap_or_default().as_millis()).unwrap_or(u64::MAX),
            metadata: self.metadata.clone(),
            caller: self.caller.clone(),
            lease,
            body,
        })
    }

    async fn put_after(
        &self,
        session: &mut Session,
        written: Written,
        lease: Lease,
        after: Option<CheckpointId>,
        parent: Option<CheckpointId>,
    ) -> Result<(), CheckpointError> {
        let Some(store) = &self.store else {
            return Ok(());
        };
        let unsaved = self.unsaved(session, written, lease, after, parent)?;
        let new = unsaved.checkpoint();
        let is_releasing = is_releasing(session.id());
        let id = match store.put(new).await {
            // The holder is a run of this process that was dropped.
            Err(CheckpointError::Held { .. }) if is_releasing => {
                released(session.id()).await;
                store.put(new).await?
            }
            put => put?,
        };
        session.saved = Some(id);
        Ok(())
    }

    /// Returns the journal of one visit of the tools, if there is a store.
    pub(super) fn journal(
        &self,
        session: &Session,
        unsaved: Option<Box<Unsaved>>,
        lease: Option<CheckpointId>,
        unknown: UnknownOutcome,
        calls: Vec<ToolCall>,
        again: BTreeMap<usize, u64>,
    ) -> Result<Option<Journal>, CheckpointError> {
        let Some(store) = &self.store else {
            return Ok(None);
        };
        let Some(after) = session.saved else {
            return Err(CheckpointError::NoCheckpoint(name(session.id())));
        };
        Ok(Some(Journal::new(
            Arc::clone(store),
            session.id(),
            (after, unsaved),
            lease,
            unknown,
            calls,
            again,
        )))
    }

    /// Returns the next message of the session's inbox; `None` without a store.
    pub(super) async fn mail(&self, session: &Session) -> Result<Option<String>, CheckpointError> {
        let Some(store) = &self.store else {
            return Ok(None);
        };
        let inbox = store.inbox(session.id(), session.received, 1).await?;
        Ok(inbox.into_iter().next())
    }

    pub(super) async fn latest(&self, id: &str) -> Result<Option<Session>, CheckpointError> {
        let checkpoint = self.store()?.latest(id).await?;
        checkpoint
            .map(|checkpoint| checkpoint.session())
            .transpose()
    }

    /// Returns the stored session if it is newer than this copy of it. An error is left to the next write.
    pub(super) async fn newer(&self, session: &Session) -> Option<Session> {
        let saved = session.saved.filter(|_| self.store.is_some())?;
        let stored = self.latest(session.id()).await.ok()??;
        (stored.saved > Some(saved)).then_some(stored)
    }

    /// Loads a session that must be there.
    pub(super) async fn existing(&self, id: &str) -> Result<Session, CheckpointError> {
        let session = self.latest(id).await?;
        session.ok_or_else(|| CheckpointError::NoCheckpoint(name(id)))
    }
}

fn name(session: &str) -> String {
    format!("the session `{session}`")
}

/// Stored sessions: see [`checkpointer`](Agent::checkpointer).
impl Agent {
    /// Loads the newest stored state of the session, or `None` if there is none. Input for the session
    /// ([`Session::say`], [`Session::submit`], …) is saved when the session is [`run`](Self::run).
    ///
    /// Pending calls whose tools have changed are shown with the tools of today, as [`run`](Self::run) does: an approval of
    /// before does not count. Tools that are visible only in some contexts are left to the run.
    ///
    /// # Errors
    /// Fails without a checkpointer, or if the store cannot be read.
    pub async fn state(&self, id: &str) -> Result<Option<Session>, AgentError> {
        let Some(mut session) = self.persistence.latest(id).await? else {
            return Ok(None);
        };
        // A session of an unknown agent is as it is; a run refuses it.
        if let Ok(agent) = self.active_agent(&session) {
            let cx = Context::new();
            session.show_again(&agent.executor.tools(&cx), &cx);
        }
        Ok(Some(session))
    }

    /// Returns all checkpoints of the session, oldest first.
    ///
    /// # Errors
    /// Fails without a checkpointer, or if the store cannot be read.
    pub async fn history(&self, id: &str) -> Result<Vec<Checkpoint>, AgentError> {
        Ok(self.persistence.store()?.history(id).await?)
    }

    /// Continues the newest stored state of the session, in this process or another. Use it after a pause that needs no
    /// input, or after the process or the run ended early. A session that has completed stays completed.
    ///
    /// Calls of the turn that have ended do not run again, since their outcomes are recorded. A call that had only
    /// begun runs again if its tool is `read_only` or `idempotent`; otherwise
    /// [`on_unknown_outcome`](Self::on_unknown_outcome) decides. Another run of the session gets a
    /// conflict at its next step, and begins no further call.
    ///
    /// # Errors
    /// See [`run`](Self::run). Fails also if there is no such session.
    pub async fn resume(&self, id: &str, cx: &Context) -> Result<(Session, Run), AgentError> {
        let mut session = self.persistence.existing(id).await?;
        let run = self.run(&mut session, cx).await?;
        Ok((session, run))
    }

    /// Changes the stored session of this id between its runs. If the store has [leases](Checkpointer::lease_term), this
    /// fails while a run is in progress; otherwise the run gets a conflict.
    ///
    /// # Errors
    /// Fails without a checkpointer, if there is no such session, if `update` fails, and on a conflict. Nothing is
    /// saved then.
    pub async fn update_state(
        &self,
        id: &str,
        update: impl FnOnce(&mut Session) -> Result<(), SessionError>,
    ) -> Result<Session, AgentError> {
        let mut session = self.persistence.existing(id).await?;
        update(&mut session)?;
        let written = Written::Update;
        self.persistence
            .put(&mut session, written, Lease::None)
            .await?;
        Ok(session)
    }

    /// Leaves a message for the stored session, in its inbox. A run that goes on, here or on another machine that uses the store,
    /// takes it after the current turn, like a message of the [`queue`](Session::queue). Otherwise the next run does. Messages are
    /// taken in the order in which they were sent, each once.
    ///
    /// It begins no run. In a store with [leases](Checkpointer::lease_term), [`resume`](Self::resume) the session afterwards: if that
    /// fails with [`CheckpointError::Held`], the run that holds the lease takes the message, unless a tool or a limit ends it before
    /// it completes. Without leases, `resume` would take the session from a run that goes on.
    ///
    /// ```
    /// use toolwright::agent::testing::ScriptedModel;
    /// use toolwright::agent::{Agent, MemoryCheckpointer, ModelResponse, Session};
    /// use toolwright::{Context, Toolset};
    ///
    /// # tokio::runtime::Builder::new_current_thread().build().unwrap().block_on(async {
    /// let model = ScriptedModel::new(["Hello.", "It is noon."].map(|text| Ok(ModelResponse::text(text))));
    /// let agent = Agent::new(model, &Toolset::default()).checkpointer(MemoryCheckpointer::new());
    /// let mut session = Session::with_id("ann");
    /// session.say("Hi!").unwrap();
    /// agent.run(&mut session, &Context::new()).await.unwrap();
    ///
    /// agent.send("ann", "What time is it?").await.unwrap();
    /// let (_, run) = agent.resume("ann", &Context::new()).await.unwrap();
    /// assert_eq!(run.text(), Some("It is noon."));
    /// # });
    /// ```
    ///
    /// # Errors
    /// Fails without a checkpointer, if there is no such session, or if the store fails.
    pub async fn send(&self, id: &str, message: &str) -> Result<(), AgentError> {
        if self.persistence.store()?.send(id, message).await? {
            return Ok(());
        }
        Err(CheckpointError::NoCheckpoint(name(id)).into())
    }

    /// Goes back to an older checkpoint. A copy of it becomes the session's newest checkpoint, and its child. Nothing
    /// is deleted. After damage, use the [last good checkpoint](crate::store::Damage::last_good).
    ///
    /// The copy is another branch, and its calls are other calls. A call that ran after the checkpoint runs again if
    /// the model makes it again, with another idempotency key. Sessions of agents that paused in its calls are copies
    /// too, with other ids.
    ///
    /// # Errors
    /// Fails without a checkpointer, if there is no such checkpoint, and on a conflict.
    pub async fn branch(&self, from: CheckpointId) -> Result<Session, AgentError> {
        let store = self.persistence.store()?;
        let Some(checkpoint) = store.get(from).await? else {
            return Err(CheckpointError::NoCheckpoint(format!("number {from}")).into());
        };
        let mut session = checkpoint.session()?;
        let latest = match store.latest(session.id()).await {
            Ok(latest) => {
                // What was taken later belongs to the history that is left.
                let newest = latest.as_ref().and_then(|latest| latest.session().ok());
                session.received = newest.map_or(session.received, |newest| newest.received);
                latest.map(|latest| latest.id)
            }
            // The branch is there to leave the damaged checkpoint behind.
            Err(CheckpointError::Damaged(damage)) if damage.newest.is_some() => damage.newest,
            Err(error) => return Err(error.into()),
        };
        // No two branches follow the same newest checkpoint.
        session.branch_off(latest);
        let written = Written::Branch;
        let put =
            self.persistence
                .put_after(&mut session, written, Lease::None, latest, Some(from));
        put.await?;
        Ok(session)
    }
}
