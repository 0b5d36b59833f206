//! Rounds of a call: it runs, and its user is asked, until there is an answer.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, PoisonError};

use toolwright_runtime::executor::{KeptState, PausedCall, Pending, PendingReason, Reply};

use super::super::caller;
use super::super::dispatch::Answered;
use super::super::question::{self, NextStep};
use super::CallTask;
use crate::protocol::{RpcError, code};

/// Number of times that one call may be asked about and run again.
const ROUNDS: usize = 16;

/// Number of paused calls that wait for another request. The oldest are forgotten.
const MAX_PAUSED: usize = 1024;

/// A call that waits, and the state that its tool left.
#[derive(Clone)]
pub(in crate::server) struct WaitingRound {
    pending: Pending,
    state: Option<KeptState>,
}

/// Paused calls by the id of the note that their client has.
#[derive(Clone, Default)]
pub(in crate::server) struct PausedCalls(Arc<Mutex<VecDeque<(String, WaitingRound)>>>);

impl PausedCalls {
    pub(super) fn keep(&self, id: String, call: WaitingRound) {
        let mut calls = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if calls.len() >= MAX_PAUSED {
            calls.pop_front();
        }
        calls.push_back((id, call));
    }

    pub(super) fn take(&self, id: &str) -> Option<WaitingRound> {
        let mut calls = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let place = calls.iter().position(|(kept, _)| kept == id)?;
        calls.remove(place).map(|(_, call)| call)
    }
}

impl CallTask {
    pub(super) async fn rounds(&mut self) -> Answered {
        let mut next = (PausedCall::default(), None);
        for _ in 0..ROUNDS {
            let waits = match self.resumed.take() {
                Some(waits) => waits,
                None => {
                    let (paused, decided) = std::mem::take(&mut next);
                    let running = self.start(&paused, decided).await;
                    let batch = self.end(running).await;
                    match batch.calls().first() {
                        Some(Reply::Answered(result)) => {
                            let Some(question) = question::asked(result) else {
                                return self.result(result);
                            };
                            self.repaired(&result.repairs);
                            if let Some(answer) = self.ask(question, None).await {
                                return answer;
                            }
                            continue;
                        }
                        Some(Reply::Pending(pending)) => WaitingRound {
                            pending: pending.clone(),
                            state: paused.take_state(),
                        },
                        None => {
                            let words = "the call has no answer";
                            return Err(RpcError::new(code::INTERNAL_ERROR, words));
                        }
                    }
                }
            };
            // A client may answer with another request, whose call would run from its beginning.
            if let PendingReason::OutcomeUnknown(error) = &waits.pending.reason {
                return self.refuse(error.clone());
            }
            self.repaired(&waits.pending.repairs);
            match self.next_step(&waits) {
                NextStep::Ask(_) if !self.hears_questions() => return Err(caller::not_acceptable()),
                NextStep::Ask(question) => {
                    let paused = waits.state.is_some().then_some(&waits);
                    if let Some(answer) = self.ask(question, paused).await {
                        return answer;
                    }
                    self.resumed = waits.state.is_some().then_some(waits);
                }
                NextStep::Decide(says) => {
                    if waits.state.is_some() {
                        question::forget(&mut self.answers);
                    }
                    let (paused, decided) = PausedCall::decided(&waits.pending, waits.state, says);
                    next = (paused, Some(decided));
                }
            }
        }
        self.refuse("the call asks its user again and again".to_owned())
    }

    fn next_step(&self, waits: &WaitingRound) -> NextStep {
        let tools = self.executor().tools(&self.cx);
        let seal = &self.shared.seal;
        let is_paused = waits.state.is_some();
        question::pending(
            &waits.pending,
            is_paused,
            &tools,
            &self.answers,
            self.shown,
            seal,
        )
    }
}
