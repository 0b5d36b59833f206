//! Tools with a parameter `Approved<'_>` run with a person's yes to just these arguments, and otherwise never.
#![cfg(feature = "tokio")]
// A test that finds less than it expects has failed; and a yes is taken by value.
#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::needless_pass_by_value,
    clippy::items_after_statements,
    clippy::default_trait_access
)]

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use proptest::prelude::*;
use serde_json::{Value, json};
use toolwright::call::{Answer, Approved, BoxFuture, Call, Decision, ErrorKind, Items, WrapTool};
use toolwright::executor::{
    Batch, DecidedCall, OpenCalls, PendingReason, Reply, Runner, RunnerCall, UnknownOutcome,
};
use toolwright::layers::{Approval, Cache, Handled, Layer, Next, Request, Retry, Risk};
use toolwright::{
    Context, DynTool, Executor, Outcome, Registry, Tool, ToolCall, ToolDef, ToolError, ToolOptions,
    Toolset, tool, tool_of, tools,
};

/// The arguments with which bodies ran, and those that the yes held.
#[derive(Clone, Default)]
struct Runs(Arc<Mutex<Vec<(u32, String)>>>);

impl Runs {
    fn note(&self, bill: u32, yes: &Approved<'_>) -> String {
        let ran = (bill, yes.arguments().to_owned());
        self.0.lock().unwrap().push(ran);
        assert_eq!(
            yes.to_value()["bill"],
            json!(bill),
            "what was shown is what runs"
        );
        format!("paid {bill}")
    }

    fn bills(&self) -> Vec<u32> {
        let all = self.0.lock().unwrap();
        all.iter().map(|(bill, _)| *bill).collect()
    }
}

/// Pays a bill.
#[tool]
fn pay(bill: u32, yes: Approved<'_>, #[state] runs: &Runs) -> String {
    runs.note(bill, &yes)
}

/// Pays a bill, some time.
#[tool]
async fn pay_later(yes: Approved<'_>, bill: u32, #[state] runs: &Runs) -> String {
    tokio::task::yield_now().await;
    runs.note(bill, &yes)
}

/// Pays a bill on a thread.
#[tool(blocking)]
fn pay_blocking(bill: u32, #[state] runs: &Runs, yes: Approved<'_>) -> String {
    runs.note(bill, &yes)
}

/// Pays a bill in the background.
#[tool(background)]
async fn pay_background(bill: u32, #[state] runs: &Runs, yes: Approved<'_>) -> String {
    runs.note(bill, &yes)
}

/// Looks a bill up, which nobody may do unseen.
#[tool(read_only)]
fn look(bill: u32, #[state] runs: &Runs, yes: Approved<'_>) -> String {
    runs.note(bill, &yes)
}

/// Pays a bill in steps.
#[tool]
fn pay_items(bill: u32, #[state] runs: &Runs, yes: Approved<'_>) -> Items<String> {
    let paid = runs.note(bill, &yes);
    Items::new(futures_util::stream::iter([paid]))
}

/// Fails at first.
#[tool(idempotent)]
fn pay_flaky(bill: u32, #[state] runs: &Runs, yes: Approved<'_>) -> Result<String, ToolError> {
    let paid = runs.note(bill, &yes);
    if runs.bills().len() == 1 {
        return Err(ToolError::failed("the bank is busy").with_outcome_unknown());
    }
    Ok(paid)
}

struct Desk(Runs);

/// Methods are tools, too.
#[tool]
impl Desk {
    /// Pays a bill at the desk.
    #[tool]
    fn pay_at_desk(&self, bill: u32, yes: Approved<'_>) -> String {
        self.0.note(bill, &yes)
    }
}

const ALL: [&str; 8] = [
    "pay",
    "pay_later",
    "pay_blocking",
    "pay_background",
    "look",
    "pay_items",
    "second_pay",
    "pay_at_desk",
];

fn all(runs: &Runs) -> Toolset {
    tools![
        pay, pay_later, pay_blocking, pay_background, look, pay_items,
        pay as "second_pay", ..Desk(runs.clone()): Desk; state = runs.clone()
    ]
}

fn call(name: &str, bill: u32) -> ToolCall {
    ToolCall::new("1", name, json!({ "bill": bill }).to_string())
}

fn run(executor: &Executor, name: &str, bill: u32) -> Batch {
    executor.run_blocking(&[call(name, bill)], &Context::new())
}

fn said(batch: &Batch) -> String {
    batch
        .results()
        .next()
        .unwrap()
        .content(toolwright::Encoder::default())
        .into_owned()
}

/// Decides about all pending calls of a batch.
fn decide(executor: &Executor, batch: &Batch, decision: &Decision) -> Batch {
    let decided: Vec<_> = batch
        .pending()
        .map(|one| one.with_decision(decision.clone()))
        .collect();
    executor.run_blocking(&decided, &Context::new())
}

fn is_pending(batch: &Batch) -> bool {
    matches!(
        batch.calls(),
        [Reply::Pending(pending)] if matches!(pending.reason, PendingReason::Decision(_))
    )
}

#[test]
fn a_toolset_answers_with_an_error() {
    let runs = Runs::default();
    let tools = all(&runs);
    for name in ALL {
        let result = tools.call_blocking(&call(name, 7), &Context::new());
        let error = result.outcome.unwrap_err();
        assert_eq!(error.kind(), ErrorKind::NotApproved, "{name}");
        assert_eq!(
            error.to_string(),
            "the call did not run: the tool needs the approval of a person, and nobody was asked"
        );
        // Faults come first, as in an executor.
        let wrong = ToolCall::new("1", name, r#"{"bill": "seven"}"#);
        let error = tools
            .call_blocking(&wrong, &Context::new())
            .outcome
            .unwrap_err();
        assert_eq!(error.kind(), ErrorKind::InvalidArgs, "{name}");
        // The tool itself refuses as well.
        let (store, cx, call) = (Default::default(), Context::new(), call(name, 7));
        let answer = tools.get(name).unwrap().call(Call::of(&call, &store, &cx));
        let Answer::Ready(Err(error)) = answer else {
            panic!("{name} ran");
        };
        assert_eq!(error.kind(), ErrorKind::NotApproved, "{name}");
    }
    assert_eq!(runs.bills(), [0; 0]);
}

#[tokio::test]
async fn so_do_the_asynchronous_ways_of_a_toolset() {
    let runs = Runs::default();
    let tools = all(&runs);
    for name in ALL {
        let result = tools.call(&call(name, 7), &Context::new()).await;
        assert_eq!(result.outcome.unwrap_err().kind(), ErrorKind::NotApproved);
        let error = tools
            .call_json(name, json!({"bill": 7}), &Context::new())
            .await
            .unwrap_err();
        assert_eq!(error.kind(), ErrorKind::NotApproved);
    }
    assert_eq!(runs.bills(), [0; 0]);
}

#[test]
fn the_definition_says_so() {
    let runs = Runs::default();
    let tools = all(&runs);
    assert!(tools.definitions().all(|def| def.options.needs_approval));
    let def = tools.get("pay").unwrap().def();
    // The model does not see it.
    assert_eq!(
        def.input.to_value()["properties"]
            .as_object()
            .unwrap()
            .keys()
            .collect::<Vec<_>>(),
        ["bill"]
    );
    let stored = serde_json::to_value(def).unwrap();
    assert_eq!(stored["needs_approval"], true);
    assert!(
        serde_json::from_value::<ToolDef>(stored)
            .unwrap()
            .options
            .needs_approval
    );
    assert!(Executor::serial(&tools).requires_approval(def));
    let others = ToolDef::new("look", "Looks.");
    assert!(!others.options.needs_approval);
    assert!(
        serde_json::to_value(&others)
            .unwrap()
            .get("needs_approval")
            .is_none()
    );
}

#[test]
fn an_executor_leaves_the_call_pending_until_it_is_decided() {
    let runs = Runs::default();
    let executor = Executor::parallel(all(&runs), 4);
    for name in ALL {
        let batch = run(&executor, name, 7);
        assert!(is_pending(&batch), "{name}: {batch:?}");
        let PendingReason::Decision(details) = &batch.pending().next().unwrap().reason else {
            panic!()
        };
        assert_eq!(*details, json!({"needs_approval": true}));
        assert_eq!(runs.bills(), [0; 0], "{name}");

        let no = decide(&executor, &batch, &Decision::Reject("no".into()));
        assert_eq!(said(&no), "the call was rejected: no");
        let answer = decide(&executor, &batch, &Decision::Answer("mine".into()));
        assert_eq!(said(&answer), "mine");
        assert_eq!(runs.bills(), [0; 0], "{name}");

        let yes = decide(&executor, &batch, &Decision::Approve);
        assert_eq!(said(&yes), "paid 7", "{name}");
        let edited = decide(&executor, &batch, &Decision::edit(json!({"bill": 8})));
        assert_eq!(said(&edited), "paid 8", "{name}");
        assert_eq!(runs.bills(), [7, 8], "{name}");
        runs.0.lock().unwrap().clear();
    }
}

#[test]
fn arguments_that_are_wrong_are_refused_before_anybody_is_asked() {
    let runs = Runs::default();
    let executor = Executor::serial(all(&runs));
    let wrong = ToolCall::new("1", "pay", r#"{"bill": -1}"#);
    let batch = executor.run_blocking(&[wrong], &Context::new());
    let error = batch.results().next().unwrap().outcome.clone().unwrap_err();
    assert_eq!(error.kind(), ErrorKind::InvalidArgs);
}

#[test]
fn the_yes_is_for_the_arguments_that_were_shown() {
    let runs = Runs::default();
    let executor = Executor::serial(all(&runs));
    // A host shows a call as the model wrote it. What a repair would make of it was not shown.
    let call = ToolCall::new("1", "pay", r#"{"bill": "7"}"#);
    let raw = DecidedCall::new(call, 0, Decision::Approve);
    let batch = executor.run_blocking(&[raw], &Context::new());
    let error = batch.results().next().unwrap().outcome.clone().unwrap_err();
    assert_eq!(error.kind(), ErrorKind::InvalidArgs);
    assert_eq!(runs.bills(), [0; 0]);
    let batch = run(&executor, "pay", 7);
    let batch = decide(&executor, &batch, &Decision::Approve);
    assert_eq!(said(&batch), "paid 7");
    assert_eq!(*runs.0.lock().unwrap(), [(7, r#"{"bill":7}"#.to_owned())]);
}

/// Doubles each bill.
struct Doubles;

impl Layer for Doubles {
    fn call<'a>(&'a self, request: Request<'a>, next: Next<'a>) -> BoxFuture<'a, Handled> {
        Box::pin(async move {
            let mut arguments: Value = serde_json::from_str(&request.call().arguments).unwrap();
            let bill = arguments["bill"].as_u64().unwrap() * 2;
            arguments["bill"] = bill.into();
            next.run(request.with_arguments(arguments.to_string()))
                .await
        })
    }
}

fn says(decision: Decision) -> Approval {
    Approval::at_least(Risk::Critical).ask(move |_| {
        let decision = decision.clone();
        async move { decision }
    })
}

#[test]
fn a_layer_that_rewrites_after_the_yes_revokes_it() {
    let runs = Runs::default();
    // Behind a seal.
    let executor = Executor::serial(all(&runs))
        .layer(says(Decision::Approve))
        .layer(Doubles);
    let batch = run(&executor, "pay", 7);
    let error = batch.results().next().unwrap().outcome.clone().unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Rejected);
    // After a decision.
    let executor = Executor::serial(all(&runs)).layer(Doubles);
    let batch = run(&executor, "pay", 7);
    assert_eq!(
        &*batch.pending().next().unwrap().call.arguments,
        r#"{"bill":14}"#
    );
    let batch = decide(&executor, &batch, &Decision::Approve);
    assert!(is_pending(&batch), "{batch:?}");
    assert_eq!(runs.bills(), [0; 0]);
}

#[test]
fn the_seal_of_an_approval_is_a_yes() {
    let runs = Runs::default();
    for name in ALL {
        let executor = Executor::serial(all(&runs)).layer(says(Decision::Approve));
        assert_eq!(said(&run(&executor, name, 7)), "paid 7", "{name}");
        let edits = says(Decision::edit(json!({"bill": 9})));
        let executor = Executor::serial(all(&runs)).layer(Doubles).layer(edits);
        assert_eq!(said(&run(&executor, name, 7)), "paid 9", "{name}");
        let executor = Executor::serial(all(&runs)).layer(says(Decision::Reject("no".into())));
        assert_eq!(said(&run(&executor, name, 7)), "the call was rejected: no");
        assert_eq!(runs.bills(), [7, 9], "{name}");
        runs.0.lock().unwrap().clear();
    }
}

#[test]
fn an_approval_that_asks_about_other_calls_lets_it_wait() {
    let runs = Runs::default();
    let asks = |_: toolwright::layers::Ask| async { Decision::Approve };
    let executor = Executor::serial(all(&runs)).layer(Approval::when(|_| false).ask(asks));
    assert!(is_pending(&run(&executor, "pay", 7)));
    assert_eq!(runs.bills(), [0; 0]);
}

#[test]
fn one_yes_is_asked_for_once() {
    let runs = Runs::default();
    let asked = Arc::new(AtomicUsize::new(0));
    let counts = |level: Risk| {
        let asked = Arc::clone(&asked);
        Approval::at_least(level).ask(move |_| {
            asked.fetch_add(1, Ordering::Relaxed);
            async { Decision::Approve }
        })
    };
    let executor = Executor::serial(all(&runs))
        .layer(counts(Risk::Critical))
        .layer(counts(Risk::High));
    assert_eq!(said(&run(&executor, "pay", 7)), "paid 7");
    assert_eq!(asked.load(Ordering::Relaxed), 1);
    // Without a way to ask, the layer shows why the call waits.
    let executor = Executor::serial(all(&runs)).layer(Approval::default());
    let batch = run(&executor, "pay", 8);
    let reason = &batch.pending().next().unwrap().reason;
    assert_eq!(
        *reason,
        PendingReason::Decision(json!({"needs_approval": true}))
    );
}

#[test]
fn calls_of_a_batch_are_decided_one_by_one() {
    let runs = Runs::default();
    let executor = Executor::parallel(all(&runs), 4);
    // Equal calls, even with equal ids: one yes is for one of them.
    let calls = [
        call("pay", 1),
        call("pay", 1),
        call("pay_later", 2),
        call("pay", 3),
    ];
    let batch = executor.run_blocking(&calls, &Context::new());
    assert_eq!(batch.pending().count(), 4);
    let yes = [(1, Decision::Approve), (2, Decision::Reject(String::new()))];
    let batch = batch
        .resume_blocking(&executor, yes, &Context::new())
        .unwrap();
    let waiting: Vec<_> = batch.pending().map(|pending| pending.index).collect();
    assert_eq!((waiting, runs.bills()), (vec![0, 3], vec![1]));
}

#[test]
fn a_repeated_call_has_the_yes_of_the_first_attempt() {
    let runs = Runs::default();
    let tools = tools![pay_flaky; state = runs.clone()];
    let executor = Executor::serial(&tools).layer(Retry::new(2));
    assert!(is_pending(&run(&executor, "pay_flaky", 7)));
    assert_eq!(runs.bills(), [0; 0]);
    let batch = run(&executor, "pay_flaky", 7);
    assert_eq!(
        said(&decide(&executor, &batch, &Decision::Approve)),
        "paid 7"
    );
    assert_eq!(runs.bills(), [7, 7]);
}

#[test]
fn a_call_of_unknown_outcome_runs_again_with_another_yes() {
    let runs = Runs::default();
    /// Fails at first, and nobody knows how.
    #[tool]
    fn once(bill: u32, #[state] runs: &Runs, yes: Approved<'_>) -> Result<String, ToolError> {
        let paid = runs.note(bill, &yes);
        if runs.bills().len() == 1 {
            return Err(ToolError::failed("the line is dead").with_outcome_unknown());
        }
        Ok(paid)
    }
    let executor = Executor::serial(tools![once; state = runs.clone()])
        .on_unknown_outcome(UnknownOutcome::Ask);
    let batch = run(&executor, "once", 7);
    let batch = decide(&executor, &batch, &Decision::Approve);
    let reason = &batch.pending().next().unwrap().reason;
    assert!(matches!(reason, PendingReason::OutcomeUnknown(_)));
    assert_eq!(runs.bills(), [7]);
    assert_eq!(
        said(&decide(&executor, &batch, &Decision::Approve)),
        "paid 7"
    );
    assert_eq!(runs.bills(), [7, 7]);
}

#[test]
fn nothing_of_it_is_cached() {
    let runs = Runs::default();
    let cx = Context::new().with_session("s");
    let executor = Executor::serial(all(&runs)).layer(Cache::new(9).always_for(["pay"]));
    for name in ["look", "pay"] {
        let batch = executor.run_blocking(&[call(name, 7)], &cx);
        let decided = batch
            .pending()
            .next()
            .unwrap()
            .with_decision(Decision::Approve);
        let batch = executor.run_blocking(&[decided], &cx);
        assert_eq!(said(&batch), "paid 7");
        // The answer is not there for whoever asks next.
        assert!(is_pending(&executor.run_blocking(&[call(name, 7)], &cx)));
    }
}

#[cfg(feature = "tower")]
#[test]
fn a_service_of_tower_keeps_the_yes_and_cannot_make_one() {
    use toolwright::layers::Tower;
    use tower::limit::GlobalConcurrencyLimitLayer;

    let runs = Runs::default();
    let executor =
        Executor::serial(all(&runs)).layer(Tower::new(GlobalConcurrencyLimitLayer::new(2)));
    let batch = run(&executor, "pay", 7);
    assert!(is_pending(&batch));
    assert_eq!(
        said(&decide(&executor, &batch, &Decision::Approve)),
        "paid 7"
    );
    assert_eq!(runs.bills(), [7]);
}

/// A runner that runs the tool's own code, and counts what it was handed.
struct Here(Arc<AtomicUsize>);

impl Runner for Here {
    fn run(&self, calls: Vec<RunnerCall>) -> BoxFuture<'_, ()> {
        Box::pin(async move {
            for call in calls {
                self.0.fetch_add(1, Ordering::Relaxed);
                call.run().await;
            }
        })
    }
}

#[test]
fn a_runner_is_handed_approved_calls_only() {
    let (runs, handed) = (Runs::default(), Arc::default());
    let executor = Executor::parallel(all(&runs), 4).runner(Here(Arc::clone(&handed)));
    for name in ALL {
        let batch = run(&executor, name, 7);
        assert!(is_pending(&batch), "{name}");
        assert_eq!((handed.load(Ordering::Relaxed), runs.bills()), (0, vec![]));
        assert_eq!(
            said(&decide(&executor, &batch, &Decision::Approve)),
            "paid 7"
        );
        assert_eq!(
            (handed.swap(0, Ordering::Relaxed), runs.bills()),
            (1, vec![7])
        );
        runs.0.lock().unwrap().clear();
    }
}

#[tokio::test]
async fn a_background_tool_begins_with_a_yes() {
    let (runs, open, cx) = (Runs::default(), OpenCalls::new(), Context::new());
    let executor = Executor::serial(all(&runs)).open_calls(&open);
    let batch = executor.run(&[call("pay_background", 7)], &cx).await;
    assert!(is_pending(&batch), "{batch:?}");
    assert_eq!(open.list().len(), 0);
    let decided = batch
        .pending()
        .next()
        .unwrap()
        .with_decision(Decision::Approve);
    let batch = executor.run(&[decided], &cx).await;
    assert!(batch.results().next().unwrap().is_open());
    let ended = open.ended().await;
    assert_eq!(ended.call.id, "1");
    assert_eq!(runs.bills(), [7]);
}

#[test]
fn manual_calls_too() {
    let runs = Runs::default();
    let executor = Executor::serial(all(&runs)).manual(|_| true);
    let batch = run(&executor, "pay", 7);
    assert_eq!(
        batch.pending().next().unwrap().reason,
        PendingReason::ManualMode
    );
    assert_eq!(
        said(&decide(&executor, &batch, &Decision::Approve)),
        "paid 7"
    );
    assert_eq!(runs.bills(), [7]);
}

/// A tool around another one, with a definition of its own that says nothing of approvals.
struct Around(ToolDef, Arc<dyn Tool>);

impl WrapTool for Around {
    fn inner(&self) -> &Arc<dyn Tool> {
        &self.1
    }

    fn def(&self) -> &ToolDef {
        &self.0
    }
}

/// A tool around another one that hands it arguments of its own.
struct Swaps(Arc<dyn Tool>);

impl WrapTool for Swaps {
    fn inner(&self) -> &Arc<dyn Tool> {
        &self.0
    }

    fn call<'a>(&'a self, call: Call<'a>) -> Answer<'a> {
        Answer::later(async move {
            let (store, cx) = (Default::default(), call.context());
            let other = ToolCall::new("1", "pay", r#"{"bill": 1000}"#);
            match self.0.call(Call::of(&other, &store, &cx)) {
                Answer::Ready(answer) => answer,
                Answer::Later(later) => later.await,
            }
        })
    }
}

#[test]
fn a_tool_around_it_cannot_lose_it() {
    let runs = Runs::default();
    let own = tool_of!(pay; state = runs.clone());
    let mut def = own.def().clone();
    def.options.needs_approval = false;
    let mut stored = def.clone();
    stored.name = "pay".into();
    let around: Arc<dyn Tool> = Arc::new(Around(def, Arc::clone(&own)));
    let sets = [
        Toolset::new([Arc::clone(&around)]).unwrap(),
        Toolset::new([around.handle_errors()]).unwrap(),
        Toolset::new([Arc::clone(&own).handle_errors().return_direct()]).unwrap(),
        Toolset::new([own]).unwrap().attach([stored]).unwrap(),
    ];
    for (index, tools) in sets.into_iter().enumerate() {
        let error = tools
            .call_blocking(&call("pay", 7), &Context::new())
            .outcome
            .unwrap_err();
        assert_eq!(error.kind(), ErrorKind::NotApproved, "{index}");
        let registry = Registry::new();
        registry.extend(&tools);
        let executor = Executor::serial(&registry);
        let batch = run(&executor, "pay", 7);
        assert!(is_pending(&batch), "{index}");
        assert_eq!(runs.bills(), [0; 0]);
        assert_eq!(
            said(&decide(&executor, &batch, &Decision::Approve)),
            "paid 7"
        );
        assert_eq!(runs.bills(), [7]);
        runs.0.lock().unwrap().clear();
    }
}

#[test]
fn a_call_that_a_tool_makes_itself_has_no_yes() {
    let runs = Runs::default();
    let swaps: Arc<dyn Tool> = Arc::new(Swaps(tool_of!(pay; state = runs.clone())));
    let executor = Executor::serial(Toolset::new([swaps]).unwrap());
    let batch = run(&executor, "pay", 7);
    let batch = decide(&executor, &batch, &Decision::Approve);
    let error = batch.results().next().unwrap().outcome.clone().unwrap_err();
    assert_eq!(error.kind(), ErrorKind::NotApproved);

    // Nor has one that is made with the context of an approved call.
    /// Pays another bill.
    #[tool]
    fn pay_other(
        bill: u32,
        _: Approved<'_>,
        #[context] cx: &Context,
        #[state] runs: &Runs,
    ) -> Result<String, ToolError> {
        let tools = tools![pay; state = runs.clone()];
        let result = tools.call_blocking(&call("pay", bill), cx);
        let batch = run(&Executor::serial(&tools), "pay", bill);
        assert!(is_pending(&batch));
        result.outcome.map(|_| "paid".to_owned())
    }
    let executor = Executor::serial(tools![pay_other; state = runs.clone()]);
    let batch = run(&executor, "pay_other", 7);
    let batch = decide(&executor, &batch, &Decision::Approve);
    let error = batch.results().next().unwrap().outcome.clone().unwrap_err();
    assert_eq!(error.kind(), ErrorKind::NotApproved);
    assert_eq!(runs.bills(), [0; 0]);
}

#[test]
fn tools_by_hand_and_from_closures_say_it_too() {
    let ran = Arc::new(AtomicUsize::new(0));
    let counts = Arc::clone(&ran);
    let closure = DynTool::builder()
        .name("pay")
        .description("Pays.")
        .options(ToolOptions::new().needs_approval(true))
        .handler_sync(move |_: Value, _| {
            counts.fetch_add(1, Ordering::Relaxed);
            Ok::<_, ToolError>("paid 7")
        })
        .build()
        .unwrap();

    struct ByHand(ToolDef, Arc<AtomicUsize>);
    impl Tool for ByHand {
        fn def(&self) -> &ToolDef {
            &self.0
        }

        fn call<'a>(&'a self, call: Call<'a>) -> Answer<'a> {
            let answer = call.approved().map(|yes| {
                self.1.fetch_add(1, Ordering::Relaxed);
                Outcome::value(format!("paid {}", yes.to_value()["bill"]))
            });
            Answer::Ready(answer)
        }
    }
    let mut def = ToolDef::new("pay", "Pays.");
    def.options.needs_approval = true;
    let by_hand: Arc<dyn Tool> = Arc::new(ByHand(def, Arc::clone(&ran)));

    for tool in [closure, by_hand] {
        let (store, cx, asked) = (Default::default(), Context::new(), call("pay", 7));
        let Answer::Ready(Err(error)) = tool.call(Call::of(&asked, &store, &cx)) else {
            panic!("it ran");
        };
        assert_eq!(error.kind(), ErrorKind::NotApproved);
        let tools = Toolset::new([tool]).unwrap();
        let error = tools.call_blocking(&asked, &cx).outcome.unwrap_err();
        assert_eq!(error.kind(), ErrorKind::NotApproved);
        let executor = Executor::serial(&tools);
        let batch = run(&executor, "pay", 7);
        assert!(is_pending(&batch));
        assert_eq!(ran.load(Ordering::Relaxed), 0);
        assert_eq!(
            said(&decide(&executor, &batch, &Decision::Approve)),
            "paid 7"
        );
        assert_eq!(ran.swap(0, Ordering::Relaxed), 1);
    }
}

#[test]
fn a_function_stays_testable() {
    let runs = Runs::default();
    let yes = toolwright_testing::approved(json!({"bill": 7}));
    assert_eq!(format!("{yes:?}"), "Approved { .. }");
    assert_eq!(pay(7, yes, &runs), "paid 7");
    assert_eq!(*runs.0.lock().unwrap(), [(7, r#"{"bill":7}"#.to_owned())]);
}

#[test]
fn the_test_kit_runs_no_body_without_a_yes() {
    let runs = Runs::default();
    let tools = all(&runs);
    let results = toolwright_testing::assert_callable(&tools, &Context::new(), 1, 3);
    assert_eq!(results.len(), 4 * ALL.len());
    for tool in tools.iter() {
        toolwright_testing::conformance::tool(&**tool);
    }
    assert_eq!(runs.bills(), [0; 0]);
}

/// What stands around the tool, from outside.
#[derive(Debug, Clone)]
enum Outside {
    Doubles,
    Retry,
    Cache,
    /// Asks whoever is there.
    Asks(Said),
    /// Asks nobody.
    Waits,
    /// Looks away.
    Never,
}

/// What a person says.
#[derive(Debug, Clone, Copy)]
enum Said {
    Approve,
    Edit(u32),
    Reject,
    Answer,
}

impl Said {
    fn decision(self) -> Decision {
        match self {
            Self::Approve => Decision::Approve,
            Self::Edit(bill) => Decision::edit(json!({ "bill": bill })),
            Self::Reject => Decision::Reject("no".into()),
            Self::Answer => Decision::Answer("mine".into()),
        }
    }
}

/// The bills to which somebody said yes, each once for each yes.
#[derive(Clone, Default)]
struct Yeses(Arc<Mutex<Vec<u32>>>);

impl Yeses {
    fn note(&self, said: Said, arguments: &str) {
        let shown: Value = serde_json::from_str(arguments).unwrap();
        let bill = match said {
            Said::Approve => u32::try_from(shown["bill"].as_u64().unwrap()).unwrap(),
            Said::Edit(bill) => bill,
            Said::Reject | Said::Answer => return,
        };
        self.0.lock().unwrap().push(bill);
    }
}

fn said_strategy() -> impl Strategy<Value = Said> {
    prop_oneof![
        3 => Just(Said::Approve),
        1 => (0..9_u32).prop_map(Said::Edit),
        1 => Just(Said::Reject),
        1 => Just(Said::Answer),
    ]
}

fn layer_strategy() -> impl Strategy<Value = Outside> {
    prop_oneof![
        Just(Outside::Doubles),
        Just(Outside::Retry),
        Just(Outside::Cache),
        said_strategy().prop_map(Outside::Asks),
        Just(Outside::Waits),
        Just(Outside::Never),
    ]
}

fn layered(executor: Executor, layers: &[Outside], yeses: &Yeses) -> Executor {
    layers.iter().fold(executor, |executor, layer| match layer {
        Outside::Doubles => executor.layer(Doubles),
        Outside::Retry => executor.layer(Retry::new(2)),
        Outside::Cache => executor.layer(Cache::new(9).always_for(ALL)),
        Outside::Asks(said) => {
            let (said, yeses) = (*said, yeses.clone());
            executor.layer(Approval::at_least(Risk::High).ask(move |ask| {
                yeses.note(said, &ask.call.arguments);
                async move { said.decision() }
            }))
        }
        Outside::Waits => executor.layer(Approval::default()),
        Outside::Never => executor.layer(Approval::when(|_| false)),
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 256, failure_persistence: None, ..ProptestConfig::default() })]

    /// Whatever stands around the tools, and however often calls are decided and resumed: each run of a body has a yes
    /// to its arguments that no other run has.
    #[test]
    fn no_body_runs_without_a_yes_of_its_own(
        layers in proptest::collection::vec(layer_strategy(), 0..4),
        calls in proptest::collection::vec((0..ALL.len(), 0..9_u32, any::<bool>()), 1..5),
        rounds in proptest::collection::vec(
            proptest::collection::vec(proptest::option::of(said_strategy()), 5), 0..4),
        with_runner in any::<bool>(),
        stored in any::<bool>(),
    ) {
        let (runs, yeses) = (Runs::default(), Yeses::default());
        let mut executor = Executor::parallel(all(&runs), 3);
        if with_runner {
            executor = executor.runner(Here(Arc::default()));
        }
        let executor = layered(executor, &layers, &yeses);
        let cx = Context::new().with_session("s");
        let calls: Vec<_> = calls.iter().map(|(tool, bill, is_text)| {
            // A slip is repaired before anybody sees it.
            let bill = if *is_text { json!(bill.to_string()) } else { json!(bill) };
            ToolCall::new("1", ALL[*tool], json!({ "bill": bill }).to_string())
        }).collect();
        let mut batch = executor.run_blocking(&calls, &cx);
        for round in rounds {
            let mut decided = Vec::new();
            for (pending, said) in batch.pending().zip(round) {
                let Some(said) = said else { continue };
                yeses.note(said, &pending.call.arguments);
                let one = pending.with_decision(said.decision());
                // As it is read from a store.
                let one = if stored {
                    serde_json::from_str(&serde_json::to_string(&one).unwrap()).unwrap()
                } else {
                    one
                };
                decided.push(one);
            }
            if decided.is_empty() {
                continue;
            }
            batch = executor.run_blocking(&decided, &cx);
        }
        let mut yeses = yeses.0.lock().unwrap().clone();
        for bill in runs.bills() {
            let yes = yeses.iter().position(|yes| *yes == bill);
            prop_assert!(yes.is_some(), "a body ran with {bill}, and nobody said yes");
            yeses.swap_remove(yes.unwrap());
        }
    }
}
