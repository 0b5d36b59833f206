//! What a run reads before it goes on: messages of the stored inbox, and what became of calls that earlier runs began.

use toolwright_provider::call::{Outcome, StoredOutcome};

use super::Engine;
use crate::agent::stop::RecordedCall;
use crate::run::AgentError;
use crate::session::{RefusedCall, Session};
use crate::thread::ThreadMessage;

impl Engine<'_> {
    /// Takes the next message of the stored inbox. The next checkpoint stores where it was taken to.
    pub(super) async fn take_mail(&mut self) -> Result<Option<String>, AgentError> {
        if self.is_step || self.session.saved.is_none() {
            return Ok(None);
        }
        let message = self.agent.persistence.mail(self.session).await?;
        self.session.received += u64::from(message.is_some());
        Ok(message)
    }

    /// Moves late results, or the first message of the queue or else of the stored inbox, to the thread. Returns false if there is
    /// none. The next run reports an inbox that cannot be read.
    pub(super) async fn take_input(&mut self) -> bool {
        if self.session.take_queued(self.active_agent().encoder) {
            return true;
        }
        let Ok(Some(message)) = self.take_mail().await else {
            return false;
        };
        self.session.thread.push(ThreadMessage::user(message));
        true
    }

    /// Shows calls again whose tools have changed. Answers stored calls that the tools refuse, and those that were decided
    /// otherwise: by the recorded outcome, if there is one.
    pub(super) async fn read_stored(&mut self) -> Result<(), AgentError> {
        if self.session.thread.unanswered().is_empty() {
            return Ok(());
        }
        let cx = self.context();
        let tools = self.active_agent().executor.tools(&cx);
        self.session.show_again(&tools, &cx);
        let refused = self.session.refused(&tools, &cx);
        drop(cx);
        let decided = self.session.decided_otherwise();
        if refused.is_empty() && decided.is_empty() {
            return Ok(());
        }
        // Boxed, because it is rare, and the future of a run would hold it.
        let records = Box::pin(self.agent.records(self.session)).await?;
        let key =
            |session: &Session, call: &RefusedCall| session.call_key(call.index, &call.call.id);
        let mut answers = Vec::new();
        for (is_there, call) in refused {
            if is_there || records.contains_key(&key(self.session, &call)) {
                answers.push(self.agent.answer_refused(self.session, call, &records)?);
            }
        }
        for call in decided {
            let Some(record) = records.get(&key(self.session, &call)) else {
                continue;
            };
            let tool = tools.get(&call.call.name);
            let may_repeat = tool.is_some_and(|tool| tool.def().options.annotations.may_repeat());
            match end(record) {
                // An edit is not for the question of a call that has asked.
                RecordedEnd::Asks if self.session.is_edited(call.index) => {
                    answers.push(self.agent.answer_refused(self.session, call, &records)?);
                }
                RecordedEnd::Known => {
                    answers.push(self.agent.answer_refused(self.session, call, &records)?);
                }
                RecordedEnd::Unknown if !may_repeat => {
                    self.session.is_unknown(&call, record.revision, &tools);
                }
                RecordedEnd::Unknown | RecordedEnd::Asks => {}
            }
        }
        self.session.note_edits();
        if !answers.is_empty() {
            self.session.take_answers(answers);
            self.session.settle();
        }
        Ok(())
    }
}

/// How a recorded call ended.
enum RecordedEnd {
    Known,
    Unknown,
    /// It asked a person, whose answer counts.
    Asks,
}

fn end(record: &RecordedCall) -> RecordedEnd {
    let outcome = record.outcome.as_deref().map(StoredOutcome::from_json);
    match outcome.map(|outcome| outcome.map(StoredOutcome::into_outcome)) {
        None => RecordedEnd::Unknown,
        Some(Ok(Ok(Outcome::AskUser { .. }))) => RecordedEnd::Asks,
        Some(Ok(Err(error))) if error.is_outcome_unknown() => RecordedEnd::Unknown,
        // `answer_refused` reports an outcome that cannot be read.
        Some(_) => RecordedEnd::Known,
    }
}
