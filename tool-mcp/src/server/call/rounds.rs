//! Rounds of a call: it runs, and its user is asked, until there is an answer.

use serde_json::Value;
use toolwright_runtime::executor::{
    DecidedCall, KeptState, PausedCalls, Pending, PendingReason, Reply, ResumedCall,
};
use toolwright_runtime::tool::Decision;

use super::super::caller;
use super::super::dispatch::Answered;
use super::super::question::{self, InputQuestion};
use super::CallTask;
use crate::protocol::{RpcError, code};

/// Number of times that one call may run again without coming further.
const ROUNDS: usize = 16;

/// A call that waits, and the state that its tool left.
#[derive(Clone)]
pub(super) struct WaitingRound {
    pub(super) pending: Pending,
    pub(super) state: Option<KeptState>,
}

/// The end of one run of a call.
enum Round {
    Ended(Answered),
    Asks(InputQuestion),
    Waits(WaitingRound),
}

impl WaitingRound {
    /// Returns the key of the call that waits inside of a paused one.
    fn inside(&self) -> Option<Value> {
        match &self.pending.reason {
            PendingReason::Decision(shown) if self.state.is_some() => shown.get("key").cloned(),
            _ => None,
        }
    }
}

impl CallTask {
    pub(super) async fn rounds(&mut self) -> Answered {
        let mut next = None;
        // Runs since the call came further: since another call inside of it waited.
        let (mut idle, mut inside) = (0, None);
        loop {
            let was_decided = next.is_some();
            let waits = match self.resumed.take() {
                Some(waits) => waits,
                None => match self.run(next.take().unwrap_or_default()).await? {
                    Round::Ended(answer) => return answer,
                    Round::Asks(_) if idle >= ROUNDS => return self.asks_too_often(),
                    Round::Asks(question) => {
                        idle += 1;
                        if let Some(answer) = self.ask(question, None).await {
                            return answer;
                        }
                        continue;
                    }
                    Round::Waits(waits) => {
                        let waiting = waits.inside();
                        idle = if waiting == inside { idle + 1 } else { 0 };
                        inside = waiting;
                        waits
                    }
                },
            };
            // A client may answer with another request, whose call would run from its beginning.
            if let PendingReason::OutcomeUnknown(error) = &waits.pending.reason {
                return self.refuse(error.clone());
            }
            self.repaired(&waits.pending.repairs);
            let is_paused = waits.state.is_some();
            match self.decision(&waits) {
                Err(_) if !self.hears_questions() => return Err(caller::not_acceptable()),
                // A decision is carried out before the call is given up.
                Err(_) if idle >= ROUNDS => return self.asks_too_often(),
                Ok(_) if idle >= ROUNDS && was_decided && !is_paused => {
                    return self.asks_too_often();
                }
                Err(question) => {
                    let paused = is_paused.then_some(&waits);
                    if let Some(answer) = self.ask(*question, paused).await {
                        return answer;
                    }
                    self.resumed = is_paused.then_some(waits);
                }
                Ok(says) => {
                    if is_paused {
                        question::forget(&mut self.answers);
                    }
                    let (paused, decided) = PausedCalls::decided(&waits.pending, waits.state, says);
                    next = Some((paused, Some(decided)));
                }
            }
        }
    }

    /// Runs the call once, or goes on with it.
    async fn run(
        &mut self,
        (paused, decided): (PausedCalls, Option<DecidedCall>),
    ) -> Result<Round, RpcError> {
        let _resumed = self.note.clone().map(|id| {
            let (calls, cx) = (&self.shared.paused, self.cx.clone());
            ResumedCall::new(calls, id, cx, paused.clone())
        });
        let running = self.start(&paused, decided).await;
        let batch = self.end(running).await;
        let Some(reply) = batch.calls().first() else {
            let words = "the call has no answer";
            return Err(RpcError::new(code::INTERNAL_ERROR, words));
        };
        let (reply, state) = paused.reply(0, reply);
        Ok(match reply.into_owned() {
            Reply::Pending(pending) => Round::Waits(WaitingRound { pending, state }),
            Reply::Answered(result) => match question::asked(&result) {
                Some(question) => {
                    self.repaired(&result.repairs);
                    Round::Asks(question)
                }
                None => Round::Ended(self.result(&result)),
            },
        })
    }

    fn asks_too_often(&self) -> Answered {
        self.refuse("the call asks its user again and again".to_owned())
    }

    fn decision(&self, waits: &WaitingRound) -> Result<Decision, Box<InputQuestion>> {
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
