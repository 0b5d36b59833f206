//! The node in which calls are run, and what becomes of them.

use std::panic::{AssertUnwindSafe, catch_unwind};

use serde_json::json;
use toolwright_runtime::{
    Batch, CallPlan, Decided, Decision, ErrorKind, Event as CallEvent, Executor,
    Halted as BatchHalted, Outcome, Reply, ToolCall, ToolError,
};

use super::{Engine, Visit};
use crate::digest;
use crate::event::Event;
use crate::journal::Journal;
use crate::session::Wait;
use crate::{AgentError, Asks, Assistant, Halted, Message, Node, ToolMessage, Why};

impl Engine<'_> {
    pub(super) async fn visit_tools(&mut self) -> Visit {
        let calls = self.last_calls();
        let decided = self.decided()?;
        let journal = self.agent.keep.journal(self.session)?;
        if !decided.is_empty() {
            let cx = self.context();
            let executor = self.listening(journal.as_ref());
            let batch = executor.decide(&decided, &cx).await;
            let places: Vec<_> = decided.iter().map(|one| one.place).collect();
            let halted = self.take(&places, &batch, &places, journal.as_ref())?;
            let goes_on = matches!(halted, None | Some(Halted::Pending));
            if !goes_on || self.not_run().is_empty() {
                return Ok(halted);
            }
        }
        let places = self.not_run();
        let plan = |index| {
            if places.contains(&index) {
                CallPlan::Run
            } else {
                CallPlan::Leave
            }
        };
        let plans = (0..calls.len()).map(plan);
        let plans: Vec<_> = plans.collect();
        self.rounds += 1;
        self.session.at.rounds += 1;
        let cx = self.context();
        let executor = self.listening(journal.as_ref());
        let batch = executor.run_planned(&calls, &plans, &cx).await;
        let all: Vec<_> = (0..calls.len()).collect();
        self.take(&all, &batch, &places, journal.as_ref())
    }

    /// The places of the calls whose turn to run has not come.
    fn not_run(&self) -> Vec<usize> {
        let open = self.session.pending().into_iter();
        let open = open.filter(|pending| pending.why == Why::NotRun);
        open.map(|pending| pending.index).collect()
    }

    /// Notes the calls that are about to run as they can be seen now: what is decided about them holds
    /// for these.
    pub(super) fn show_calls(&mut self) {
        let tools = self.agent.executor.tools(&self.context());
        for pending in self.session.pending() {
            let (index, call, why) = (pending.index, pending.call, pending.why);
            if self.session.waits.iter().any(|wait| wait.index == index) {
                continue;
            }
            let digest = digest::of(&call, &tools);
            let decision = None;
            self.session.waits.push(Wait {
                index,
                call,
                why,
                digest,
                decision,
            });
        }
    }

    /// What was decided about calls that wait, if all of it can be carried out.
    fn decided(&mut self) -> Result<Vec<Decided>, AgentError> {
        let cx = self.context();
        let tools = self.agent.executor.tools(&cx);
        let mut decided = Vec::new();
        let mut wrong = None;
        for wait in &mut self.session.waits {
            let (Some(decision), call) = (&wait.decision, &wait.call) else {
                continue;
            };
            let holds = match decision {
                Decision::Approve if digest::of(call, &tools) != wait.digest => {
                    let words = "the tool has changed since the call was shown, and an approval \
                                 does not hold for it; the call can be edited, answered or rejected";
                    Err(ToolError::new(ErrorKind::Rejected, words))
                }
                Decision::Edit(arguments) => {
                    let edited = ToolCall::new(&*call.id, &*call.name, arguments.to_string());
                    tools.validate_call(&edited, &cx)
                }
                _ => Ok(()),
            };
            match holds {
                Ok(()) => decided.push(Decided {
                    call: call.clone(),
                    place: wait.index,
                    decision: decision.clone(),
                }),
                Err(error) => {
                    wait.decision = None;
                    if wait.why == Why::NotRun {
                        // Somebody wanted it otherwise: it does not run by itself any more.
                        wait.why = Why::Decision(json!({ "why": error.to_string() }));
                    }
                    let index = wait.index;
                    wrong.get_or_insert(AgentError::Decision { index, error });
                }
            }
        }
        wrong.map_or(Ok(decided), Err)
    }

    fn last_calls(&self) -> Vec<ToolCall> {
        let messages = self.session.thread.messages().iter().rev();
        let calls = messages
            .map(Message::tool_calls)
            .find(|calls| !calls.is_empty());
        calls.unwrap_or_default().to_vec()
    }

    /// What runs the calls, with those who look on at the run, and the journal further in than all
    /// layers.
    fn listening(&self, journal: Option<&Journal>) -> Executor {
        let mut executor = self.agent.executor.clone();
        if let Some(journal) = journal {
            executor = executor.layer(journal.clone());
        }
        if self.agent.listeners.is_empty() {
            return executor;
        }
        let listeners = self.agent.listeners.clone();
        executor.observe(move |event: &CallEvent<'_>| {
            for listener in &listeners {
                let _ = catch_unwind(AssertUnwindSafe(|| listener.event(&Event::Call(event))));
            }
        })
    }

    /// Takes what became of calls into the thread. `places` says where in the turn each call of the
    /// batch stands, `ran` which of them were to run. A batch whose journal could not be kept does
    /// not count.
    fn take(
        &mut self,
        places: &[usize],
        batch: &Batch,
        ran: &[usize],
        journal: Option<&Journal>,
    ) -> Visit {
        if let Some(error) = journal.and_then(Journal::failure) {
            return Err(error.into());
        }
        if let Some(state) = batch.state() {
            self.session.state = state.clone();
        }
        let tools = self.agent.executor.tools(&self.context());
        let mut direct = None;
        for (reply, &index) in batch.calls().iter().zip(places) {
            if !ran.contains(&index) {
                continue;
            }
            match reply {
                Reply::Answered(result) => {
                    if let Ok(Outcome::ReturnDirect(value)) = &result.outcome {
                        direct = Some(value.to_plain().into_owned());
                    }
                    let answer = ToolMessage::of(index, result, self.agent.encoder);
                    self.session.take_answer(answer);
                }
                Reply::Pending(pending) => {
                    self.session.waits.retain(|wait| wait.index != index);
                    self.session.waits.push(Wait {
                        index,
                        why: match journal.and_then(|journal| journal.waits(index)) {
                            Some(record) => Why::OutcomeUnknown { record },
                            None => pending.reason.clone().into(),
                        },
                        digest: digest::of(&pending.call, &tools),
                        call: pending.call.clone(),
                        decision: None,
                    });
                }
            }
        }
        let halted = self.halted(places, batch, direct);
        self.session.settle();
        let answered = self.session.thread.unanswered().is_empty();
        if halted.is_none() && answered && self.session.take_queued() {
            self.session.at.node = Node::Model;
        }
        Ok(halted)
    }

    fn halted(
        &mut self,
        places: &[usize],
        batch: &Batch,
        direct: Option<String>,
    ) -> Option<Halted> {
        let place = |index: &usize| places.get(*index).copied().unwrap_or_default();
        Some(match batch.halted() {
            Some(BatchHalted::Cancelled) => Halted::Cancelled,
            Some(BatchHalted::Aborted { .. } | BatchHalted::ToolError { .. }) => {
                match batch.error() {
                    Some(error) => Halted::ToolError(error.clone()),
                    None => Halted::Cancelled,
                }
            }
            Some(BatchHalted::AskUser {
                index,
                id,
                question,
                options,
            }) => {
                if self.session.thread.unanswered().is_empty() {
                    self.session.thread.push(Message::Assistant(Assistant {
                        text: question.clone(),
                        asks: Some(Asks {
                            id: id.clone(),
                            index: place(index),
                        }),
                        ..Assistant::default()
                    }));
                }
                Halted::AskUser {
                    index: place(index),
                    id: id.clone(),
                    question: question.clone(),
                    options: options.clone(),
                }
            }
            Some(BatchHalted::Halt {
                index,
                id,
                reason,
                value,
            }) => Halted::Halt {
                index: place(index),
                id: id.clone(),
                reason: reason.clone(),
                value: value.clone(),
            },
            _ if self.session.is_left() => Halted::Pending,
            Some(BatchHalted::ReturnDirect) if self.session.thread.unanswered().is_empty() => {
                Halted::ReturnDirect(direct.unwrap_or_default())
            }
            _ => return None,
        })
    }
}
