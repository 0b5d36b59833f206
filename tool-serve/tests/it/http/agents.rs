//! Agents that are tools, over HTTP: calls inside of them wait for a decision as any call does.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use serde_json::{Value, json};

use tokio::sync::Notify;
use toolwright::agent::model::{DeltaSink, ModelError, ModelErrorKind, ModelRequest};
use toolwright::agent::testing::ScriptedModel;
use toolwright::agent::{Agent, AgentTool, Model, ModelResponse, Node, handoff};
use toolwright::call::{BoxFuture, Decision};
use toolwright::layers::{Approval, Handled, Layer, Next, Request, Retry};
use toolwright::{
    Context, DynTool, Executor, Registry, Tool, ToolCall, ToolError, Toolset, tool, tools,
};

use super::client::{Answer, serve_tools};
use super::waiting::{JSON, decide, send_decision};

pub(super) type Ran = Mutex<Vec<u32>>;

/// Looks up a bill.
#[tool(read_only)]
pub(super) fn look(#[state] ran: &Ran) -> u32 {
    ran.lock().unwrap().push(0);
    7
}

/// Pays a bill.
#[tool(destructive)]
pub(super) fn pay(#[arg(range(1..))] bill: u32, #[state] ran: &Ran) -> String {
    ran.lock().unwrap().push(bill);
    format!("{bill} is paid")
}

/// Is answered by a person.
#[tool(manual)]
fn sign() -> String {
    "not called".into()
}

/// Reads a long text.
#[tool(read_only)]
fn read() -> String {
    "x".repeat(17 << 20)
}

fn agent(turns: &[&[(&str, &str)]], ran: &Arc<Ran>) -> Agent {
    let turns = turns.iter().map(|turn| {
        let calls = turn.iter().enumerate();
        let calls =
            calls.map(|(id, (name, arguments))| ToolCall::new(format!("x{id}"), *name, *arguments));
        Ok(ModelResponse::calls(calls))
    });
    let is_asked = turns.len() > 0;
    let last = is_asked.then(|| Ok(ModelResponse::text("All is done.")));
    let executor = Executor::serial(tools![look, pay, sign, read; state = Arc::clone(ran)]);
    let model = ScriptedModel::new(turns.chain(last));
    Agent::with_executor(model, executor.layer(Approval::default()))
}

pub(super) fn worker(agent: Agent) -> Toolset {
    let worker = AgentTool::new(agent, "worker", "Works.").build().unwrap();
    Toolset::new([worker]).unwrap()
}

pub(super) const INPUT: &str = r#"{"input": "Pay!"}"#;

/// What waits inside: the tool, its arguments, the reason.
fn inside(answer: &Answer) -> (Value, Value, Value) {
    assert_eq!(answer.status, 202, "{answer:?}");
    let waits = &answer.json()["ask"];
    (
        waits["tool"].clone(),
        waits["arguments"].clone(),
        waits["reason"].clone(),
    )
}

#[test]
fn a_call_inside_waits_for_its_own_decision() {
    let ran = Arc::new(Ran::default());
    let turns: &[&[(&str, &str)]] = &[
        &[("look", "{}"), ("pay", r#"{"bill": 7}"#)],
        &[("sign", "{}")],
        &[("pay", r#"{"bill": 8}"#)],
    ];
    let served = serve_tools(worker(agent(turns, &ran)), |server| server);
    let mut answer = served.call("worker", INPUT);
    let steps: [(&str, Value, &[u32]); 5] = [
        // An edit that does not fit leaves the call as it is.
        (
            r#"{"edit": {"bill": 0}}"#,
            json!(["pay", r#"{"bill": 7}"#, "decision"]),
            &[0],
        ),
        (
            r#"{"edit": {"bill": 9}}"#,
            json!(["pay", r#"{"bill": 7}"#, "decision"]),
            &[0, 9],
        ),
        (
            r#"{"answer": "signed"}"#,
            json!(["sign", "{}", "manual_tool"]),
            &[0, 9],
        ),
        (
            r#""approve""#,
            json!(["pay", r#"{"bill": 8}"#, "decision"]),
            &[0, 9, 8],
        ),
        ("", Value::Null, &[]),
    ];
    for (decision, expected, paid) in steps {
        if decision.is_empty() {
            break;
        }
        let (tool, arguments, reason) = inside(&answer);
        assert_eq!(
            json!([tool, arguments, reason]),
            expected,
            "{decision}: {answer:?}"
        );
        let id = answer.json()["id"].clone();
        answer = decide(&served, &id, decision, JSON);
        assert_eq!(*ran.lock().unwrap(), paid, "{decision}");
        // Each decision is for one call.
        assert_eq!(decide(&served, &id, decision, JSON).status, 404);
        assert_eq!(*ran.lock().unwrap(), paid, "{decision}");
    }
    assert_eq!(
        (answer.status, &answer.json()["value"]),
        (200, &json!("All is done."))
    );
}

#[test]
fn a_rejection_is_read_inside() {
    let ran = Arc::new(Ran::default());
    let turns: &[&[(&str, &str)]] = &[&[("pay", r#"{"bill": 7}"#)]];
    let served = serve_tools(worker(agent(turns, &ran)), |server| server);
    let headers = format!("{JSON}Accept: text/event-stream\r\n");
    // As events, too.
    let answer = served.call_with("worker", INPUT.as_bytes(), &headers);
    let (_, id) = answer.body.split_once(r#""id":""#).unwrap();
    let id = json!(id.split_once('"').unwrap().0);
    let answer = decide(&served, &id, r#"{"reject": "no"}"#, JSON);
    assert_eq!(
        (answer.status, &answer.json()["value"]),
        (200, &json!("All is done."))
    );
    assert!(ran.lock().unwrap().is_empty());
}

#[test]
fn an_agent_around_an_agent_shows_what_waits_at_the_bottom() {
    let ran = Arc::new(Ran::default());
    let turns: &[&[(&str, &str)]] = &[&[("pay", r#"{"bill": 7}"#)]];
    let inner = worker(agent(turns, &ran));
    let model = ScriptedModel::new([
        Ok(ModelResponse::calls([ToolCall::new("o", "worker", INPUT)])),
        Ok(ModelResponse::text("So be it.")),
    ]);
    let outer = AgentTool::new(Agent::new(model, inner), "boss", "Leads.");
    let tools = Toolset::new([outer.build().unwrap()]).unwrap();
    let served = serve_tools(tools, |server| server);
    let answer = served.call("boss", INPUT);
    assert_eq!(inside(&answer).0, "pay");
    let answer = decide(&served, &answer.json()["id"], r#""approve""#, JSON);
    assert_eq!(&answer.json()["value"], "So be it.");
    assert_eq!(*ran.lock().unwrap(), [7]);
}

#[test]
fn long_conversations_that_wait_make_room() {
    let ran = Arc::new(Ran::default());
    let turn: &[(&str, &str)] = &[("read", "{}"), ("pay", r#"{"bill": 7}"#)];
    let served = serve_tools(worker(agent(&[turn; 4], &ran)), |server| server);
    let ids: Vec<_> = (0..4)
        .map(|_| served.call("worker", INPUT).json()["id"].clone())
        .collect();
    let statuses = [0, 1].map(|at| decide(&served, &ids[at], r#""approve""#, JSON).status);
    assert_eq!(statuses, [404, 200]);
    assert_eq!(*ran.lock().unwrap(), [7]);
}

/// Holds calls back by their number: the first and the fifth one pass.
#[derive(Default)]
struct Gate(AtomicUsize);

impl Layer for Gate {
    fn call<'a>(&'a self, request: Request<'a>, next: Next<'a>) -> BoxFuture<'a, Handled> {
        let held = match self.0.fetch_add(1, Ordering::Relaxed) {
            1 => Handled::Wait(json!({"why": "not now"})),
            2 => Handled::Wait(json!({"risk": 9})),
            3 => Err(ToolError::failed("not at all")).into(),
            _ => return Box::pin(next.run(request)),
        };
        Box::pin(std::future::ready(held))
    }
}

/// What a host does with its tools. It has the agent under another description, and a plain tool.
type Change = fn(&Registry, Arc<dyn Tool>, Arc<dyn Tool>);

#[test]
fn a_conversation_waits_on_while_its_tool_cannot_be_reached() {
    let turns: &[&[(&str, &str)]] = &[&[("look", "{}"), ("pay", r#"{"bill": 7}"#)]];
    let tool = |agent: &Agent, description: &str| {
        let tool = AgentTool::new(agent.clone(), "worker", description);
        tool.build().unwrap()
    };
    let other = || {
        let other = DynTool::builder().name("worker").description("Another.");
        let other = other.handler_sync(|_: Value, _cx| Ok::<_, ToolError>("not called"));
        other.build().unwrap()
    };
    let changed: Change = |tools, changed, _| drop(tools.insert(changed));
    let gone: Change = |tools, _, _| drop(tools.remove("worker"));
    let replaced: Change = |tools, _, other| drop(tools.insert(other));
    let stays: Change = |_, _, _| {};
    let has_changed = "the tool has changed since the call was shown";
    let not_there = "the agent that the call runs is not there any more";
    // Steps of the host, and the errors that people see until the call goes on.
    let cases: [(bool, Vec<(Change, &str)>); 4] = [
        (false, vec![(changed, has_changed)]),
        (false, vec![(gone, "unknown tool"), (changed, has_changed)]),
        (
            false,
            vec![
                (replaced, has_changed),
                (stays, not_there),
                (changed, has_changed),
            ],
        ),
        (
            true,
            vec![
                (stays, "not now"),
                (stays, r#"{"risk":9}"#),
                (stays, "not at all"),
            ],
        ),
    ];
    for (is_held, steps) in cases {
        for events in ["", "Accept: text/event-stream\r\n"] {
            let ran = Arc::new(Ran::default());
            let agent = agent(turns, &ran);
            let tools = Registry::from(Toolset::new([tool(&agent, "Works.")]).unwrap());
            let served = serve_tools(tools.clone(), |server| {
                if is_held {
                    server.executor(|executor| executor.layer(Gate::default()))
                } else {
                    server
                }
            });
            let mut answer = served.call("worker", INPUT).json();
            for (change, error) in &steps {
                change(&tools, tool(&agent, "Works well."), other());
                let headers = format!("{JSON}{events}");
                answer = last(&decide(&served, &answer["id"], r#""approve""#, &headers));
                assert_eq!(answer["ask"]["tool"], "pay", "{answer}");
                let shown = answer["ask"]["error"].as_str().unwrap();
                assert!(shown.contains(error), "{answer}");
                assert_eq!(*ran.lock().unwrap(), [0], "{answer}");
            }
            let answer = decide(&served, &answer["id"], r#""approve""#, JSON);
            assert_eq!(&answer.json()["value"], "All is done.", "{answer:?}");
            assert_eq!(*ran.lock().unwrap(), [0, 7]);
        }
    }
}

/// The JSON of an answer, which may be the last of its events.
fn last(answer: &Answer) -> Value {
    let text = answer.body.rsplit("data: ").next().unwrap();
    serde_json::from_str(text.trim()).unwrap()
}

#[test]
fn a_layer_that_makes_a_call_again_begins_no_second_conversation() {
    let ran = Arc::new(Ran::default());
    let calls = || {
        let pay = ToolCall::new("x1", "pay", r#"{"bill": 7}"#);
        Ok(ModelResponse::calls([
            ToolCall::new("x0", "look", "{}"),
            pay,
        ]))
    };
    let busy = Err(ModelError::new(ModelErrorKind::Busy, "429"));
    let model = ScriptedModel::new([calls(), busy]);
    let executor = Executor::serial(tools![look, pay; state = Arc::clone(&ran)]);
    let agent = Agent::with_executor(model, executor.layer(Approval::default()));
    let twice = Retry::new(2).backoff(Duration::ZERO, Duration::ZERO);
    let twice = twice.always_for(["worker"]);
    let served = serve_tools(worker(agent), |server| {
        server.executor(move |executor| executor.layer(twice.clone()))
    });
    let answer = served.call("worker", INPUT);
    let answer = decide(&served, &answer.json()["id"], r#""approve""#, JSON);
    assert_eq!((answer.status, &*answer.kind()), (409, "failed"));
    assert_eq!(*ran.lock().unwrap(), [0, 7]);
}

/// A model that does not answer its second request before the test says so.
pub(super) struct Slow {
    pub(super) model: ScriptedModel,
    pub(super) is_asked: Arc<Notify>,
    pub(super) answers: Arc<Notify>,
    pub(super) requests: AtomicUsize,
}

impl Model for Slow {
    fn respond<'a>(
        &'a self,
        request: ModelRequest<'a>,
        deltas: DeltaSink<'a>,
    ) -> BoxFuture<'a, Result<ModelResponse, ModelError>> {
        let number = self.requests.fetch_add(1, Ordering::Relaxed);
        Box::pin(async move {
            if number == 1 {
                self.is_asked.notify_one();
                self.answers.notified().await;
            }
            self.model.respond(request, deltas).await
        })
    }
}

#[test]
fn a_conversation_waits_on_if_the_client_leaves_before_the_answer() {
    for events in ["", "Accept: text/event-stream\r\n"] {
        let ran = Arc::new(Ran::default());
        let calls = [("look", "{}"), ("pay", r#"{"bill": 7}"#)];
        let calls = calls.map(|(name, arguments)| ToolCall::new(name, name, arguments));
        let model = ScriptedModel::new([
            Ok(ModelResponse::calls(calls)),
            Ok(ModelResponse::text("All is done.")),
        ]);
        let is_asked = Arc::new(Notify::new());
        let slow = Slow {
            model,
            is_asked: Arc::clone(&is_asked),
            answers: Arc::new(Notify::new()),
            requests: AtomicUsize::new(0),
        };
        let executor = Executor::serial(tools![look, pay; state = Arc::clone(&ran)]);
        let agent = Agent::with_executor(slow, executor.layer(Approval::default()));
        let served = serve_tools(worker(agent), |server| server);
        let id = served.call("worker", INPUT).json()["id"].clone();
        let headers = format!("{JSON}{events}");
        let stream = send_decision(&served, &id, r#""approve""#, &headers);
        wait_for(is_asked.notified());
        drop(stream);
        // The server notices it in its own time.
        let answer = loop {
            let answer = decide(&served, &id, r#""approve""#, JSON);
            if answer.status != 404 {
                break answer;
            }
            std::thread::sleep(Duration::from_millis(5));
        };
        assert_eq!(&answer.json()["value"], "All is done.", "{answer:?}");
        assert_eq!(*ran.lock().unwrap(), [0, 7]);
    }
}

/// Pays a bill, after a while.
#[tool(destructive)]
pub(super) async fn pay_slowly(bill: u32, #[state] slow: &SlowBank) -> String {
    slow.ran.lock().unwrap().push(bill);
    slow.is_paying.notify_one();
    slow.pays.notified().await;
    "paid".into()
}

#[derive(Default)]
pub(super) struct SlowBank {
    pub(super) ran: Ran,
    pub(super) is_paying: Notify,
    pays: Notify,
}

/// A client that repeats a decision after it left means the call that it saw.
#[test]
fn a_repeated_decision_is_not_for_the_next_call() {
    let bank = Arc::new(SlowBank::default());
    let calls = [1, 2].map(|bill| {
        ToolCall::new(
            format!("x{bill}"),
            "pay_slowly",
            format!(r#"{{"bill": {bill}}}"#),
        )
    });
    let model = ScriptedModel::new([Ok(ModelResponse::calls(calls))]);
    let executor = Executor::serial(tools![pay_slowly; state = Arc::clone(&bank)]);
    let agent = Agent::with_executor(model, executor.layer(Approval::default()));
    let served = serve_tools(worker(agent), |server| server);
    let id = served.call("worker", INPUT).json()["id"].clone();
    let stream = send_decision(&served, &id, r#""approve""#, JSON);
    wait_for(bank.is_paying.notified());
    drop(stream);
    let answer = loop {
        let answer = decide(&served, &id, r#""approve""#, JSON);
        if answer.status != 404 {
            break answer;
        }
        std::thread::sleep(Duration::from_millis(5));
    };
    assert_eq!(answer.status, 202, "{answer:?}");
    assert_eq!(answer.json()["ask"]["arguments"], r#"{"bill": 2}"#);
    assert_eq!(*bank.ran.lock().unwrap(), [1]);
}

/// Runs a future without a runtime.
pub(super) fn wait_for(future: impl Future<Output = ()>) {
    let runtime = tokio::runtime::Builder::new_current_thread().build();
    runtime.unwrap().block_on(future);
}

#[test]
fn a_no_does_not_carry_out_an_earlier_yes() {
    let ran = Arc::new(Ran::default());
    let turns: &[&[(&str, &str)]] = &[&[("pay", r#"{"bill": 7}"#)]];
    let call = ToolCall::new("h", "transfer_to_payer", "{}");
    let hands_over = ScriptedModel::new([Ok(ModelResponse::calls([call]))]);
    let hand = Toolset::new([handoff("payer", "Pays.").unwrap()]).unwrap();
    let without = Agent::new(hands_over, hand);
    let with_peer = without.clone().peer("payer", agent(turns, &ran));
    let tool = |agent: &Agent| {
        let tool = AgentTool::new(agent.clone(), "worker", "Works.");
        tool.build().unwrap()
    };
    let tools = Registry::from(Toolset::new([tool(&with_peer)]).unwrap());
    let served = serve_tools(tools.clone(), |server| server);
    let answer = served.call("worker", INPUT);
    assert_eq!(inside(&answer).0, "pay");
    drop(tools.insert(tool(&without)));
    let answer = decide(&served, &answer.json()["id"], r#""approve""#, JSON);
    assert!(answer.json()["ask"]["error"].is_string(), "{answer:?}");
    drop(tools.insert(tool(&with_peer)));
    let answer = decide(&served, &answer.json()["id"], r#"{"reject": "no"}"#, JSON);
    assert_eq!(&answer.json()["value"], "All is done.", "{answer:?}");
    assert!(ran.lock().unwrap().is_empty());
}

#[test]
fn a_conversation_whose_agent_is_gone_can_be_ended() {
    let ends = [
        (r#"{"reject": "no"}"#, 403),
        (r#"{"answer": "paid by phone"}"#, 200),
    ];
    for (decision, status) in ends {
        let ran = Arc::new(Ran::default());
        let turns: &[&[(&str, &str)]] = &[&[("look", "{}"), ("pay", r#"{"bill": 7}"#)]];
        // It is not asked again.
        let calls = turns[0].iter();
        let calls = calls.map(|(name, arguments)| ToolCall::new(*name, *name, *arguments));
        let model = ScriptedModel::new([Ok(ModelResponse::calls(calls))]);
        let executor = Executor::serial(tools![look, pay; state = Arc::clone(&ran)]);
        let agent = Agent::with_executor(model, executor.layer(Approval::default()));
        let tools = Registry::from(worker(agent));
        let served = serve_tools(tools.clone(), |server| server);
        let id = served.call("worker", INPUT).json()["id"].clone();
        drop(tools.remove("worker"));
        let answer = decide(&served, &id, decision, JSON);
        assert_eq!(answer.status, status, "{answer:?}");
        assert_eq!(decide(&served, &id, decision, JSON).status, 404);
        assert_eq!(*ran.lock().unwrap(), [0]);
    }
}

#[test]
fn a_tool_around_an_agent_does_not_pause() {
    let worker = AgentTool::new(agent(&[], &Arc::default()), "worker", "Works.");
    let worker = worker.build().unwrap();
    let around = DynTool::builder().name("around").description("Works, too.");
    let around = around.handler(move |input: Value, cx: Context| {
        let worker = Arc::clone(&worker);
        async move {
            let call = ToolCall::new("c", "worker", input.to_string());
            let tools = Toolset::new([Arc::clone(&worker)]).unwrap();
            tools.call(&call, &cx).await.outcome
        }
    });
    let tools = Toolset::new([around.build().unwrap()]).unwrap();
    let served = serve_tools(tools, |server| server);
    let answer = served.call("around", INPUT);
    assert_eq!(answer.status, 409, "{answer:?}");
    assert!(
        answer.body.contains("nobody can be asked here"),
        "{answer:?}"
    );
}

#[test]
fn an_agent_in_the_background_of_an_agent_is_refused() {
    let helper = Agent::new(ScriptedModel::new([]), tools![sign]);
    let helper = AgentTool::new(helper, "helper", "Helps.").detached();
    let tools = Toolset::new([helper.build().unwrap()]).unwrap();
    let served = serve_tools(
        worker(Agent::new(ScriptedModel::new([]), tools)),
        |server| server,
    );
    let answer = served.call("worker", INPUT);
    assert_eq!(answer.status, 409, "{answer:?}");
    assert!(
        answer.body.contains("nobody can be asked here"),
        "{answer:?}"
    );
}

#[test]
fn nothing_runs_where_nobody_can_be_asked() {
    let ran = Arc::new(Ran::default());
    let call = ToolCall::new("c", "worker", INPUT);
    // No script is asked.
    let holds = agent(&[], &ran);
    let tools = tools![sign];
    for agent in [
        holds,
        Agent::new(ScriptedModel::new([]), &tools),
        Agent::new(
            ScriptedModel::new([]),
            tools![look; state = Arc::clone(&ran)],
        )
        .interrupt_before(Node::Tools),
        Agent::with_executor(
            ScriptedModel::new([]),
            Executor::serial(tools![look; state = Arc::clone(&ran)])
                .layer(Approval::when(|_| true)),
        ),
        Agent::new(
            ScriptedModel::new([]),
            worker(Agent::new(ScriptedModel::new([]), tools)),
        ),
    ] {
        let result = worker(agent).call_blocking(&call, &Context::new());
        let words: Vec<_> = result.errors().collect();
        assert_eq!(
            words,
            ["the agent needs somebody's decision, and nobody can be asked here"]
        );
    }
    assert!(ran.lock().unwrap().is_empty());
}

#[test]
fn an_agent_that_asks_by_itself_runs_anywhere() {
    for decision in [Decision::Approve, Decision::Reject("no".to_owned())] {
        let ran = Arc::new(Ran::default());
        let paid = usize::from(decision == Decision::Approve);
        let executor = Executor::serial(tools![look, pay; state = Arc::clone(&ran)]);
        let asks = Approval::default().ask(move |_| std::future::ready(decision.clone()));
        let pays = ToolCall::new("x", "pay", r#"{"bill": 7}"#);
        let model = ScriptedModel::new([
            Ok(ModelResponse::calls([pays])),
            Ok(ModelResponse::text("All is done.")),
        ]);
        let agent = Agent::with_executor(model, executor.layer(asks));
        let call = ToolCall::new("c", "worker", INPUT);
        let result = worker(agent).call_blocking(&call, &Context::new());
        assert_eq!(result.value(), Some("All is done.".into()));
        assert_eq!(ran.lock().unwrap().len(), paid);
    }
}
