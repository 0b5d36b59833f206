//! The node in which calls are run, and what becomes of them.

use std::collections::BTreeSet;

use serde_json::json;
use toolwright_runtime::{
    Batch, Context, Decided, Decision, ErrorKind, Halted as BatchHalted, Outcome, Reply, ToolCall,
    ToolError, ToolResult, Toolset,
};

use super::lent::Lent;
use super::{Engine, Visit};
use crate::digest;
use crate::session::Wait;
use crate::tool_node::plans;
use crate::{AgentError, Asks, Assistant, Halted, Message, Node, Status, ToolMessage, Why};

impl Engine<'_> {
    pub(super) async fn visit_tools(&mut self) -> Visit {
        let cx = self.context();
        let tools = self.speaker().executor.tools(&cx);
        let decided = self.decided(&tools, &cx)?;
        let lent = self.lend(&tools)?;
        self.subs.clone_from(&lent.subs);
        let at = &mut self.session.at;
        let is_new = at.counted != Some(at.turn);
        if is_new {
            self.rounds += 1;
            // It may have been stored by somebody else.
            at.rounds = at.rounds.saturating_add(1);
            at.counted = Some(at.turn);
        }
        if !decided.is_empty() {
            let cx = lent.within(self.context());
            let batch = self.executor(&lent).decide(&decided, &cx).await;
            let places: Vec<_> = decided.iter().map(|one| one.place).collect();
            let halted = self.take(&places, &batch, &places, &lent)?;
            let goes_on = matches!(halted, None | Some(Halted::Pending));
            if !goes_on || self.not_run().is_empty() {
                return Ok(halted);
            }
        }
        let places = self.not_run();
        if !is_new {
            self.rounds += 1;
        }
        let cx = lent.within(self.context());
        let calls = self.session.thread.last_calls();
        let (all, plans): (Vec<_>, _) = ((0..calls.len()).collect(), plans(calls, &places));
        let batch = self.executor(&lent).run_planned(calls, &plans, &cx).await;
        self.take(&all, &batch, &places, &lent)
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
        let tools = self.speaker().executor.tools(&self.context());
        for pending in self.session.pending() {
            let (index, call, why) = (pending.index, pending.call, pending.why);
            if self.session.waits.iter().any(|wait| wait.index == index) {
                continue;
            }
            let digest = digest::of(&call, &tools);
            self.session.waits.push(Wait {
                index,
                call,
                why,
                digest,
                decision: None,
                sub: None,
            });
        }
    }

    /// What was decided about calls that wait, if all of it can be carried out; and calls that run an
    /// agent which goes on.
    fn decided(&mut self, tools: &Toolset, cx: &Context) -> Result<Vec<Decided>, AgentError> {
        let mut decided = Vec::new();
        let mut wrong = None;
        for wait in &mut self.session.waits {
            if wait.decision.is_none() && wait.goes_on() {
                let tool = tools.get(&wait.call.name);
                if tool.is_some_and(|tool| tool.resumes()) {
                    decided.push(Decided {
                        call: wait.call.clone(),
                        place: wait.index,
                        decision: Decision::Approve,
                    });
                } else {
                    // Its conversation would end with the call, or another tool run that nobody approved.
                    let words = "the agent that the call runs is not there any more; the call can be \
                                 answered or rejected";
                    wrong.get_or_insert(AgentError::Decision {
                        index: wait.index,
                        error: ToolError::new(ErrorKind::Rejected, words),
                    });
                }
            }
            let (Some(decision), call) = (&wait.decision, &wait.call) else {
                continue;
            };
            let holds = match decision {
                Decision::Approve if digest::of(call, tools) != wait.digest => {
                    let words = "the tool, or the call, has changed since the call was shown, and an \
                                 approval does not hold for it; the call can be edited, answered or \
                                 rejected";
                    Err(ToolError::new(ErrorKind::Rejected, words))
                }
                Decision::Edit(_) if wait.sub.is_some() => {
                    let words = "the call has begun: its arguments can no longer be changed";
                    Err(ToolError::new(ErrorKind::Rejected, words))
                }
                Decision::Edit(arguments) => {
                    let edited = ToolCall::new(&*call.id, &*call.name, arguments.to_string());
                    tools.validate_call(&edited, cx)
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

    /// Takes what became of calls into the thread. `places` says where in the turn each call of the
    /// batch stands, `ran` which of them were to run. A batch whose journal or sub-sessions could not be
    /// kept does not count.
    fn take(&mut self, places: &[usize], batch: &Batch, ran: &[usize], lent: &Lent) -> Visit {
        if let Some(error) = lent.failure() {
            self.subs = None;
            return Err(error.into());
        }
        if let Some(state) = batch.state() {
            self.session.state = state.clone();
        }
        self.count();
        let speaker = self.speaker();
        // The tools as they are seen behind the turn; made where a call waits.
        let mut tools = None;
        let (mut direct, mut ends, mut answers) = (None, None, Vec::new());
        let ran: BTreeSet<_> = ran.iter().collect();
        let waited: BTreeSet<_> = self.session.waits.iter().map(|wait| wait.index).collect();
        for (reply, index) in batch.calls().iter().zip(places) {
            let (is_new, index) = (ran.contains(index), *index);
            if !is_new {
                continue;
            }
            match reply {
                Reply::Answered(result) => {
                    match &result.outcome {
                        Ok(Outcome::ReturnDirect(value)) => {
                            direct = Some((index, value.to_plain().into_owned()));
                        }
                        Ok(Outcome::Halt { reason, value }) if !self.hands_over(result) => {
                            ends.get_or_insert(Halted::Halt {
                                index,
                                id: result.id.clone(),
                                reason: reason.clone(),
                                value: value.clone(),
                            });
                        }
                        _ => {}
                    }
                    let mut answer = ToolMessage::of(index, result, speaker.encoder);
                    if speaker.tells_edits {
                        let context = || self.context();
                        let tools = tools.get_or_insert_with(|| speaker.executor.tools(&context()));
                        self.session.tell_edit(&mut answer, tools);
                    }
                    answers.push(answer);
                }
                Reply::Pending(pending) => {
                    let sub = lent.subs.as_ref().and_then(|subs| subs.take_paused(index));
                    let record = lent
                        .journal
                        .as_ref()
                        .and_then(|journal| journal.waits(index));
                    let why = match (&sub, record) {
                        (Some(_), _) => Why::Agent,
                        (None, Some(record)) => Why::OutcomeUnknown { record },
                        (None, None) => pending.reason.clone().into(),
                    };
                    let mut waits = self.session.waits.iter();
                    let before = waited
                        .contains(&index)
                        .then(|| waits.position(|wait| wait.index == index));
                    let before = before.flatten();
                    let before = before.map(|place| self.session.waits.remove(place));
                    let tools =
                        tools.get_or_insert_with(|| speaker.executor.tools(&self.context()));
                    self.session.waits.push(Wait {
                        index,
                        why,
                        digest: digest::of(&pending.call, tools),
                        call: pending.call.clone(),
                        decision: None,
                        sub: sub.map(Box::new).or(before.and_then(|before| before.sub)),
                    });
                }
            }
        }
        self.session.take_answers(answers);
        let halted = self.halted(places, batch, direct, ends);
        self.session.settle();
        self.tell_handed_over();
        let answered = self.session.thread.unanswered().is_empty();
        if halted.is_none() && answered && self.session.take_queued() {
            self.session.at.node = Node::Model;
        }
        Ok(halted)
    }

    /// Whether the answer hands the conversation over; of several in a turn the first one counts.
    fn hands_over(&mut self, result: &ToolResult) -> bool {
        if self.is_step {
            return false;
        }
        let Some(agent) = self.agent.handed_to(result) else {
            return false;
        };
        self.session.next_agent.get_or_insert(agent);
        true
    }

    fn halted(
        &mut self,
        places: &[usize],
        batch: &Batch,
        direct: Option<(usize, String)>,
        ends: Option<Halted>,
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
            _ if self.session.question().is_some() => self.asked()?,
            _ if ends.is_some() => ends?,
            _ if self.session.is_left() => Halted::Pending,
            // Of a turn that was paused the batch knows a part.
            _ => {
                let last = self.session.thread.direct()?;
                Halted::ReturnDirect(match direct {
                    Some((index, text)) if index == last.index => text,
                    _ => last.text.clone(),
                })
            }
        })
    }

    /// The question that an agent of a call asks.
    fn asked(&self) -> Option<Halted> {
        match self.session.question()? {
            Status::AwaitingUser {
                index,
                id,
                question,
                options,
            } => Some(Halted::AskUser {
                index,
                id,
                question,
                options,
            }),
            _ => None,
        }
    }
}
