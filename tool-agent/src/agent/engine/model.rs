//! The model node: sends a request and appends the response to the thread.

use std::collections::HashSet;
use std::ops::Range;
use std::time::Duration;

use tokio::time::Instant;
use toolwright_provider::call::{ErrorKind, ToolError, ToolResult};
use toolwright_provider::definitions::Notice;
use toolwright_provider::dialect::Dialect;
use toolwright_provider::wire::{FinishReason, StreamEvent, ToolChoice};
use toolwright_runtime::toolset::Toolset;
use toolwright_schema::text::ShortStr;

use super::{Engine, VisitResult, emit, until};
use crate::event::RunEvent;
use crate::model::{DeltaSink, ModelRequest, ModelResponse};
use crate::run::{AgentError, RunEnd};
use crate::session::Node;
use crate::span::AgentSpan;
use crate::thread::{Assistant, ThreadMessage, ToolMessage};

/// How often in a row a run goes on with a response that the provider paused.
const MAX_PAUSES: u32 = 8;

impl Engine<'_> {
    pub(super) async fn visit_model(&mut self) -> VisitResult {
        for hook in self.guards().flat_map(|agent| &agent.hooks) {
            hook.before_model(self.session);
        }
        self.session.thread.check()?;
        let tools = self.active_agent().executor.tools(&self.context());
        let forced = match &self.active_agent().choice {
            ToolChoice::Specific(name) => Some(&**name),
            _ => None,
        };
        let tools = tools.load(self.session.thread.loaded().chain(forced));
        self.report_left_out(&tools)?;
        let turn = self.turn();
        let needs = self.needs(&tools);
        if let Some(refused) = self.reserve(needs)? {
            return Ok(Some(refused));
        }
        let response = self.respond(&tools, turn).await;
        let said = response.as_ref().ok().and_then(Option::as_ref);
        self.settle(needs, said.map(|(said, _)| said));
        let (mut response, duration) = match response {
            Ok(Some(response)) => response,
            Ok(None) => return Ok(Some(RunEnd::Cancelled)),
            Err(AgentError::Model(error)) if self.session.at.turn > 0 => {
                return Ok(Some(RunEnd::ModelError(error)));
            }
            Err(error) => return Err(error),
        };
        self.session.at.turn += 1;
        self.turns += 1;
        self.name_calls(&mut response);
        let run_id = &self.session.run_id();
        self.emit(&RunEvent::ModelFinished {
            session: self.session.id(),
            run_id,
            agent: self.agent_name().map(|name| &**name),
            turn,
            response: &response,
            duration,
        });
        if !response.text.is_empty() {
            self.text = Some(response.text.clone());
        }
        if response.stop != Some(FinishReason::Paused) {
            self.pauses = 0;
        }
        Ok(self.take_response(response, &tools).await)
    }

    /// Adds a response to the thread, and chooses the next node. Returns the end of the run if it ends with the response.
    async fn take_response(&mut self, response: ModelResponse, tools: &Toolset) -> Option<RunEnd> {
        let (stop, lost) = (response.stopped().cloned(), response.lost_calls());
        // The next request asks again for what was not said.
        let is_empty =
            || response.text.is_empty() && response.calls.is_empty() && response.hosted.is_empty();
        match &stop {
            None | Some(FinishReason::Paused) => {}
            Some(FinishReason::InProgress) => return stop.map(RunEnd::Stopped),
            Some(_) if is_empty() => return stop.map(RunEnd::Stopped),
            Some(_) => {}
        }
        let said = Assistant {
            text: response.text,
            calls: response.calls,
            hosted: response.hosted,
            native: response.native,
            loaded: response.loaded,
            asks: false,
        };
        let calls = said.calls.clone();
        self.session.thread.push(ThreadMessage::Assistant(said));
        let next = match (calls.is_empty(), &stop) {
            (true, Some(_)) => Node::Model,
            (true, None) => Node::End,
            (false, _) => Node::Tools,
        };
        self.session.at.node = next;
        if next == Node::Tools {
            self.session.note_tools(tools);
            self.answer_lost(lost, stop.as_ref());
        }
        for hook in self.guards().flat_map(|agent| &agent.hooks).rev() {
            hook.after_model(self.session);
        }
        if next == Node::Tools {
            let run_id = &self.session.run_id();
            self.emit(&RunEvent::CallsReady {
                session: self.session.id(),
                run_id,
                calls: &calls,
            });
        } else if self.take_input().await {
            self.session.at.node = Node::Model;
        } else if let Some(reason) = stop {
            return self.stops(reason);
        }
        None
    }

    /// Returns the end of the run if it does not go on after a response that is not a whole answer.
    fn stops(&mut self, reason: FinishReason) -> Option<RunEnd> {
        if reason == FinishReason::Paused && self.pauses < MAX_PAUSES {
            self.pauses += 1;
            return None;
        }
        Some(RunEnd::Stopped(reason))
    }

    /// Answers calls that must not run. The run ends once the others have run: a model that is asked for them again is often cut
    /// off again.
    fn answer_lost(&mut self, lost: Range<usize>, stop: Option<&FinishReason>) {
        let Some(reason) = stop.filter(|_| !lost.is_empty()) else {
            return;
        };
        let encoder = self.active_agent().encoder;
        let words =
            format!("the call did not run, since the response with it is not whole: {reason}");
        let error = ToolError::new(ErrorKind::NotStarted, words);
        let calls = self.session.thread.last_calls().iter().enumerate();
        let lost = calls.skip(lost.start).take(lost.len());
        let answers = lost.map(|(index, call)| {
            let result = ToolResult::new(call, Err(error.clone()));
            ToolMessage::of(index, &result, encoder)
        });
        let answers = answers.collect();
        self.session.thread.answer_all(answers);
        self.stopped = Some(reason.clone());
    }

    /// Returns notices of the tools that requests leave out, and the dialect. Fails if the agent requires one of them, or one
    /// that the conversation lacks.
    pub(super) fn left_out(
        &self,
        tools: &Toolset,
    ) -> Result<Option<(Vec<Notice>, Dialect)>, AgentError> {
        let agent = self.active_agent();
        let options = agent.model.definition_options();
        let left_out = options.map(|(wire, fit)| {
            let dialect = fit.dialect();
            (tools.notices(wire, dialect), dialect)
        });
        for name in &agent.required {
            let reason = match (tools.get(name), &left_out) {
                (None, _) => Some("there is no such tool in this conversation".to_owned()),
                (Some(tool), Some((notices, _))) => {
                    let name = &tool.def().name;
                    let mut notices = notices.iter();
                    let refused = notices.find(|notice| notice.tool == **name);
                    refused.map(ToString::to_string)
                }
                _ => None,
            };
            if let Some(reason) = reason {
                let tool = name.to_string();
                return Err(AgentError::RequiredTool { tool, reason });
            }
        }
        Ok(left_out)
    }

    /// Reports the tools that requests leave out, each once in a run.
    fn report_left_out(&mut self, tools: &Toolset) -> Result<(), AgentError> {
        let Some((notices, dialect)) = self.left_out(tools)? else {
            return Ok(());
        };
        let run_id = &self.session.run_id();
        for notice in &notices {
            if self.left_out.insert((notice.tool.clone(), dialect)) {
                self.emit(&RunEvent::ToolLeftOut {
                    session: self.session.id(),
                    run_id,
                    dialect,
                    notice,
                });
            }
        }
        Ok(())
    }

    /// Gives each call without an id a new one, unique in the thread, before it is published. The provider's own form
    /// of the message has no ids for these calls, so it is dropped.
    fn name_calls(&self, response: &mut ModelResponse) {
        if response.calls.iter().all(|call| !call.id.is_empty()) {
            return;
        }
        let messages = self.session.thread.messages().iter();
        let known = messages.flat_map(ThreadMessage::tool_calls);
        let known = known.chain(&response.calls).map(|call| call.id.clone());
        let known: HashSet<ShortStr> = known.collect();
        let mut made = (0_u64..).map(|number| ShortStr::from(format!("call_{number}")));
        for call in response.calls.iter_mut().filter(|call| call.id.is_empty()) {
            call.id = made.find(|made| !known.contains(made)).unwrap_or_default();
        }
        response.native = None;
    }

    /// Returns the model's response and its duration, or `None` if the run is cancelled first.
    async fn respond(
        &self,
        tools: &Toolset,
        turn: u32,
    ) -> Result<Option<(ModelResponse, Duration)>, AgentError> {
        let choice = self.choice(tools)?;
        let mut request = ModelRequest::new(&self.session.thread, tools, &choice);
        let stop = self.host.cancel();
        request.system = self.active_agent().system.as_deref();
        request.session = self.conversation();
        request.cancel = Some(&stop);
        let (session, run_id) = (self.session.id(), self.session.run_id());
        let agent = self.agent_name().map(|name| &**name);
        self.emit(&RunEvent::ModelStarted {
            session,
            run_id: &run_id,
            agent,
            turn,
            request: &request,
        });
        let began = Instant::now();
        let listener = |delta: &StreamEvent| {
            let run_id = &run_id;
            emit(
                &self.agent.listeners,
                &RunEvent::Delta {
                    session,
                    run_id,
                    delta,
                },
            );
        };
        let deltas = if self.agent.streams {
            DeltaSink::to(&listener)
        } else {
            DeltaSink::NONE
        };
        let span = AgentSpan::of_model(self.conversation());
        let response = span.around(self.active_agent().model.respond(request, deltas));
        let Some(response) = until(response, stop.cancelled()).await else {
            return Ok(None);
        };
        span.answered(&response);
        let duration = began.elapsed();
        if let Err(error) = &response {
            self.emit(&RunEvent::ModelFailed {
                session,
                run_id: &run_id,
                agent,
                turn,
                error,
                duration,
            });
        }
        let response = response.map_err(AgentError::Model)?;
        Ok(Some((response, duration)))
    }

    /// Returns the host's tool choice, or an automatic one once a forced choice was followed.
    fn choice(&self, tools: &Toolset) -> Result<ToolChoice, AgentError> {
        let choice = &self.active_agent().choice;
        let forced = matches!(choice, ToolChoice::Required | ToolChoice::Specific(_));
        let followed = if self.is_step {
            self.session.thread.is_answered()
        } else {
            self.session.at.rounds > 0
        };
        if forced && followed {
            return Ok(ToolChoice::Auto);
        }
        match choice {
            ToolChoice::Specific(name) => match tools.get(name) {
                // The name may be an old one.
                Some(tool) => Ok(ToolChoice::Specific(tool.name().into())),
                None => {
                    let message =
                        format!("the tool choice names `{name}`, and there is no such tool");
                    Err(AgentError::ToolChoice(message))
                }
            },
            ToolChoice::Required if tools.iter().next().is_none() => {
                let message = "the tool choice requires a call, and there are no tools";
                Err(AgentError::ToolChoice(message.to_owned()))
            }
            choice => Ok(choice.clone()),
        }
    }
}
