//! One `tools/call`, until there is an answer or something to ask.

use std::sync::Arc;
use std::time::Duration;

use rmcp::RoleServer;
use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CancelledNotificationParam, ClientCapabilities,
    ClientResult, ElicitRequest, ElicitationCapability, ErrorCode, ErrorData, InputRequest,
    InputRequests, InputRequiredResult, ProgressToken, ProtocolVersion, ServerRequest,
};
use rmcp::service::{PeerRequestOptions, RequestContext};
use toolwright_provider::call::{Encoder, ErrorKind, Outcome, ToolCall, ToolResult};
use toolwright_provider::wire::Wire;
use toolwright_runtime::executor::{Batch, Decided, PendingReason, Reply};
use toolwright_runtime::tool::{Context, Progress};
use toolwright_schema::decode::Repair;

use super::begun::{self, Begun, Running};
use super::question::{self, Next, Question, Said};
use super::request::Riding;
use super::session::Session;
use super::state::State;
use super::{NEEDS, Shared, progress, raw};
use crate::elicit::{ElicitResult, ElicitResults};
use crate::outside::repaired_before;

/// How often one call may be asked about and run again.
const ROUNDS: usize = 16;

/// How long an answer that was read may take to whoever waits for it.
const STILL_HEARD: Duration = Duration::from_millis(500);

/// A call, and what is known of who asks for it.
struct Asked<'s> {
    shared: &'s Arc<Shared>,
    request: RequestContext<RoleServer>,
    call: ToolCall,
    cx: Context,
    /// Questions are part of the answer, and the client asks again with what was said.
    is_2026: bool,
    /// The client reads what the call says on its way.
    logs: bool,
    answers: ElicitResults,
    /// Which arguments the answer to an approval is about.
    shown: Option<u64>,
    /// How the arguments were repaired, as was said before a question.
    repairs: Vec<Repair>,
}

/// Answers the request.
pub(super) async fn answer(
    shared: &Arc<Shared>,
    session: &Arc<Session>,
    mut params: CallToolRequestParams,
    mut request: RequestContext<RoleServer>,
) -> Result<CallToolResponse, ErrorData> {
    let version = request.protocol_version();
    let is_2026 = version.is_some_and(|version| version >= ProtocolVersion::V_2026_07_28);
    let logs = if is_2026 {
        request.meta.log_level().is_some_and(progress::is_heard)
    } else {
        session.logs()
    };
    let riding = take_riding(&mut request);
    let arguments = match &riding {
        Some(riding) => Arc::clone(&riding.arguments),
        // No message comes without its text, but over a transport that is not ours.
        None => serde_json::to_string(&params.arguments.take().unwrap_or_default())
            .unwrap_or_default()
            .into(),
    };
    let parts = request.extensions.get::<http::request::Parts>();
    let way = riding.and_then(|riding| riding.way);
    let _flight = way.as_ref().and_then(|way| way.flight());
    let Begun {
        call,
        cx,
        stop,
        run,
    } = match way.as_ref().and_then(|way| way.begun()) {
        Some(begun) => begun,
        None => {
            if let (Some(way), Some(parts)) = (way, parts)
                && !(is_2026 && logs)
                // Of a version before, a request that names it has no session either.
                && (is_2026 || request.meta.protocol_version().is_none())
            {
                way.learn(parts, (!is_2026).then_some(session));
            }
            let call = ToolCall::new(request.id.to_string(), &*params.name, arguments);
            Begun::new(shared, session, call, parts)
        }
    };
    let ct = request.ct.clone();
    let mut asked = Asked {
        shared,
        cx,
        request,
        call,
        is_2026,
        logs,
        answers: ElicitResults::default(),
        shown: None,
        repairs: Vec::new(),
    };
    asked.check_client()?;
    if let Some(said) = asked.go_on(&params)? {
        return Ok(asked.say(said));
    }
    let (run, _early) = run.unzip();
    let answered = asked.answer(run);
    tokio::pin!(answered);
    tokio::select! {
        answer = &mut answered => return answer,
        () = ct.cancelled() => stop.cancel(),
        () = shared.end_calls.cancelled() => stop.cancel(),
    }
    // What runs is told to stop, and ends as a cancelled call. Of one that the client has cancelled nobody hears.
    answered.await
}

fn take_riding(request: &mut RequestContext<RoleServer>) -> Option<Riding> {
    if let Some(riding) = request.extensions.remove::<Riding>() {
        return Some(riding);
    }
    let parts = request.extensions.get_mut::<http::request::Parts>()?;
    parts.extensions.remove::<Riding>()
}

impl Asked<'_> {
    /// Whether the client can do what the tool says that it needs.
    fn check_client(&self) -> Result<(), ErrorData> {
        let tool = self.shared.registry.get(&self.call.name);
        let Some(needs) = tool.as_ref().and_then(|tool| tool.def().meta.get(NEEDS)) else {
            return Ok(());
        };
        // Of what is hidden nothing is told.
        if !self
            .shared
            .executor
            .tools(&self.cx)
            .contains(&self.call.name)
        {
            return Ok(());
        }
        let has = self.request.client_capabilities().unwrap_or_default();
        let has = serde_json::to_value(has).unwrap_or_default();
        let needed = needs.as_object().into_iter().flatten();
        let missing = needed.filter(|(name, _)| has.get(name.as_str()).is_none());
        let missing: serde_json::Map<_, _> = missing
            .map(|(name, value)| (name.clone(), value.clone()))
            .collect();
        if missing.is_empty() {
            return Ok(());
        }
        let data = serde_json::json!({"requiredCapabilities": missing});
        Err(ErrorData::new(
            ErrorCode::MISSING_REQUIRED_CLIENT_CAPABILITY,
            "the client lacks a capability that the tool needs",
            Some(data),
        ))
    }

    /// Takes what was said since the call was first asked for, which may be all that it is about.
    fn go_on(&mut self, params: &CallToolRequestParams) -> Result<Option<Said>, ErrorData> {
        let mut asked = None;
        if let Some(sealed) = &params.request_state {
            let state = self.shared.sealed.open(sealed, &self.call).ok_or_else(|| {
                let text = "`requestState` is not what this server gave for this call";
                ErrorData::invalid_params(text, None)
            })?;
            self.answers = state.answers;
            self.shown = state.shown;
            asked = state.asked;
        }
        for (key, said) in params.input_responses.iter().flatten() {
            // What is no answer is asked for again.
            let Some(answer) = ElicitResult::read(said) else {
                continue;
            };
            let question = asked.as_ref().filter(|asked| asked.key == *key);
            if question.is_none() && question::is_ours(key) {
                // Nobody is taken to have said yes to what nobody asked.
                continue;
            }
            if let Some(question) = question {
                if !question.fits(&answer) {
                    continue;
                }
                if let Some(said) = question.settled_by(&answer) {
                    return Ok(Some(said));
                }
                self.shown = question.shows().or(self.shown);
            }
            self.answers.add(key.as_str(), answer);
        }
        Ok(None)
    }

    /// Runs the call until there is an answer; at first it may run already.
    async fn answer(&mut self, mut run: Option<Running>) -> Result<CallToolResponse, ErrorData> {
        let mut decided = None;
        for _ in 0..ROUNDS {
            let running = match run.take() {
                Some(running) => running,
                None => self.start(decided.take()).await,
            };
            let batch = self.end(running).await;
            let next = match batch.calls().first() {
                Some(Reply::Answered(result)) => match question::asked(result) {
                    Some(question) => {
                        self.repaired(&result.repairs);
                        Next::Ask(question)
                    }
                    None => return self.result(result),
                },
                Some(Reply::Pending(pending)) => {
                    // A client may answer with another request, whose call would run from its beginning.
                    if let PendingReason::OutcomeUnknown(error) = &pending.reason {
                        return Ok(self.say(Said {
                            text: error.clone(),
                            is_error: true,
                        }));
                    }
                    self.repaired(&pending.repairs);
                    let tools = self.shared.executor.tools(&self.cx);
                    question::pending(pending, &tools, &self.answers, self.shown)
                }
                None => return Err(ErrorData::internal_error("the call has no answer", None)),
            };
            match next {
                Next::Ask(question) => {
                    if let Some(response) = self.ask(question).await? {
                        return Ok(response);
                    }
                }
                Next::Decide(says) => {
                    let mut pending = batch.pending();
                    decided = pending.next().map(|pending| pending.decided(says));
                }
            }
        }
        Ok(self.say(Said {
            text: "the call asks its user again and again".into(),
            is_error: true,
        }))
    }

    /// Runs the call, or goes on with it, as soon as its client has read enough of what it was told.
    async fn start(&self, decided: Option<Decided>) -> Running {
        let stop = self.cx.cancel();
        let turn = tokio::select! {
            turn = self.shared.flight.turn() => turn,
            () = stop.cancelled() => None,
        };
        let mut cx = self.cx.clone();
        if !self.answers.is_empty() {
            cx = cx.with(self.answers.clone());
        }
        let is_heard = self.logs || self.request.meta.get_progress_token().is_some();
        let mut running = begun::start(self.shared, &self.call, cx, decided, is_heard);
        if turn.is_some() {
            running.at_once().await;
        }
        running
    }

    /// What becomes of it; on its way the client is told how far it is.
    async fn end(&self, running: Running) -> Batch {
        let Running { mut batch, reports } = running;
        let Some(mut reports) = reports else {
            return batch.await;
        };
        let token = self.request.meta.get_progress_token();
        // The protocol wants each report to be above the one before.
        let mut last = f64::NEG_INFINITY;
        let mut is_above = |report: &Progress| {
            let is_above = report.done > last && report.done.is_finite();
            last = if is_above { report.done } else { last };
            is_above
        };
        let batch = loop {
            tokio::select! {
                biased;
                Some(report) = reports.recv() => {
                    if is_above(&report) {
                        self.tell(token.as_ref(), &report).await;
                    }
                }
                batch = &mut batch => break batch,
            }
        };
        // Before the answer, behind which nothing is heard.
        while let Ok(report) = reports.try_recv() {
            if is_above(&report) {
                self.tell(token.as_ref(), &report).await;
            }
        }
        batch
    }

    async fn tell(&self, token: Option<&ProgressToken>, report: &Progress) {
        if let Some(token) = token {
            progress::tell(&self.request.peer, token, report).await;
        }
        if self.logs {
            progress::log(&self.request.peer, &self.call.name, report).await;
        }
    }

    /// Asks the client's user. `None` when the answer is there and the call can go on.
    async fn ask(&mut self, question: Question) -> Result<Option<CallToolResponse>, ErrorData> {
        let params = match question.params() {
            Ok(params) => params,
            Err(text) => {
                return Ok(Some(self.say(Said {
                    text,
                    is_error: true,
                })));
            }
        };
        if !self.can_ask() {
            let words = question.in_words();
            if self.is_2026 && words.is_error {
                let mut needs = ClientCapabilities::default();
                needs.elicitation = Some(ElicitationCapability::new());
                let data = serde_json::json!({"requiredCapabilities": needs});
                return Err(ErrorData::new(
                    ErrorCode::MISSING_REQUIRED_CLIENT_CAPABILITY,
                    words.text,
                    Some(data),
                ));
            }
            return Ok(Some(self.say(words)));
        }
        let request = ElicitRequest::new(params);
        if self.is_2026 {
            let key = question.key.clone();
            // It was answered, and is asked again: what was said does not count.
            self.answers.remove(&key);
            let state = State {
                answers: self.answers.clone(),
                shown: self.shown,
                asked: Some(question),
            };
            let sealed = self.shared.sealed.seal(&state, &self.call);
            let sealed =
                sealed.map_err(|error| ErrorData::internal_error(error.to_string(), None))?;
            let requests = InputRequests::from([(key, InputRequest::Elicitation(request))]);
            let result = InputRequiredResult::new(Some(requests), Some(sealed));
            return Ok(Some(CallToolResponse::InputRequired(result)));
        }
        let answer = match self.elicit(request).await {
            Ok(answer) if question.fits(&answer) => answer,
            Ok(_) => {
                let text = "the client's answer is not what was asked for".into();
                return Ok(Some(self.say(Said {
                    text,
                    is_error: true,
                })));
            }
            Err(text) => {
                return Ok(Some(self.say(Said {
                    text,
                    is_error: true,
                })));
            }
        };
        if let Some(said) = question.settled_by(&answer) {
            return Ok(Some(self.say(said)));
        }
        self.shown = question.shows().or(self.shown);
        self.answers.add(question.key, answer);
        Ok(None)
    }

    /// Whether the client asks its user by forms; one that names no form of asking means these.
    fn can_ask(&self) -> bool {
        let capabilities = self.request.client_capabilities().unwrap_or_default();
        capabilities
            .elicitation
            .is_some_and(|asks| asks.form.is_some() || asks.url.is_none())
    }

    /// Waits until no answer of the client's can come any more. One that it sent before it hung up may still be on its way.
    async fn nobody_answers(&self) {
        self.shared.hung_up.cancelled().await;
        tokio::time::sleep(STILL_HEARD).await;
    }

    async fn elicit(&self, request: ElicitRequest) -> Result<ElicitResult, String> {
        let options = PeerRequestOptions::with_timeout(self.shared.limits.answer);
        let peer = &self.request.peer;
        let asked = peer.send_request_with_option(ServerRequest::ElicitRequest(request), options);
        let asked = asked.await.map_err(|error| error.to_string())?;
        let (id, stop) = (asked.id.clone(), self.cx.cancel());
        let response = tokio::select! {
            response = asked.await_response() => response.map_err(|error| error.to_string())?,
            () = stop.cancelled() => {
                // Nobody's user is asked for a call that is over.
                let reason = "the call was cancelled";
                let gone = CancelledNotificationParam::new(Some(id), Some(reason.to_owned()));
                let _ = peer.notify_cancelled(gone).await;
                return Err(reason.into());
            }
            () = self.nobody_answers() => {
                return Err("the client has hung up, and its user's answer would not be heard".into());
            }
        };
        let ClientResult::ElicitResult(said) = response else {
            return Err("the client answered something else than its user's answer".into());
        };
        let said = serde_json::to_value(said).unwrap_or_default();
        ElicitResult::read(&said).ok_or_else(|| "the client's answer cannot be read".into())
    }

    /// Notes how the arguments were repaired. Whoever goes on with them, of another layer's question too, repairs
    /// nothing.
    fn repaired(&mut self, repairs: &[Repair]) {
        if !repairs.is_empty() {
            self.repairs = repairs.to_vec();
        }
    }

    fn result(&self, result: &ToolResult) -> Result<CallToolResponse, ErrorData> {
        let text = if self.repairs.is_empty() {
            text(self.shared, self.is_2026, result)
        } else {
            let result = repaired_before(result.clone(), &self.repairs);
            text(self.shared, self.is_2026, &result)
        }?;
        self.shared.flight.answered(&self.request.id, text.len());
        Ok(raw::result(text).into())
    }

    fn say(&self, said: Said) -> CallToolResponse {
        let outcome = if said.is_error {
            Err(toolwright_provider::call::ToolError::failed(said.text))
        } else {
            Ok(Outcome::value(said.text))
        };
        let result = ToolResult::new(&self.call, outcome);
        match self.result(&result) {
            Ok(response) => response,
            // Only of tools that are not there.
            Err(error) => {
                rmcp::model::CallToolResult::error(vec![rmcp::model::ContentBlock::text(
                    error.message.into_owned(),
                )])
                .into()
            }
        }
    }
}

/// The result's JSON; of a tool that is not there, an error of the protocol.
pub(super) fn text(
    shared: &Shared,
    is_2026: bool,
    result: &ToolResult,
) -> Result<String, ErrorData> {
    if let Err(error) = &result.outcome
        && matches!(error.kind(), ErrorKind::Unknown | ErrorKind::Hidden)
    {
        let text = result.content(Encoder::auto()).into_owned();
        return Err(ErrorData::invalid_params(text, None));
    }
    let wire = if is_2026 { Wire::Mcp2026 } else { Wire::Mcp };
    let list = wire.results(std::slice::from_ref(result), shared.encoder);
    // The one result, without the brackets of the list.
    let one = list
        .strip_prefix('[')
        .and_then(|list| list.strip_suffix(']'));
    Ok(one.unwrap_or(&list).to_owned())
}
