//! Choices as numbers: searches, trajectories, and what differs between two reports.
// A test that finds less than it expects has failed.
#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::float_cmp,
    clippy::needless_pass_by_value
)]

use serde_json::{Value, json};
use toolwright::agent::testing::ScriptedModel;
use toolwright::agent::{Agent, ModelResponse, Session};
use toolwright::call::Decision;
use toolwright::executor::TraceStore;
use toolwright::layers::Approval;
use toolwright::{Context, Executor, ToolCall, tool, tools};
use toolwright_evals::{
    Order, Recall, Scores, SearchQuestion, Trajectory, Wanted, call, questions, recall, recall_by,
};

/// Tells the weather of a city.
#[tool]
fn forecast(city: String) -> String {
    city
}

/// Counts the words of a text.
#[tool]
fn count(text: String) -> usize {
    text.len()
}

/// Pays an invoice.
#[tool(destructive)]
fn pay(invoice: u32) -> u32 {
    invoice
}

fn question(question: &str, expected: &[&str]) -> SearchQuestion {
    SearchQuestion {
        question: question.to_owned(),
        expected: expected.iter().map(ToString::to_string).collect(),
    }
}

/// A report of a search that found these names.
fn found(asked: &[(&str, &[&str], &[&str])]) -> Recall {
    let questions: Vec<_> = asked.iter().map(|it| question(it.0, it.1)).collect();
    let mut found = asked.iter().map(|it| it.2);
    recall_by(&questions, |_| {
        let names = found.next().unwrap();
        names.iter().map(ToString::to_string).collect()
    })
}

#[test]
fn recall_and_rank_are_counted() {
    let report = found(&[
        ("first", &["a"], &["a", "b"]),
        ("second", &["b"], &["a", "b"]),
        ("sixth", &["f"], &["a", "b", "c", "d", "e", "f"]),
        ("half", &["a", "z"], &["a", "b"]),
        ("never", &["z"], &[]),
    ]);
    assert_eq!(report.recall_at_1, 1.5 / 5.0);
    assert_eq!(report.recall_at_5, 2.5 / 5.0);
    assert_eq!(report.recall_at_10, 3.5 / 5.0);
    let ranks = 1.0 + 0.5 + 1.0 / 6.0 + 1.0;
    assert!((report.mean_reciprocal_rank - ranks / 5.0).abs() < 1e-9);
    let missed: Vec<_> = report.missed().map(|it| &*it.question).collect();
    assert_eq!(missed, ["half", "never"]);
    assert_eq!(
        report.to_string(),
        "questions: 5\nrecall at 1: 0.300\nrecall at 5: 0.500\nrecall at 10: 0.700\n\
         mean reciprocal rank: 0.533\n\
         missed: half\n  z; found: a, b\n\
         missed: never\n  z; found: nothing\n"
    );
}

#[test]
fn only_ten_tools_are_looked_at_and_questions_without_an_answer_left_out() {
    let many: Vec<String> = (0..20).map(|number| format!("t{number}")).collect();
    let asked = [question("all", &["t9", "t10"]), question("none", &[])];
    let report = recall_by(&asked, |_| many.clone());
    assert_eq!(report.searches.len(), 1);
    assert_eq!(report.searches[0].found.len(), 10);
    assert_eq!(report.recall_at_10, 0.5);
    let none = recall_by(&[], |_| Vec::new());
    assert_eq!((none.recall_at_1, none.mean_reciprocal_rank), (0.0, 0.0));
}

#[test]
fn the_search_of_a_set_is_played() {
    let tools = tools![forecast, count, pay];
    let report = recall(
        &tools,
        &[
            question("weather in Oslo", &["forecast"]),
            question("pay this", &["pay", "transfer"]),
        ],
    );
    assert_eq!(report.recall_at_1, 0.75);
    assert_eq!(report.unknown, ["transfer"]);
    let text = report.to_string();
    assert!(
        text.contains("no tool has the expected name: transfer\n"),
        "{text}"
    );
}

#[test]
fn questions_are_lines_of_json() {
    let read = questions("{\"question\": \"q\", \"expected\": [\"a\"]}\n\n").unwrap();
    assert_eq!(read, [question("q", &["a"])]);
    let error = questions("\n{\"question\": 1}").unwrap_err();
    assert!(error.starts_with("line 2: "), "{error}");
}

#[test]
fn reports_are_json_and_pictures() {
    let report = found(&[("a <b> & \"c\"", &["a"], &["b", "a"])]);
    let json = serde_json::to_value(&report).unwrap();
    assert_eq!(json["recall_at_5"], 1.0);
    assert_eq!(serde_json::from_value::<Recall>(json).unwrap(), report);
    let svg = report.to_svg();
    assert!(svg.starts_with("<svg xmlns=") && svg.ends_with("</svg>\n"));
    assert_eq!(svg.matches("fill=\"#2f6f9f\"").count(), 4);

    let mut scores = Scores::new();
    scores.add("a <b> & \"c\"\u{1}", &trajectory(json!([])), &[call("pay")]);
    let svg = scores.to_svg();
    assert!(svg.contains("a &lt;b&gt; &amp; &quot;c&quot; <"), "{svg}");
    let json = serde_json::to_string(&scores).unwrap();
    assert_eq!(serde_json::from_str::<Scores>(&json).unwrap(), scores);
}

#[test]
fn two_reports_are_compared_question_by_question() {
    let before = found(&[
        ("same", &["a"], &["a"]),
        ("up", &["a"], &["b", "a"]),
        ("down", &["a"], &["a"]),
        ("gone", &["a"], &["a"]),
        ("twice", &["a"], &["a"]),
        ("twice", &["a"], &["b"]),
    ]);
    let after = found(&[
        ("down", &["a"], &["b", "c", "a"]),
        ("same", &["a"], &["a"]),
        ("up", &["a"], &["a"]),
        ("new", &["a"], &["a"]),
        ("twice", &["a"], &["a"]),
        ("twice", &["a"], &["a"]),
        ("twice", &["a"], &["a"]),
    ]);
    let changes = before.compare(&after);
    assert_eq!(
        changes.to_string(),
        "recall at 1: 0.667 -> 0.857\nrecall at 5: 0.833 -> 1.000\nrecall at 10: 0.833 -> 1.000\n\
         mean reciprocal rank: 0.750 -> 0.905\n\
         worse: down: 1.000 -> 0.333\nbetter: up: 0.500 -> 1.000\nbetter: twice: 0.000 -> 1.000\n\
         gone: gone\nnew: new\nnew: twice\n"
    );
    let same = before.compare(&before);
    assert!(same.is_empty());
    assert_eq!(same.to_string(), "nothing has changed\n");
}

/// A recorded one: `[tool, arguments]` each.
fn trajectory(calls: Value) -> Trajectory {
    let calls = calls.as_array().unwrap().iter();
    let steps: Vec<_> = calls
        .map(|it| json!({"tool": it[0], "arguments": it[1], "ok": true}))
        .collect();
    serde_json::from_value(json!(steps)).unwrap()
}

fn said(trajectory: &Trajectory, order: Order, wanted: &[Wanted]) -> String {
    let checked = trajectory.check(order, wanted);
    checked.map_or_else(|fault| fault, |()| "ok".to_owned())
}

#[test]
fn orders_are_exact_in_order_and_any() {
    use Order::{AnyOrder, Exact, InOrder};
    let made = trajectory(json!([["a", {}], ["b", {"n": 1}], ["a", {}]]));
    let (a, b, c) = (|| call("a"), || call("b"), || call("c"));
    for (order, wanted, fault) in [
        (Exact, vec![a(), b(), a()], "ok"),
        (Exact, vec![a(), a()], "call 2 is not `a`"),
        (Exact, vec![a(), b()], "`a` is one call too many"),
        (Exact, vec![a(), b(), a(), c()], "call 4 is missing: `c`"),
        (Exact, vec![], "`a` is one call too many"),
        (
            InOrder,
            vec![],
            "no call is wanted, which says nothing; `Order::Exact` says that none is made",
        ),
        (
            AnyOrder,
            vec![],
            "no call is wanted, which says nothing; `Order::Exact` says that none is made",
        ),
        (InOrder, vec![a(), a()], "ok"),
        (InOrder, vec![b(), b()], "`b` is not called after `b`"),
        (InOrder, vec![c()], "`c` is not called"),
        (AnyOrder, vec![b(), a(), a()], "ok"),
        (AnyOrder, vec![a(), a(), a()], "`a` is not called"),
        (
            AnyOrder,
            vec![b().with(json!({"n": 2}))],
            "`b` with {\"n\":2} is not called",
        ),
    ] {
        let said = said(&made, order, &wanted);
        if fault == "ok" {
            assert_eq!(said, "ok");
        } else {
            let all = "; the calls are:\n1. a {}\n2. b {\"n\":1}\n3. a {}\n";
            assert_eq!(said, format!("{fault}{all}"));
        }
    }
    let none = said(&Trajectory::default(), Exact, &[a()]);
    assert_eq!(none, "call 1 is missing: `a`; the calls are:\nno calls\n");
}

#[test]
#[should_panic(expected = "`b` is not called")]
fn an_assertion_panics_with_the_calls() {
    trajectory(json!([["a", {}]])).assert(Order::AnyOrder, &[call("b")]);
}

#[test]
fn arguments_are_equal_or_contained() {
    let made = trajectory(json!([["a", {"n": 1, "in": {"x": [1, 2], "y": null}, "s": "t"}]]));
    let one = |wanted: Wanted| made.check(Order::Exact, &[wanted]).is_ok();
    assert!(one(call("a").with(
        json!({"s": "t", "in": {"y": null, "x": [1, 2]}, "n": 1.0})
    )));
    assert!(!one(call("a").with(json!({"n": 1}))));
    assert!(one(call("a").containing(json!({"n": 1}))));
    assert!(one(call("a").containing(json!({"in": {"x": [1, 2]}}))));
    assert!(one(call("a").containing(json!({}))));
    assert!(!one(call("a").containing(json!({"in": {"x": [1]}}))));
    assert!(!one(call("a").containing(json!({"m": null}))));
    let wanted: Wanted =
        serde_json::from_value(json!({"tool": "a", "containing": {"s": "t"}})).unwrap();
    assert!(one(wanted));
    let typo = json!({"tool": "a", "argumnets": {}});
    assert!(serde_json::from_value::<Wanted>(typo).is_err());
}

#[test]
fn each_wanted_call_has_a_call_of_its_own() {
    // The first wanted call could take either, the second only the first.
    let made = trajectory(json!([["a", {"n": 1}], ["a", {"n": 2}]]));
    let wanted = [call("a"), call("a").with(json!({"n": 1}))];
    assert!(made.check(Order::AnyOrder, &wanted).is_ok());
    let score = made.score(&wanted);
    assert_eq!(
        (score.precision, score.recall, score.order),
        (1.0, 1.0, 0.5)
    );
    assert!(!score.exact);
}

#[test]
fn scores_are_shares() {
    let made = trajectory(json!([["a", {}], ["x", {}], ["c", {}], ["b", {}]]));
    let score = made.score(&[call("a"), call("b"), call("c")]);
    assert_eq!((score.precision, score.recall), (0.75, 1.0));
    assert!((score.order - 2.0 / 3.0).abs() < 1e-9);
    let nothing = Trajectory::default().score(&[]);
    assert_eq!((nothing.precision, nothing.recall), (1.0, 1.0));
    assert!(nothing.exact);
    let none = Trajectory::default().score(&[call("a")]);
    assert_eq!((none.precision, none.recall, none.order), (1.0, 0.0, 0.0));
}

#[test]
fn scores_of_conversations_are_reported_and_compared() {
    let wanted = [call("find"), call("pay")];
    let mut before = Scores::new();
    before.add(
        "one",
        &trajectory(json!([["find", {}], ["pay", {}]])),
        &wanted,
    );
    before.add(
        "two",
        &trajectory(json!([["pay", {}], ["find", {}]])),
        &wanted,
    );
    before.add("three", &trajectory(json!([["find", {}]])), &wanted);
    assert_eq!(
        before.to_string(),
        "conversations: 3\nprecision: 1.000\nrecall: 0.833\norder: 0.667\nexact: 0.333\n\
         two: in another order\nthree: missing `pay`\n"
    );
    let mut after = Scores::new();
    let good = trajectory(json!([["find", {}], ["pay", {}]]));
    after.add(
        "one",
        &trajectory(json!([["find", {}], ["pay", {}], ["pay", {}]])),
        &wanted,
    );
    after.add("two", &good, &wanted);
    after.add("three", &good, &wanted);
    let changes = before.compare(&after);
    let names = |changes: &[toolwright_evals::Change]| {
        changes.iter().map(|it| it.name.clone()).collect::<Vec<_>>()
    };
    assert_eq!(names(&changes.better), ["two", "three"]);
    assert_eq!(names(&changes.worse), ["one"]);
}

#[test]
fn calls_that_end_in_another_order_stand_as_they_were_made() {
    /// Waits.
    #[tool]
    async fn wait(ms: u64) -> u64 {
        tokio::time::sleep(std::time::Duration::from_millis(ms)).await;
        ms
    }
    let trace = TraceStore::new(100);
    let executor = Executor::parallel(tools![wait], 4).on_event(trace.observer());
    let calls = [
        ToolCall::new("c1", "wait", r#"{"ms": 30}"#),
        ToolCall::new("c2", "wait", r#"{"ms": 0}"#),
        ToolCall::new("c3", "nope", "{}"),
        ToolCall::new("c4", "wait", r#"{"ms": "#),
    ];
    executor.run_blocking(&calls, &Context::new().with_session("s"));
    let made = Trajectory::of(&trace, "s");
    let steps: Vec<_> = made.calls.iter().map(|it| (&*it.tool, it.ok)).collect();
    assert_eq!(
        steps,
        [
            ("wait", true),
            ("wait", true),
            ("nope", false),
            ("wait", false)
        ]
    );
    assert_eq!(made.calls[0].arguments, json!({"ms": 30}));
    assert!(made.to_string().contains("3. nope"));
    assert!(Trajectory::of(&trace, "other").calls.is_empty());
    assert_eq!(Trajectory::of_events(&trace.events()), made);
}

#[tokio::test]
async fn a_call_that_waited_for_somebody_stands_once_where_it_was_made() {
    let model = ScriptedModel::new([
        Ok(ModelResponse::calls([
            ToolCall::new("c1", "pay", r#"{"invoice": 7}"#),
            ToolCall::new("c2", "forecast", r#"{"city": "Oslo"}"#),
        ])),
        Ok(ModelResponse::calls([ToolCall::new(
            "c1",
            "pay",
            r#"{"invoice": 8}"#,
        )])),
    ]);
    let executor = Executor::serial(tools![forecast, pay]).layer(Approval::default());
    let trace = TraceStore::new(1000);
    let agent = Agent::with_executor(model, executor).listener(trace.clone());
    let (mut session, cx) = (Session::ask("Pay."), Context::new());
    let _ = agent.run(&mut session, &cx).await.unwrap();
    let wanted = [
        call("pay").containing(json!({"invoice": 7})),
        call("forecast"),
    ];
    let made = Trajectory::of(&trace, session.id());
    made.assert(Order::Exact, &wanted);
    assert!(!made.calls[0].ok);

    session.decide("c1", Decision::Approve).unwrap();
    let _ = agent.run(&mut session, &cx).await.unwrap();
    let made = Trajectory::of(&trace, session.id());
    let steps: Vec<_> = made.calls.iter().map(|it| (&*it.tool, it.ok)).collect();
    // The next turn's call has the same id, and is another one.
    assert_eq!(steps, [("pay", true), ("forecast", true), ("pay", false)]);
    assert_eq!(made.calls[2].arguments, json!({"invoice": 8}));
}
