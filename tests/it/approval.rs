//! Calls that somebody decides about: at once, or after they have waited.
#![cfg(feature = "tokio")]
// A test that finds less than it expects has failed; and tools take what people write.
#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::needless_pass_by_value
)]

use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use serde_json::{Value, json};
use tokio::time::{Instant, sleep};
use toolwright::layers::{Approval, Ask, Levels, Risk};
use toolwright::{
    Context, Encoder, Executor, ToolCall, ToolDef, ToolError, ToolResult, Toolset,
    call::{BoxFuture, Decision, ErrorKind, Filter},
    executor::{Batch, DecidedCall, Event, Halted, PendingReason, Reply},
    layers::{Handled, Layer, Next, Request},
    tool, tools,
};

/// Sends mail.
#[tool(meta(risk = "high"), destructive)]
fn send(#[arg(len(1..))] to: String, #[arg(default)] copies: u32) -> String {
    format!("{to} x{copies}")
}

/// Posts mail. It destroys nothing, so its arguments are repaired.
#[tool(meta(risk = "high"))]
fn post(to: String, #[arg(default)] copies: u32) -> String {
    send(to, copies)
}

/// Looks.
#[tool(meta(risk = "low"))]
fn look() -> &'static str {
    "seen"
}

/// Writes.
#[tool(meta(risk = "medium"))]
fn write() -> &'static str {
    "written"
}

/// Has no level.
#[tool]
fn plain() -> &'static str {
    "done"
}

/// Its level is misspelled.
#[tool(meta(risk = "hihg"))]
fn misspelled() -> &'static str {
    "done"
}

/// A person answers, or lets it run.
#[tool(manual)]
fn charge(cents: u64, #[context] cx: &Context) -> Value {
    json!({"cents": cents, "key": cx.idempotency_key(), "place": cx.call_index()})
}

fn all() -> Toolset {
    tools![send, look, write, plain, misspelled, charge]
}

fn call(id: &str, name: &str, arguments: Value) -> ToolCall {
    ToolCall::new(id, name, arguments.to_string())
}

fn mail() -> ToolCall {
    call("c1", "send", json!({"to": "ada"}))
}

fn text(result: &ToolResult) -> String {
    result.content(Encoder::auto()).into_owned()
}

fn texts(batch: &Batch) -> Vec<String> {
    batch.results().map(text).collect()
}

fn kind(reply: &Reply) -> Option<ErrorKind> {
    let result = reply.answered()?;
    result.outcome.as_ref().err().map(ToolError::kind)
}

/// Who is asked says the same to all.
fn says(decision: Decision) -> Approval {
    Approval::at_least(Risk::Medium).ask(move |_| {
        let decision = decision.clone();
        async move { decision }
    })
}

fn answer(decision: Decision, call: &ToolCall) -> ToolResult {
    let batch = Executor::serial(all())
        .layer(says(decision))
        .run_blocking(std::slice::from_ref(call), &Context::new());
    batch.into_results().next().unwrap()
}

#[test]
fn each_decision_is_what_becomes_of_the_call() {
    assert_eq!(text(&answer(Decision::Approve, &mail())), "ada x0");

    let rejected = answer(Decision::Reject("too costly".into()), &mail());
    let error = rejected.outcome.as_ref().unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Rejected);
    assert_eq!(text(&rejected), "the call was rejected: too costly");
    // The tool's attributes ride on a refusal, too.
    assert_eq!(rejected.attributes.get("risk"), Some(&json!("high")));
    assert_eq!(
        text(&answer(Decision::Reject(" ".into()), &mail())),
        "the call was rejected"
    );

    let edited = Decision::edit(json!({"to": "bob", "copies": 2}));
    assert_eq!(text(&answer(edited, &mail())), "bob x2");

    let answered = answer(Decision::Answer(json!({"sent": false})), &mail());
    assert_eq!(answered.value(), Some(json!({"sent": false})));
}

#[test]
fn how_arguments_were_repaired_is_told_of_a_call_that_waits() {
    let told = Arc::new(Mutex::new(Vec::new()));
    let noted = Arc::clone(&told);
    let executor = Executor::serial(tools![post])
        .layer(Approval::at_least(Risk::Medium))
        .on_event(move |event| {
            if let Event::Repaired { call, repairs, .. } = event {
                let repairs = repairs
                    .iter()
                    .map(|repair| format!("{}: {repair}", call.id));
                noted.lock().unwrap().extend(repairs);
            }
        });
    let call = call("c1", "post", json!({"to": "ada", "copies": "2"}));
    let batch = executor.run_blocking(&[call], &Context::new());
    let pending = batch.pending().next().unwrap();
    assert_eq!(
        pending.repairs[0].to_string(),
        r#"copies: "2" was taken for 2"#
    );
    assert_eq!(
        *told.lock().unwrap(),
        [r#"c1: copies: "2" was taken for 2"#]
    );
    let decided = [pending.with_decision(Decision::Approve)];
    let batch = executor.run_blocking(&decided, &Context::new());
    assert_eq!(texts(&batch), ["ada x2"]);
    assert_eq!(told.lock().unwrap().len(), 1);
}

#[test]
fn edited_arguments_are_validated_again() {
    for (wrong, says) in [
        (json!({"to": ""}), "to: "),
        (json!({"to": "bob", "cc": 1}), "cc: unknown argument"),
        (json!("bob"), "must be a JSON object"),
    ] {
        let result = answer(Decision::edit(wrong), &mail());
        let error = result.outcome.as_ref().unwrap_err();
        assert_eq!(error.kind(), ErrorKind::InvalidArgs);
        assert!(text(&result).contains(says), "{}", text(&result));
    }
}

#[test]
fn nobody_is_asked_below_the_threshold_nor_about_what_cannot_run() {
    let asked = Arc::new(Mutex::new(Vec::new()));
    let names = Arc::clone(&asked);
    let asks = |approval: Approval| {
        let names = Arc::clone(&names);
        approval.ask(move |ask: Ask| {
            names.lock().unwrap().push(ask.call.name.to_string());
            async { Decision::Approve }
        })
    };
    let calls = [
        call("1", "look", json!({})),
        call("2", "write", json!({})),
        call("3", "send", json!({"to": "ada"})),
        call("4", "plain", json!({})),
        call("5", "misspelled", json!({})),
        call("6", "send", json!({"to": 5})),
        call("7", "absent", json!({})),
    ];
    let risks = || Levels::new("risk", ["low", "medium", "high"]);
    for (approval, expected) in [
        (Approval::at_least(Risk::Low), "look write send misspelled"),
        (Approval::at_least(Risk::Medium), "write send misspelled"),
        (Approval::at_least(Risk::High), "send misspelled"),
        (Approval::at_least(Risk::Critical), "misspelled"),
        (
            Approval::at_least_of(risks(), "high").unmarked_too(),
            "send plain misspelled",
        ),
        (
            Approval::when(|request| request.annotations().destructive == Some(true)),
            "send",
        ),
        (Approval::default(), "send misspelled"),
        (
            Approval::at_least(Risk::Critical).destructive_too(),
            "send misspelled",
        ),
    ] {
        let executor = Executor::serial(all()).layer(asks(approval));
        let batch = executor.run_blocking(&calls, &Context::new());
        assert_eq!(
            std::mem::take(&mut *asked.lock().unwrap()).join(" "),
            expected
        );
        assert_eq!(batch.results().filter(|one| one.is_success()).count(), 5);
    }
    assert!(Approval::try_at_least_of(risks(), "hihg").is_none());
}

#[test]
fn who_is_asked_sees_what_would_run() {
    let seen = Arc::new(Mutex::new(Vec::new()));
    let asks = Arc::clone(&seen);
    let approval = Approval::at_least(Risk::High).ask(move |ask: Ask| {
        asks.lock().unwrap().push(json!({
            "arguments": serde_json::from_str::<Value>(&ask.call.arguments).unwrap(),
            "shown": ask.details,
            "place": ask.place,
            "description": ask.tool.def().description,
            "session": ask.context.session_id(),
            "call": ask.context.call_id(),
        }));
        async { Decision::Approve }
    });
    // The text that is shown is the repaired one.
    let calls = [
        call("c0", "look", json!({})),
        call("c1", "post", json!({"to": "ada", "copies": "3"})),
    ];
    let cx = Context::new().with_session("s1");
    let batch = Executor::serial(tools![look, post])
        .layer(approval)
        .run_blocking(&calls, &cx);
    assert_eq!(texts(&batch), ["seen", "ada x3"]);
    assert_eq!(
        *seen.lock().unwrap(),
        [json!({
            "arguments": {"to": "ada", "copies": 3}, "shown": {"risk": "high"}, "place": 1,
            "description": "Posts mail. It destroys nothing, so its arguments are repaired.", "session": "s1", "call": "c1",
        })]
    );
}

#[test]
fn a_panic_of_who_decides_lets_nothing_run() {
    static RAN: AtomicU32 = AtomicU32::new(0);

    /// Counts.
    #[tool(destructive)]
    fn counted() -> u32 {
        RAN.fetch_add(1, Ordering::SeqCst)
    }

    let panics = || -> Decision { panic!("no") };
    let approvals = [
        Approval::when(|_| panic!("no")),
        Approval::when(|_| true).ask(move |_| async move { panics() }),
        Approval::when(|_| true).details(|_| panic!("no")),
    ];
    for approval in approvals {
        let executor = Executor::serial(tools![counted]).layer(approval);
        let batch = executor.run_blocking(&[call("1", "counted", json!({}))], &Context::new());
        assert_eq!(kind(&batch.calls()[0]), Some(ErrorKind::Panicked));
    }
    assert_eq!(RAN.load(Ordering::SeqCst), 0);
}

#[tokio::test(start_paused = true)]
async fn whoever_decides_may_take_their_time() {
    let slow = Approval::at_least(Risk::High).ask(|_| async {
        sleep(Duration::from_hours(1)).await;
        Decision::Approve
    });
    let executor = Executor::serial(all())
        .timeout(Duration::from_secs(1))
        .layer(slow);
    let start = Instant::now();
    let batch = executor.run(&[mail()], &Context::new()).await;
    assert_eq!(start.elapsed(), Duration::from_hours(1));
    assert_eq!(texts(&batch), ["ada x0"]);
}

/// Waits for whatever is at least of medium risk.
fn waiting() -> Executor {
    Executor::parallel(all(), 4).layer(Approval::at_least(Risk::Medium))
}

#[test]
fn a_call_that_waits_is_pending_and_the_others_run() {
    let calls = [
        call("1", "look", json!({})),
        call("2", "send", json!({"to": "ada", "copies": 3})),
        call("3", "plain", json!({})),
    ];
    let batch = waiting().run_blocking(&calls, &Context::new());
    assert_eq!(texts(&batch), ["seen", "done"]);
    assert_eq!(batch.halted(), Some(&Halted::Pending));
    let pending: Vec<_> = batch.pending().collect();
    assert_eq!(pending.len(), 1);
    assert_eq!((pending[0].index, pending[0].place), (1, 1));
    assert_eq!(
        pending[0].reason,
        PendingReason::Decision(json!({"risk": "high"}))
    );
    // The arguments are those that would run.
    let arguments: Value = serde_json::from_str(&pending[0].call.arguments).unwrap();
    assert_eq!(arguments, json!({"to": "ada", "copies": 3}));
}

#[test]
fn a_decision_goes_on_with_what_waited() {
    let cx = Context::new().with_run("r1").with_turn(2);
    let calls = [
        call("1", "look", json!({})),
        call("2", "send", json!({"to": "a"})),
        call("2", "send", json!({"to": "b"})),
        call("3", "send", json!({"to": "c"})),
        call("4", "charge", json!({"cents": 5})),
        call("5", "charge", json!({"cents": 6})),
        call("6", "write", json!({})),
    ];
    let batch = waiting().run_blocking(&calls, &cx);
    let says = [
        Decision::Approve,
        Decision::edit(json!({"to": "B"})),
        Decision::Reject("not to c".into()),
        Decision::Approve,
        Decision::Answer(json!("paid by hand")),
    ];
    // One of six is not decided yet.
    let decided: Vec<DecidedCall> = batch
        .pending()
        .zip(says)
        .map(|(pending, says)| pending.with_decision(says))
        .collect();
    // What was decided can be stored.
    let stored = serde_json::to_string(&decided).unwrap();
    let decided: Vec<DecidedCall> = serde_json::from_str(&stored).unwrap();

    let started = Arc::new(Mutex::new(Vec::new()));
    let events = Arc::clone(&started);
    let executor = waiting().on_event(move |event| {
        if let Event::Started { index, call, .. } = event {
            let run = (*index, call.arguments.to_string());
            events.lock().unwrap().push(run);
        }
    });
    let batch = executor.run_blocking(&decided, &cx);
    assert!(batch.is_settled());
    let results: Vec<_> = batch.results().collect();
    assert_eq!(results.len(), 5);
    assert_eq!(text(results[0]), "a x0");
    assert_eq!(text(results[1]), "B x0");
    assert_eq!(text(results[2]), "the call was rejected: not to c");
    // It is the call that it was: same place, same key.
    assert_eq!(
        results[3].value(),
        Some(json!({"cents": 5, "key": "r1/2/4/4", "place": 4}))
    );
    assert_eq!(text(results[4]), "paid by hand");
    let mut started = started.lock().unwrap().clone();
    started.sort_unstable();
    let places: Vec<_> = started.iter().map(|(place, _)| *place).collect();
    assert_eq!(places, [0, 1, 2, 3, 4]);
    // Who looks on sees what runs.
    assert_eq!(started[1].1, r#"{"to":"B"}"#);
}

#[test]
fn what_was_decided_about_is_checked_again() {
    let decide = |executor: &Executor, call: ToolCall, decision| {
        let decided = [DecidedCall::new(call, 0, decision)];
        let batch = executor.run_blocking(&decided, &Context::new());
        batch.into_results().next().unwrap()
    };
    let kind = |result: &ToolResult| result.outcome.as_ref().unwrap_err().kind();
    let wrong = decide(&waiting(), mail(), Decision::edit(json!({"to": ""})));
    assert_eq!(kind(&wrong), ErrorKind::InvalidArgs);
    let gone = decide(
        &waiting().filter(Filter::deny(["send"])),
        mail(),
        Decision::Approve,
    );
    assert_eq!(kind(&gone), ErrorKind::Hidden);
    let absent = decide(
        &waiting(),
        call("1", "absent", json!({})),
        Decision::Approve,
    );
    assert_eq!(kind(&absent), ErrorKind::Unknown);
}

/// Cannot say which tools it asks about.
struct Broken;

impl Layer for Broken {
    fn call<'a>(&'a self, _: Request<'a>, _: Next<'a>) -> BoxFuture<'a, Handled> {
        Box::pin(async { Handled::Wait(Value::Null) })
    }

    fn requires_approval(&self, _: &ToolDef) -> bool {
        panic!("it cannot be known")
    }
}

#[test]
fn what_requires_approval_is_what_waits() {
    let executor = || Executor::serial(all());
    let table = [
        executor(),
        executor().manual(|_| true),
        executor().manual(|def| def.is_called("look")),
        executor().layer(Approval::default()),
        executor().layer(Approval::at_least(Risk::Medium)),
        executor().layer(Approval::at_least(Risk::Low).unmarked_too()),
        executor()
            .layer(Approval::at_least(Risk::Critical))
            .layer(Broken),
    ];
    let mut counts = Vec::new();
    for executor in table {
        let mut count = 0;
        for def in all().definitions() {
            let arguments = match &*def.name {
                "send" => json!({"to": "ada"}),
                "charge" => json!({"cents": 1}),
                _ => json!({}),
            };
            let calls = [call("1", &def.name, arguments)];
            let batch = executor.run_blocking(&calls, &Context::new());
            let waits = batch.pending().count() == 1;
            assert_eq!(
                executor.requires_approval(def),
                waits,
                "{}: {executor:?}",
                def.name
            );
            count += usize::from(waits);
        }
        counts.push(count);
    }
    assert_eq!(counts, [1, 6, 2, 3, 4, 6, 6]);
    // By a call's arguments: nothing is known before.
    let executor = executor().layer(Approval::when(|_| true));
    assert!(!executor.requires_approval(all().get("send").unwrap().def()));
}

/// Adds something to every mail's address.
struct Rewrites(&'static str);

impl Layer for Rewrites {
    fn call<'a>(&'a self, request: Request<'a>, next: Next<'a>) -> BoxFuture<'a, Handled> {
        Box::pin(async move {
            let arguments = request.call().arguments.replace("\"ada\"", self.0);
            next.run(request.with_arguments(arguments)).await
        })
    }
}

#[test]
fn an_approval_is_for_the_arguments_that_were_shown() {
    let calls = [mail()];
    let asked = Arc::new(Mutex::new(Vec::new()));
    let seen = Arc::clone(&asked);
    let approves = || {
        let seen = Arc::clone(&seen);
        Approval::at_least(Risk::High).ask(move |ask: Ask| {
            seen.lock().unwrap().push(ask.call.arguments.to_string());
            async { Decision::Approve }
        })
    };
    // Rewritten before: that is what is shown, and what runs.
    let executor = Executor::serial(all())
        .layer(Rewrites(r#""ada@example.org""#))
        .layer(approves());
    let batch = executor.run_blocking(&calls, &Context::new());
    assert_eq!(texts(&batch), ["ada@example.org x0"]);
    let shown = r#"{"to":"ada@example.org","copies":0}"#;
    assert_eq!(*asked.lock().unwrap(), [shown]);

    // Rewritten afterwards: it does not run.
    let executor = Executor::serial(all())
        .layer(approves())
        .layer(Rewrites(r#""eve""#));
    let batch = executor.run_blocking(&calls, &Context::new());
    assert_eq!(kind(&batch.calls()[0]), Some(ErrorKind::Rejected));

    // One that waited and is rewritten to something else is asked about again.
    let executor = Executor::serial(all())
        .layer(Rewrites(r#""bob""#))
        .layer(Approval::at_least(Risk::High));
    let waits = executor.run_blocking(&calls, &Context::new());
    let pending = waits.pending().next().unwrap();
    assert_eq!(&*pending.call.arguments, r#"{"to":"bob","copies":0}"#);
    let as_shown = [pending.with_decision(Decision::Approve)];
    let batch = executor.run_blocking(&as_shown, &Context::new());
    assert_eq!(texts(&batch), ["bob x0"]);
    let mut other = as_shown.clone();
    other[0].call = mail();
    let again = executor.run_blocking(&other, &Context::new());
    let pending = again.pending().next().unwrap();
    assert_eq!(&*pending.call.arguments, r#"{"to":"bob","copies":0}"#);
}

#[test]
fn a_manual_call_runs_as_it_was_shown_or_is_asked_about_again() {
    // Nothing but the tool itself says that somebody is asked.
    let executor = Executor::serial(all()).layer(Cents);
    let calls = [call("1", "charge", json!({"cents": 5}))];
    let batch = executor.run_blocking(&calls, &Context::new());
    let pending = batch.pending().next().unwrap();
    assert_eq!(&*pending.call.arguments, r#"{"cents":5}"#);
    let approved = [pending.with_decision(Decision::Approve)];
    let again = executor.run_blocking(&approved, &Context::new());
    let pending = again.pending().next().unwrap();
    assert_eq!(&*pending.call.arguments, r#"{"cents":500}"#);
    assert!(matches!(&pending.reason, PendingReason::Decision(shown) if shown["why"].is_string()));
    // What is shown now is what runs; so it is of an edit.
    let rows = [
        (Decision::Approve, 500),
        (Decision::edit(json!({"cents": 7})), 7),
    ];
    for (decision, cents) in rows {
        let decided = [pending.with_decision(decision)];
        let batch = executor.run_blocking(&decided, &Context::new());
        let result = batch.results().next().unwrap();
        assert_eq!(result.value().unwrap()["cents"], cents);
    }
    let edited = [pending.with_decision(Decision::edit(json!({"cents": 5})))];
    let batch = executor.run_blocking(&edited, &Context::new());
    assert_eq!(batch.results().count(), 0);
}

/// Counts in another unit than the model.
struct Cents;

impl Layer for Cents {
    fn call<'a>(&'a self, request: Request<'a>, next: Next<'a>) -> BoxFuture<'a, Handled> {
        Box::pin(async move {
            let arguments = request.call().arguments.replace(":5}", ":500}");
            next.run(request.with_arguments(arguments)).await
        })
    }
}

#[test]
fn one_approval_does_not_stand_for_another() {
    let asked = Arc::new(AtomicU32::new(0));
    let counts = || {
        let asked = Arc::clone(&asked);
        Approval::at_least(Risk::High).ask(move |_| {
            asked.fetch_add(1, Ordering::SeqCst);
            async { Decision::Approve }
        })
    };
    let executor = Executor::serial(all()).layer(counts()).layer(counts());
    let batch = executor.run_blocking(&[mail()], &Context::new());
    assert_eq!(texts(&batch), ["ada x0"]);
    assert_eq!(asked.load(Ordering::SeqCst), 2);
}

/// Destroys little.
#[tool(meta(risk = "low"), destructive, idempotent)]
fn clear() -> &'static str {
    "cleared"
}

#[test]
fn what_destroys_is_asked_about_whatever_its_level() {
    let executor = Executor::serial(tools![clear, send, look]).layer(Approval::default());
    let calls = [
        call("1", "clear", json!({})),
        mail(),
        call("3", "look", json!({})),
    ];
    let batch = executor.run_blocking(&calls, &Context::new());
    let reasons: Vec<_> = batch.pending().map(|pending| &pending.reason).collect();
    let shown = [
        PendingReason::Decision(json!({"destructive": true})),
        PendingReason::Decision(json!({"risk": "high", "destructive": true})),
    ];
    assert_eq!(reasons, [&shown[0], &shown[1]]);
    assert_eq!(texts(&batch), ["seen"]);
}

#[test]
fn an_approval_may_be_content_with_one_further_out() {
    let asked = Arc::new(AtomicU32::new(0));
    let counts = || {
        let asked = Arc::clone(&asked);
        Approval::at_least(Risk::High).ask(move |_| {
            asked.fetch_add(1, Ordering::SeqCst);
            async { Decision::Approve }
        })
    };
    let once = || Approval::default().unless_approved();
    let executor = Executor::serial(all()).layer(counts()).layer(once());
    let batch = executor.run_blocking(&[mail()], &Context::new());
    assert_eq!(texts(&batch), ["ada x0"]);
    assert_eq!(asked.load(Ordering::SeqCst), 1);
    // What the one further out does not ask about, this one does.
    let critical = Approval::at_least(Risk::Critical).ask(|_| async { Decision::Approve });
    let executor = Executor::serial(all()).layer(critical).layer(once());
    let batch = executor.run_blocking(&[mail()], &Context::new());
    assert_eq!(batch.pending().count(), 1);
    // What is changed behind the one further out runs by neither.
    let executor = Executor::serial(all())
        .layer(counts())
        .layer(Rewrites(r#""eve""#))
        .layer(once());
    let batch = executor.run_blocking(&[mail()], &Context::new());
    assert_eq!(kind(&batch.calls()[0]), Some(ErrorKind::Rejected));
}

#[test]
fn arguments_can_say_that_a_call_waits() {
    let many = Approval::when(|request: &Request<'_>| {
        let arguments: Value = serde_json::from_str(&request.call().arguments).unwrap();
        &*request.call().name == "send" && arguments["copies"].as_u64() > Some(10)
    })
    .details(|_| json!({"why": "many copies"}));
    let executor = Executor::serial(all()).layer(many);
    let calls = [
        call("1", "send", json!({"to": "ada", "copies": 2})),
        call("2", "send", json!({"to": "ada", "copies": 20})),
    ];
    let batch = executor.run_blocking(&calls, &Context::new());
    assert_eq!(texts(&batch), ["ada x2"]);
    let pending = batch.pending().next().unwrap();
    let shown = json!({"why": "many copies"});
    assert_eq!(pending.reason, PendingReason::Decision(shown));
}

#[test]
fn a_decision_is_json() {
    for (decision, stored) in [
        (Decision::Approve, json!("approve")),
        (Decision::edit(json!({"a": 1})), json!({"edit": {"a": 1}})),
        (Decision::Reject("no".into()), json!({"reject": "no"})),
        (Decision::Answer(json!(null)), json!({"answer": null})),
    ] {
        assert_eq!(serde_json::to_value(&decision).unwrap(), stored);
        assert_eq!(
            serde_json::from_value::<Decision>(stored).unwrap(),
            decision
        );
    }
}

/// The text of an answer that a JSON value does not hold, and what is wrong with it.
const ALTERED: [(&str, &str); 5] = [
    (r#"{"answer":[99999999999999999.99]}"#, "[0]: the number"),
    (r#"{"answer":99999999999999999.99}"#, "the number"),
    (r#"{"answer":{"n":1e400}}"#, "n: the number"),
    (
        r#"{"answer":{"n":1,"m":2,"n":3}}"#,
        "n: given more than once",
    ),
    (
        r#"{"answer":{"a":[{"b":{"n":1,"\u006e":1}}]}}"#,
        "a[0].b.n: given more than once",
    ),
];

/// As a host may send one inside of its own message.
#[derive(serde::Deserialize)]
#[serde(rename_all = "snake_case")]
enum Message {
    Decide { decision: Decision },
}

#[test]
fn a_decision_that_would_be_another_one_is_refused() {
    for (text, words) in ALTERED {
        let wrapped = format!(r#"{{"decide":{{"decision":{text}}}}}"#);
        let decided =
            format!(r#"{{"call":{{"id":"1","name":"t","arguments":"{{}}"}},"decision":{text}}}"#);
        for error in [
            serde_json::from_str::<Decision>(text).unwrap_err(),
            serde_json::from_slice::<Decision>(text.as_bytes()).unwrap_err(),
            serde_json::from_reader::<_, Decision>(text.as_bytes()).unwrap_err(),
            serde_json::from_str::<Message>(&wrapped)
                .map(|Message::Decide { decision }| decision)
                .unwrap_err(),
            serde_json::from_str::<DecidedCall>(&decided).unwrap_err(),
        ] {
            let error = error.to_string();
            assert!(error.starts_with(words), "{text}: {error}");
        }
    }
}

#[test]
fn a_decision_means_what_its_text_means() {
    for (text, arguments) in [
        (
            r#"{"n":18446744073709551615,"m":-9223372036854775808}"#,
            json!({"n": u64::MAX, "m": i64::MIN}),
        ),
        (
            r#"{"n":0.1,"m":0.30000000000000004,"k":1.0}"#,
            json!({"n": 0.1, "m": 0.1 + 0.2, "k": 1.0}),
        ),
        (
            r#"{"n":1e2,"m":100000000000000000000,"k":-0.0}"#,
            json!({"n": 1e2, "m": 1e20, "k": -0.0}),
        ),
        (
            r#"{"n":1.50,"m":[],"k":{"n":null}}"#,
            json!({"n": 1.5, "m": [], "k": {"n": null}}),
        ),
        (
            r#"{"n":"123456789012345678901234567890"}"#,
            json!({"n": "123456789012345678901234567890"}),
        ),
    ] {
        let decision: Decision = serde_json::from_str(&format!(r#"{{"edit":{text}}}"#)).unwrap();
        assert_eq!(decision, Decision::Edit(text.into()));
        // What is stored is read again, from a text, a value, and through serde's own buffer.
        let stored = serde_json::to_string(&decision).unwrap();
        assert_eq!(serde_json::from_str::<Decision>(&stored).unwrap(), decision);
        let value = serde_json::to_value(&decision).unwrap();
        let message = format!(r#"{{"kind":"decide","decision":{stored}}}"#);
        let Buffered::Decide { decision: read } = serde_json::from_str(&message).unwrap();
        for read in [read, serde_json::from_value(value).unwrap()] {
            let Decision::Edit(read) = read else {
                panic!("{read:?}")
            };
            assert_eq!(serde_json::from_str::<Value>(&read).unwrap(), arguments);
        }
    }
}

#[derive(serde::Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
enum Buffered {
    Decide { decision: Decision },
}

#[test]
fn an_edit_is_its_text_up_to_the_decoder() {
    /// Adds up.
    #[tool]
    fn total(n: u128, of: Option<Vec<i128>>) -> String {
        format!("{n} {of:?}")
    }

    let executor = Executor::serial(tools![total]).layer(Approval::when(|_| true));
    let call = [ToolCall::new("1", "total", r#"{"n":1}"#)];
    for (text, said) in [
        (
            r#"{"n":340282366920938463463374607431768211455}"#,
            "340282366920938463463374607431768211455 None",
        ),
        (
            "{ \"of\" : [-170141183460469231731687303715884105728,\n1.0], \"\\u006e\": 1e2 }",
            "100 Some([-170141183460469231731687303715884105728, 1])",
        ),
        (r#"{"n":18446744073709551617}"#, "18446744073709551617 None"),
        (r#"{"n":1,"of":null,"n":3}"#, "n: given more than once"),
        (r#"{"n":1,"\u006e":1}"#, "n: given more than once"),
        (
            r#"{"n":1.00000000000000000000000001}"#,
            "n: expected an integer",
        ),
        ("[1]", "must be a JSON object"),
        (r#"{"n":1"#, "JSON"),
    ] {
        let edit = Decision::Edit(text.into());
        let sent = format!(r#"{{"edit":{text}}}"#);
        if serde_json::from_str::<&serde_json::value::RawValue>(text).is_ok() {
            assert_eq!(serde_json::to_string(&edit).unwrap(), sent);
            let message = format!(r#"{{"decide":{{"decision":{sent}}}}}"#);
            let Message::Decide { decision } = serde_json::from_str(&message).unwrap();
            for read in [
                decision,
                serde_json::from_slice(sent.as_bytes()).unwrap(),
                serde_json::from_reader(sent.as_bytes()).unwrap(),
            ] {
                assert_eq!(read, edit, "{text}");
            }
        }
        let batch = executor.run_blocking(&call, &Context::new());
        let decided = batch.pending().next().unwrap().with_decision(edit);
        // As it is stored.
        let stored = serde_json::to_string(&decided).unwrap();
        let decided = [serde_json::from_str::<DecidedCall>(&stored).unwrap()];
        let batch = executor.run_blocking(&decided, &Context::new());
        let answer = texts(&batch).remove(0);
        assert!(answer.contains(said), "{text}: {answer}");
    }
}
