//! Storing and loading an agent's sessions.

use std::sync::Arc;
use std::time::{SystemTime, UNIX_EPOCH};

use serde_json::{Map, Value};
use toolwright_runtime::Context;

use super::Agent;
use crate::journal::Journal;
use crate::{
    AgentError, Checkpoint, CheckpointError, CheckpointId, Checkpointer, NewCheckpoint, Run,
    Session, SessionError, UnknownOutcome, Written,
};

/// Store of an agent's sessions, and its settings.
#[derive(Clone, Default)]
pub(super) struct Persistence {
    pub(super) store: Option<Arc<dyn Checkpointer>>,
    pub(super) unknown: UnknownOutcome,
    pub(super) metadata: Map<String, Value>,
}

impl Persistence {
    fn store(&self) -> Result<&Arc<dyn Checkpointer>, CheckpointError> {
        self.store.as_ref().ok_or(CheckpointError::NoCheckpointer)
    }

    /// Saves a session, if there is a store.
    pub(super) async fn put(
        &self,
        session: &mut Session,
        written: Written,
    ) -> Result<(), CheckpointError> {
        let after = session.saved;
        self.put_after(session, written, after, after).await
    }

    async fn put_after(
        &self,
        session: &mut Session,
        written: Written,
        after: Option<CheckpointId>,
        parent: Option<CheckpointId>,
    ) -> Result<(), CheckpointError> {
        let Some(store) = &self.store else {
            return Ok(());
        };
        let body = serde_json::to_string(session).map_err(|error| {
            let words = format!("the session `{}` cannot be written", session.id());
            CheckpointError::store_with(words, error)
        })?;
        let now = SystemTime::now().duration_since(UNIX_EPOCH);
        let new = NewCheckpoint {
            session: session.id(),
            after,
            parent,
            written,
            next: session.next(),
            at_ms: u64::try_from(now.unwrap_or_default().as_millis()).unwrap_or(u64::MAX),
            metadata: &self.metadata,
            body: &body,
        };
        let id = store.put(new).await?;
        session.saved = Some(id);
        Ok(())
    }

    /// Returns the journal of one visit of the tools, if there is a store.
    pub(super) fn journal(&self, session: &Session) -> Result<Option<Journal>, CheckpointError> {
        let Some(store) = &self.store else {
            return Ok(None);
        };
        let Some(after) = session.saved else {
            return Err(CheckpointError::NoCheckpoint(name(session.id())));
        };
        Ok(Some(Journal::new(
            Arc::clone(store),
            session.id(),
            after,
            self.unknown,
            session.thread().last_calls().to_vec(),
            session.again().collect(),
        )))
    }

    pub(super) async fn latest(&self, id: &str) -> Result<Option<Session>, CheckpointError> {
        let checkpoint = self.store()?.latest(id).await?;
        checkpoint
            .map(|checkpoint| checkpoint.session())
            .transpose()
    }
}

fn name(session: &str) -> String {
    format!("the session `{session}`")
}

/// Sessions that are kept; see [`checkpointer`](Agent::checkpointer).
impl Agent {
    /// Loads the newest stored session of this id; `None` if there is none. Input for the session
    /// ([`Session::reply`], [`Session::submit`], …) is saved when the session is [`run`](Self::run).
    ///
    /// # Errors
    /// When the agent has no checkpointer, and when the store cannot be read.
    pub async fn state(&self, id: &str) -> Result<Option<Session>, AgentError> {
        Ok(self.persistence.latest(id).await?)
    }

    /// Returns all checkpoints of the session, the oldest first.
    ///
    /// # Errors
    /// When the agent has no checkpointer, and when the store cannot be read.
    pub async fn history(&self, id: &str) -> Result<Vec<Checkpoint>, AgentError> {
        Ok(self.persistence.store()?.history(id).await?)
    }

    /// Goes on with the newest stored session of this id, in this process or another. Use it after a pause that needs
    /// nobody, or after the process or the run ended early. A session that has ended stays so.
    ///
    /// Calls of the turn that have ended are not run again, since their outcomes were recorded. Calls that had begun
    /// run again if their tools are `read_only` or `idempotent`; [`on_unknown_outcome`](Self::on_unknown_outcome)
    /// decides about the others. Anybody else who still runs the session gets a conflict at the next step, and begins
    /// no further call.
    ///
    /// # Errors
    /// See [`run`](Self::run); also when there is no such session.
    pub async fn resume(&self, id: &str, cx: &Context) -> Result<(Session, Run), AgentError> {
        let session = self.persistence.latest(id).await?;
        let mut session = session.ok_or_else(|| CheckpointError::NoCheckpoint(name(id)))?;
        let run = self.run(&mut session, cx).await?;
        Ok((session, run))
    }

    /// Changes the session of this id where it stands, between its runs. Whoever runs it meanwhile
    /// meets a conflict.
    ///
    /// # Errors
    /// When the agent has no checkpointer, when there is no such session, when `update` fails, and on a
    /// conflict; then nothing is kept.
    pub async fn update_state(
        &self,
        id: &str,
        update: impl FnOnce(&mut Session) -> Result<(), SessionError>,
    ) -> Result<Session, AgentError> {
        let session = self.persistence.latest(id).await?;
        let mut session = session.ok_or_else(|| CheckpointError::NoCheckpoint(name(id)))?;
        update(&mut session)?;
        self.persistence.put(&mut session, Written::Update).await?;
        Ok(session)
    }

    /// Goes back to an older checkpoint: a copy of it becomes the session's newest one, and its child.
    /// Nothing is deleted.
    ///
    /// A session whose newest checkpoint is damaged goes on so from the [last one that is whole](crate::Damage::last_good).
    ///
    /// It is another branch, whose calls are other calls: what ran behind the checkpoint runs again if
    /// the model calls it again, with other idempotency keys. Conversations of agents that paused in its calls are copies too,
    /// with other ids.
    ///
    /// # Errors
    /// When the agent has no checkpointer, when there is no such checkpoint, and on a conflict.
    pub async fn branch(&self, from: CheckpointId) -> Result<Session, AgentError> {
        let store = self.persistence.store()?;
        let Some(checkpoint) = store.get(from).await? else {
            return Err(CheckpointError::NoCheckpoint(format!("number {from}")).into());
        };
        let mut session = checkpoint.session()?;
        let latest = match store.latest(session.id()).await {
            Ok(latest) => latest.map(|latest| latest.id),
            // To go back behind what is damaged is what is wanted.
            Err(CheckpointError::Damaged(damage)) if damage.newest.is_some() => damage.newest,
            Err(error) => return Err(error.into()),
        };
        // No two branches begin behind the same newest checkpoint.
        session.branch_off(latest);
        let written = Written::Branch;
        let put = self
            .persistence
            .put_after(&mut session, written, latest, Some(from));
        put.await?;
        Ok(session)
    }
}
