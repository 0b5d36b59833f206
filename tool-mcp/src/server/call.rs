//! One `tools/call`, until there is an answer or something to ask.

mod result;
mod rounds;

use std::pin::Pin;
use std::sync::Arc;
use std::task::Poll;

use serde_json::Value;
use tokio::sync::mpsc;
use toolwright_json::ObjectWriter;
use toolwright_provider::call::{FormatVersion, ToolCall};
use toolwright_runtime::executor::{Batch, DecidedCall, Executor, KeptCall, PausedCalls};
use toolwright_runtime::tool::{Cancel, Context, Progress};
use toolwright_runtime::toolset::Registry;
use toolwright_schema::decode::Repair;

pub(super) use self::result::text;
use self::rounds::WaitingRound;
use super::caller::{self, Caller};
use super::catalog::OfferSet;
use super::dispatch::Answered;
use super::incoming::Request;
use super::question::{self, InputQuestion, ModelText};
use super::sealed::Sealed;
use super::{NEEDS, Shared, logs, tasks};
use crate::elicit::{ElicitResult, ElicitResults};
use crate::progress;
use crate::protocol::{Fields, RpcError, Version, code};
use toolwright_http::random;

/// A call, and what is known of who asks for it.
pub(super) struct CallTask {
    shared: Arc<Shared>,
    kind: CallKind,
    caller: Caller,
    call: ToolCall,
    cx: Context,
    /// True if it may outlive its request.
    may_be_task: bool,
    answers: ElicitResults,
    /// Answers that the client gave before it was asked. They count once the call asks just that.
    early: ElicitResults,
    /// Which arguments the answer to an approval is about.
    shown: Option<u64>,
    /// Answers since the call was first asked for, if they are all that it is about.
    said: Option<ModelText>,
    /// Repairs of the arguments, as they were told before a question.
    repairs: Vec<Repair>,
    /// Call that goes on from where its tool has paused.
    resumed: Option<WaitingRound>,
    /// Approval that the call has spent here, and not yet in the store that servers share.
    spent: Option<String>,
    /// Id of the note under which it waits again if its request is dropped.
    note: Option<String>,
}

fn used_before() -> RpcError {
    RpcError::invalid_params("`requestState` was used before, and an approval is for one run")
}

/// Kinds of calls.
#[derive(Debug)]
pub(super) enum CallKind {
    Tool,
    Prompt,
    Resource { uri: String },
}

/// A call on its way.
struct CallInProgress {
    batch: Pin<Box<dyn Future<Output = Batch> + Send>>,
    /// Progress of the call, if somebody wants to hear of it.
    reports: Option<mpsc::Receiver<Progress>>,
}

impl CallTask {
    /// Reads the request, which `stop` ends.
    pub(super) fn new(
        shared: &Arc<Shared>,
        caller: Caller,
        request: &Request<'_>,
        stop: &Cancel,
    ) -> Result<Self, RpcError> {
        let params = &request.params;
        let wrong = |why| wrong_params(request, why);
        let (kind, call) = called(shared, &caller, request)?;
        // The client's word ends this call; the host's ends all of them.
        let mut cx = caller.cx.clone().with_cancel(stop.clone());
        let mut may_be_task = false;
        if !matches!(kind, CallKind::Tool) {
            cx = OfferSet::context(cx);
        } else if tasks::may_be(shared, &caller) {
            may_be_task = true;
            cx = tasks::context(shared, cx, &call.name);
        }
        let mut calling = Self {
            shared: Arc::clone(shared),
            kind,
            caller,
            call,
            cx,
            may_be_task,
            answers: ElicitResults::default(),
            early: ElicitResults::default(),
            shown: None,
            said: None,
            repairs: Vec::new(),
            resumed: None,
            spent: None,
            note: None,
        };
        calling.check_client()?;
        let responses = match params.some("inputResponses") {
            Some(responses) => {
                Fields::of(responses).map_err(|_| wrong("`inputResponses` is not an object"))?
            }
            None => Fields::default(),
        };
        let state = match params.some("requestState") {
            Some(_) => {
                let state = params.text("requestState");
                Some(state.ok_or_else(|| wrong("`requestState` is not a string"))?)
            }
            None => None,
        };
        calling.go_on(&responses, state.as_deref())?;
        Ok(calling)
    }

    /// Returns the offers that have the tool; `None` for the server's tools.
    fn offers(&self) -> Option<&OfferSet> {
        match self.kind {
            CallKind::Tool => None,
            CallKind::Prompt => self.shared.prompts.as_ref(),
            CallKind::Resource { .. } => self.shared.resources.as_ref(),
        }
    }

    fn registry(&self) -> &Registry {
        let of_tools = &self.shared.registry;
        self.offers().map_or(of_tools, |offers| &offers.registry)
    }

    fn executor(&self) -> &Executor {
        let of_tools = &self.shared.executor;
        self.offers().map_or(of_tools, |offers| &offers.executor)
    }

    /// Refuses a call whose tool needs what the client cannot do.
    fn check_client(&self) -> Result<(), RpcError> {
        let tool = self.registry().get(&self.call.name);
        let Some(needs) = tool.as_ref().and_then(|tool| tool.def().meta.get(NEEDS)) else {
            return Ok(());
        };
        // Of what is hidden nothing is told.
        let tools = self.executor().tools(&self.cx);
        if tools.get(&self.call.name).is_none() {
            return Ok(());
        }
        if !self.hears_questions() && needs.get("elicitation").is_some() {
            return Err(caller::not_acceptable());
        }
        let needed = needs.as_object().into_iter().flatten();
        let missing = needed.filter(|(name, _)| !self.caller.capabilities.has(name));
        let missing: serde_json::Map<_, _> = missing
            .map(|(name, value)| (name.clone(), value.clone()))
            .collect();
        if missing.is_empty() {
            return Ok(());
        }
        let words = "the client lacks a capability that the tool needs";
        Err(lacks(words, &Value::Object(missing).to_string()))
    }

    /// Returns false for a client that could answer questions, and accepts no stream on which they come.
    fn hears_questions(&self) -> bool {
        let caller = &self.caller;
        caller.version.is_modern() || caller.out.is_heard() || !caller.capabilities.can_ask()
    }

    /// Takes what was said since the call was first asked for.
    fn go_on(&mut self, responses: &Fields<'_>, state: Option<&str>) -> Result<(), RpcError> {
        let (mut asked, mut paused) = (None, None);
        if let Some(sealed) = state {
            let owner = self.cx.get().and_then(caller::owner);
            let state = self.shared.seal.open(sealed, &self.call, owner.as_deref());
            let state = state.ok_or_else(|| {
                let text = "`requestState` is not what this server gave for this call";
                RpcError::invalid_params(text)
            })?;
            self.answers = state.answers;
            self.shown = state.shown;
            asked = state.asked;
            paused = state.is_paused.then_some(state.id);
        }
        for (key, said) in responses.iter() {
            // What is not an answer is asked for again.
            let Some(answer) = ElicitResult::read(said) else {
                continue;
            };
            let Some(question) = asked.as_ref().filter(|asked| asked.key == key) else {
                self.early.add(key, answer);
                continue;
            };
            if !question.fits(&answer) {
                continue;
            }
            self.said = question.settled_by(&answer);
            self.shown = question.shows().or(self.shown);
            self.answers.add(key, answer);
        }
        if paused.is_some() && !self.caller.capabilities.can_ask() {
            let words = "the call waits for its user, whom this client cannot ask";
            return Err(lacks(words, r#"{"elicitation":{}}"#));
        }
        // A call that paused is taken once.
        if let Some(sealed) = state
            && paused.is_none()
            && question::is_approved(&self.answers)
        {
            let spent = self.shared.seal.spend(sealed).ok_or_else(used_before)?;
            self.spent = Some(spent);
        }
        if let Some(id) = paused {
            let resumed = self.shared.paused.take(&id);
            let resumed = resumed.ok_or_else(|| {
                let text = "the call waits here no more: make it again";
                RpcError::invalid_params(text)
            })?;
            let KeptCall { pending, state, .. } = resumed;
            self.resumed = Some(WaitingRound { pending, state });
            self.note = Some(id);
        }
        Ok(())
    }

    /// Runs the call until there is an answer.
    pub(super) async fn answer(mut self) -> Answered {
        if let Some(said) = self.said.take() {
            return self.say(said);
        }
        if let (Some(spent), Some(spend)) = (self.spent.take(), &self.shared.spend.0) {
            match spend(spent.clone()).await {
                Ok(true) => {}
                Ok(false) => return Err(used_before()),
                // Another server may have run it.
                Err(error) => {
                    self.shared.seal.unspend(&spent);
                    let words =
                        format!("the approval could not be recorded, so nothing ran: {error}");
                    return Err(RpcError::new(code::INTERNAL_ERROR, words));
                }
            }
        }
        let shared = Arc::clone(&self.shared);
        let stop = self.cx.cancel();
        let rounds = self.rounds();
        tokio::pin!(rounds);
        tokio::select! {
            answer = &mut rounds => return answer,
            () = shared.end_calls.cancelled() => stop.cancel(),
        }
        // What runs is told to stop, and ends as a cancelled call.
        rounds.await
    }

    /// Runs the call, or goes on with it, as soon as its client has read enough of what it was told.
    async fn start(&self, paused: &PausedCalls, decided: Option<DecidedCall>) -> CallInProgress {
        let stop = self.cx.cancel();
        let turn = async {
            match &self.caller.peer {
                Some(peer) => peer.requests.turn().await,
                None => None,
            }
        };
        let turn = tokio::select! {
            biased;
            turn = turn => turn,
            () = stop.cancelled() => None,
        };
        let mut cx = self.cx.clone();
        if !self.answers.is_empty() {
            cx = cx.with(self.answers.clone());
        }
        let mut reports = None;
        if self.caller.logs || self.caller.token.is_some() {
            let (heard, receiver) = progress::subscribe(cx);
            (cx, reports) = (heard, Some(receiver));
        }
        let (call, mut executor) = (self.call.clone(), self.executor().clone());
        if self.may_be_task {
            executor = executor.open_calls(&self.shared.open);
        }
        // Where nobody can be asked, no tool pauses.
        if self.caller.capabilities.can_ask() && self.hears_questions() {
            (cx, executor) = paused.around(cx, executor);
        }
        let mut running = CallInProgress {
            batch: Box::pin(async move {
                match decided {
                    Some(decided) => executor.run(&[decided], &cx).await,
                    None => executor.run(&[call], &cx).await,
                }
            }),
            reports,
        };
        if turn.is_some() {
            running.at_once().await;
        }
        running
    }

    /// Waits for the call's end, and tells the client of its progress meanwhile.
    async fn end(&self, running: CallInProgress) -> Batch {
        let CallInProgress { mut batch, reports } = running;
        let Some(mut reports) = reports else {
            return batch.await;
        };
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
                    if !is_above(&report) {
                        continue;
                    }
                    let told = logs::tell(&self.caller, &self.call.name, &report);
                    tokio::pin!(told);
                    // A client that does not read holds up what it is told, and not the call.
                    tokio::select! {
                        biased;
                        () = &mut told => {}
                        batch = &mut batch => {
                            told.await;
                            break batch;
                        }
                    }
                }
                batch = &mut batch => break batch,
            }
        };
        // Before the answer, behind which nothing is heard.
        while let Ok(report) = reports.try_recv() {
            if is_above(&report) {
                logs::tell(&self.caller, &self.call.name, &report).await;
            }
        }
        batch
    }

    /// Asks the client's user. `None` when the answer is there and the call can go on.
    async fn ask(
        &mut self,
        question: InputQuestion,
        paused: Option<&WaitingRound>,
    ) -> Option<Answered> {
        let params = match question.params() {
            Ok(params) => params,
            Err(text) => return Some(self.refuse(text)),
        };
        // Nobody has approved what nobody was shown.
        let early = self.early.take(&question.key);
        let early = early.filter(|early| question.shows().is_none() && question.fits(early));
        if let Some(answer) = early {
            if let Some(said) = question.settled_by(&answer) {
                return Some(self.say(said));
            }
            self.answers.add(question.key, answer);
            return None;
        }
        let is_modern = self.caller.version.is_modern();
        let peer = self.caller.peer.clone();
        let peer = peer.filter(|_| !is_modern && self.hears_questions());
        if !self.caller.capabilities.can_ask() || (peer.is_none() && !is_modern) {
            let words = question.in_words();
            if is_modern && words.is_error {
                return Some(Err(lacks(words.text, r#"{"elicitation":{}}"#)));
            }
            return Some(self.say(words));
        }
        let Some(peer) = peer else {
            return Some(self.require(question, &params, paused));
        };
        let (limit, stop) = (self.shared.limits.answer, self.cx.cancel());
        let answer = peer.ask(
            &self.caller.out,
            "elicitation/create",
            &params,
            limit,
            &stop,
        );
        let answer = match answer.await {
            Ok(said) => match ElicitResult::read(&said) {
                Some(answer) if question.fits(&answer) => answer,
                _ => {
                    let text = "the client's answer is not what was asked for";
                    return Some(self.refuse(text.to_owned()));
                }
            },
            Err(text) => return Some(self.refuse(text)),
        };
        if let Some(said) = question.settled_by(&answer) {
            return Some(self.say(said));
        }
        self.shown = question.shows().or(self.shown);
        self.answers.add(question.key, answer);
        None
    }

    /// The question is the answer, and the client asks again with what was said.
    fn require(
        &mut self,
        question: InputQuestion,
        params: &str,
        paused: Option<&WaitingRound>,
    ) -> Answered {
        let key = question.key.clone();
        // It was answered, and is asked again: what was said does not count.
        self.answers.take(&key);
        let state = Sealed {
            form: FormatVersion,
            id: random::id(),
            answers: self.answers.clone(),
            shown: self.shown,
            asked: Some(question),
            is_paused: paused.is_some(),
        };
        if let Some(WaitingRound {
            pending,
            state: kept,
        }) = paused.cloned()
        {
            let (id, cx) = (state.id.clone(), self.cx.clone());
            self.shared.paused.insert(id, pending, cx, kept);
        }
        let owner = self.cx.get().and_then(caller::owner);
        let sealed = self.shared.seal.seal(&state, &self.call, owner.as_deref());
        let sealed =
            sealed.map_err(|error| RpcError::new(code::INTERNAL_ERROR, error.to_string()))?;
        let result = ObjectWriter::new()
            .text("resultType", "input_required")
            .object("inputRequests", |requests| {
                requests.object(&key, |request| {
                    request
                        .text("method", "elicitation/create")
                        .json("params", params)
                })
            })
            .text("requestState", &sealed);
        Ok(result.end())
    }

    /// Notes how the arguments were repaired. Whoever goes on with them, of another layer's question too, repairs
    /// nothing.
    fn repaired(&mut self, repairs: &[Repair]) {
        if !repairs.is_empty() {
            self.repairs = repairs.to_vec();
        }
    }
}

impl CallInProgress {
    /// Goes on as far as it comes at once.
    async fn at_once(&mut self) {
        let first = std::future::poll_fn(|task| Poll::Ready(self.batch.as_mut().poll(task)));
        if let Poll::Ready(batch) = first.await {
            self.batch = Box::pin(std::future::ready(batch));
        }
    }
}

/// Up to 2025-11-25 the protocol has a code of its own for it.
pub(super) fn no_resource(version: Version, uri: &str) -> RpcError {
    let code = if version.is_modern() {
        code::INVALID_PARAMS
    } else {
        code::RESOURCE_NOT_FOUND
    };
    let data = ObjectWriter::new().text("uri", uri);
    RpcError::new(code, format!("unknown resource `{uri}`")).with_data(data.end())
}

/// The client lacks these capabilities, JSON of an object.
pub(super) fn lacks(words: impl Into<String>, capabilities: &str) -> RpcError {
    let data = ObjectWriter::new().json("requiredCapabilities", capabilities);
    RpcError::new(code::MISSING_CAPABILITY, words).with_data(data.end())
}

fn wrong_params(request: &Request<'_>, why: &str) -> RpcError {
    let words = format!("these are not parameters of `{}`: {why}", request.method);
    RpcError::invalid_params(words)
}

/// Reads which call a request asks for.
fn called(
    shared: &Shared,
    caller: &Caller,
    request: &Request<'_>,
) -> Result<(CallKind, ToolCall), RpcError> {
    let params = &request.params;
    let id = request.id.to_text();
    if request.method == "resources/read" {
        let Some(uri) = params.text("uri") else {
            return Err(wrong_params(request, "`uri` is not a string"));
        };
        let found = shared
            .resources
            .as_ref()
            .and_then(|all| all.find(&caller.cx, &uri));
        let Some((name, arguments)) = found else {
            return Err(no_resource(caller.version, &uri));
        };
        let uri = uri.into_owned();
        let call = ToolCall::new(&*id, &*name, arguments);
        Ok((CallKind::Resource { uri }, call))
    } else {
        let Some(name) = params.text("name") else {
            return Err(wrong_params(request, "`name` is not a string"));
        };
        let is_prompt = request.method == "prompts/get";
        let kind = if is_prompt {
            CallKind::Prompt
        } else {
            CallKind::Tool
        };
        let none = if is_prompt { "{}" } else { "" };
        let arguments = params.some("arguments").unwrap_or(none);
        Ok((kind, ToolCall::new(&*id, &*name, arguments)))
    }
}
