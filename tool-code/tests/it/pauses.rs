//! Calls that wait inside of programs: each kind of pause, in each place, with each decision, in the same process or another one.

use std::time::{Duration, SystemTime};

use serde_json::{Value, json};
use toolwright::agent::testing::ScriptedModel;
use toolwright::agent::{Agent, AgentError, ModelResponse, RunEnd, Session};
use toolwright::call::Decision;
use toolwright::executor::{PendingReason, Waiting};
use toolwright::layers::{Approval, CallLimit};
use toolwright::{Context, Executor, Outcome, Toolset, tool, tools};
use toolwright_code::{Limits, Rejection};

use crate::{Log, add, agent, call_of, code_mode, pay, run_code, text};

/// Asks the user.
#[tool]
fn ask(what: &str) -> Outcome {
    Outcome::ask(what)
}

/// Takes a photo, which the app does.
#[tool(manual)]
fn photo(of: &str) -> String {
    of.to_owned()
}

fn all() -> Toolset {
    tools![add, pay, ask, photo]
}

const PLACES: [(&str, &str); 4] = [
    (
        "sequence",
        "a = await add(1, 2)\nb = await CALL\nawait add(a, 0)\nb",
    ),
    (
        "gather",
        "import asyncio\na, b, c = await asyncio.gather(add(1, 2), CALL, add(3, 4))\nb",
    ),
    (
        "nested",
        "async def inner():\n    return await CALL\nb = await inner()\nb",
    ),
    ("two programs", "await CALL"),
];

/// The agent of another process, whose model only ends.
fn another(tools: &Toolset) -> Agent {
    let model = ScriptedModel::new([Ok(ModelResponse::text("done"))]);
    Agent::with_executor(
        model,
        Executor::serial(Toolset::new([run_code(tools)]).unwrap()),
    )
}

fn stored(session: &Session) -> Session {
    serde_json::from_str(&serde_json::to_string(session).unwrap()).unwrap()
}

/// Runs the place's programs with this call until they wait; then `decide` decides, and the session goes on, in another process
/// each time if `moves`. Returns the answers of the programs.
async fn decided(
    place: (&str, &str),
    call: &str,
    moves: bool,
    cx: &Context,
    mut decide: impl FnMut(&mut Session, &Waiting) -> bool,
) -> Vec<String> {
    let code = place.1.replace("CALL", call);
    let mut calls = vec![call_of(&code)];
    if place.0 == "two programs" {
        let mut second = call_of(&code);
        second.id = "second".into();
        calls.push(second);
    }
    let count = calls.len();
    let first = agent(run_code(&all()), calls);
    let mut session = Session::ask("Go!");
    let run = first.run(&mut session, cx).await.unwrap();
    assert!(
        matches!(run.end, RunEnd::Pending | RunEnd::AskUser { .. }),
        "{:?}",
        run.end
    );
    let mut agent = first.clone();
    for _ in 0..10 {
        let waiting = agent.waiting(&session, cx);
        // The call of the program itself, and that inside.
        let inside: Vec<Waiting> = waiting
            .into_iter()
            .filter(|one| one.path.len() == 2)
            .collect();
        if inside.is_empty() {
            break;
        }
        let mut is_right = true;
        for one in &inside {
            is_right &= decide(&mut session, one);
        }
        if moves {
            session = stored(&session);
            agent = another(&all());
        }
        match agent.run(&mut session, cx).await {
            Ok(_) => assert!(is_right),
            Err(AgentError::Decision { .. }) => assert!(!is_right),
            Err(error) => panic!("{error}"),
        }
        if moves && session.status() != toolwright::agent::Status::Completed {
            // The script is not asked for its end.
            std::mem::forget(agent.clone());
        }
    }
    if moves {
        std::mem::forget(first);
    }
    let messages = session.thread().messages().iter();
    let answers: Vec<String> = messages
        .filter_map(|message| match message {
            toolwright::agent::ThreadMessage::Tool(answer) => Some(answer.text.clone()),
            _ => None,
        })
        .collect();
    assert_eq!(answers.len(), count);
    answers
}

async fn check(call: &str, decision: &Decision, expected: &str, paid: &[&str]) {
    for place in PLACES {
        for moves in [false, true] {
            let log = Log::default();
            let cx = Context::new().with(log.clone());
            let answers = decided(place, call, moves, &cx, |session, one| {
                session.decide(one, decision.clone()).unwrap();
                true
            });
            for answer in answers.await {
                assert!(
                    answer.contains(expected),
                    "{place:?} {decision:?} {moves}: {answer}"
                );
            }
            let times = if place.0 == "two programs" { 2 } else { 1 };
            assert_eq!(
                log.take(),
                paid.repeat(times),
                "{place:?} {decision:?} {moves}"
            );
        }
    }
}

const PAY: &str = "pay('x', 3)";

#[tokio::test]
async fn an_approved_call_runs_once() {
    check(
        PAY,
        &Decision::Approve,
        r#"{"value":"paid 3 to x"}"#,
        &["x 3"],
    )
    .await;
}

#[tokio::test]
async fn an_edited_call_runs_with_the_edit() {
    let edit = Decision::edit(json!({"to": "y", "amount": 4}));
    check(PAY, &edit, r#"{"value":"paid 4 to y"}"#, &["y 4"]).await;
}

#[tokio::test]
async fn a_rejected_call_ends_the_program() {
    let words = "the call of pay was rejected, which ended the program: ";
    check(PAY, &Decision::Reject("too much".to_owned()), words, &[]).await;
    check(
        PAY,
        &Decision::Reject("too much".to_owned()),
        "too much",
        &[],
    )
    .await;
}

#[tokio::test]
async fn an_answer_in_place_of_a_call_is_its_result() {
    let answer = json!({"by": ["hand", 5, "5"]});
    let expected = r#"{"value":{"by":["hand",5,"5"]}}"#;
    check(PAY, &Decision::Answer(answer), expected, &[]).await;
    check(PAY, &Decision::Answer(json!("5")), r#"{"value":"5"}"#, &[]).await;
}

#[tokio::test]
async fn a_manual_call_is_answered_by_the_app() {
    let photo = "photo('cat')";
    check(
        photo,
        &Decision::Answer(json!("miau")),
        r#"{"value":"miau"}"#,
        &[],
    )
    .await;
    check(photo, &Decision::Approve, r#"{"value":"cat"}"#, &[]).await;
    check(
        photo,
        &Decision::Reject("no".to_owned()),
        "ended the program: ",
        &[],
    )
    .await;
}

#[tokio::test]
async fn a_bad_edit_leaves_the_call_pending() {
    for place in PLACES {
        for moves in [false, true] {
            let log = Log::default();
            let cx = Context::new().with(log.clone());
            let mut round = 0;
            let answers = decided(place, PAY, moves, &cx, |session, one| {
                round += 1;
                let times = if place.0 == "two programs" { 2 } else { 1 };
                let is_right = round > times;
                let decision = if is_right {
                    Decision::Approve
                } else {
                    Decision::edit(json!({"to": "y", "amount": "much"}))
                };
                session.decide(one, decision).unwrap();
                is_right
            });
            let answers = answers.await;
            for answer in &answers {
                assert_eq!(answer, r#"{"value":"paid 3 to x"}"#, "{place:?} {moves}");
            }
            let paid = ["x 3"].repeat(answers.len());
            assert_eq!(log.take(), paid, "{place:?} {moves}");
        }
    }
}

#[tokio::test]
async fn a_question_is_answered_by_any_value() {
    for place in PLACES {
        for moves in [false, true] {
            let cx = Context::new();
            for answer in [json!("Oslo"), json!({"city": "Oslo"}), json!(7)] {
                let answers = decided(place, "ask('Where?')", moves, &cx, |session, one| {
                    let PendingReason::Question(question) = &one.reason else {
                        panic!("{one:?}");
                    };
                    assert_eq!(question.text, "Where?");
                    session.answer_call(one, &answer).unwrap();
                    true
                });
                for text in answers.await {
                    assert_eq!(
                        text,
                        json!({ "value": answer }).to_string(),
                        "{place:?} {moves}"
                    );
                }
            }
        }
    }
}

#[tokio::test]
async fn a_person_sees_the_final_arguments_and_the_program() {
    let code = "for n in [1, 2]:\n    await pay('x', n * 10)";
    let agent = agent(run_code(&all()), vec![call_of(code)]);
    let (mut session, cx) = (Session::ask("Go!"), Context::new().with(Log::default()));
    for amount in [10, 20] {
        let run = agent.run(&mut session, &cx).await.unwrap();
        assert!(matches!(run.end, RunEnd::Pending));
        let waiting = agent.waiting(&session, &cx);
        let inside = waiting.iter().find(|one| one.path == [0, 0]).unwrap();
        assert_eq!(inside.tool, "pay");
        let arguments: Value = serde_json::from_str(inside.arguments.as_ref().unwrap()).unwrap();
        assert_eq!(arguments, json!({"to": "x", "amount": amount}));
        let PendingReason::Decision(shown) = &inside.reason else {
            panic!("{inside:?}");
        };
        assert_eq!(*shown, json!({"destructive": true, "program": code}));
        session.decide(inside, Decision::Approve).unwrap();
    }
    let run = agent.run(&mut session, &cx).await.unwrap();
    assert_eq!(run.text(), Some("done"));
}

#[tokio::test]
async fn a_person_sees_the_program_after_an_answer_in_words() {
    let code = "city = await ask('Where?')\nawait pay(city, 1)";
    for moves in [false, true] {
        let agent = agent(run_code(&all()), vec![call_of(code)]);
        let (mut session, cx) = (Session::ask("Go!"), Context::new().with(Log::default()));
        let _ = agent.run(&mut session, &cx).await.unwrap();
        session.say("Oslo").unwrap();
        let agent = if moves {
            session = stored(&session);
            std::mem::forget(agent);
            another(&all())
        } else {
            agent
        };
        let _ = agent.run(&mut session, &cx).await.unwrap();
        let waiting = agent.waiting(&session, &cx);
        let inside = waiting.iter().find(|one| one.path == [0, 0]).unwrap();
        let PendingReason::Decision(shown) = &inside.reason else {
            panic!("{inside:?}");
        };
        assert_eq!(*shown, json!({"destructive": true, "program": code}));
        let arguments: Value = serde_json::from_str(inside.arguments.as_ref().unwrap()).unwrap();
        assert_eq!(arguments, json!({"to": "Oslo", "amount": 1}));
        std::mem::forget(agent);
    }
}

#[tokio::test]
async fn a_program_that_catches_everything_asks_once() {
    let code = "
for _ in range(3):
    try:
        await pay('x', 3)
    except BaseException:
        pass
'went on'";
    for (rejection, times) in [(Rejection::EndsProgram, 1), (Rejection::Raises, 3)] {
        let tool = code_mode(&all()).rejection(rejection).build().unwrap();
        let agent = agent(tool, vec![call_of(code)]);
        let mut session = Session::ask("Go!");
        let mut asked = 0;
        while matches!(
            agent.run(&mut session, &Context::new()).await.unwrap().end,
            RunEnd::Pending
        ) {
            let waiting = agent.waiting(&session, &Context::new());
            let inside = waiting.iter().find(|one| one.path.len() == 2).unwrap();
            session
                .decide(inside, Decision::Reject("no".to_owned()))
                .unwrap();
            asked += 1;
        }
        assert_eq!(asked, times, "{rejection:?}");
        assert_eq!(
            text(&session).contains("went on"),
            rejection == Rejection::Raises
        );
    }
}

#[tokio::test]
async fn approvals_outside_are_not_the_only_guard() {
    // The agent's own executor approves everything at once.
    let model = ScriptedModel::new([Ok(ModelResponse::calls([call_of("await pay('x', 3)")]))]);
    let approves = Approval::when(|_| true).ask(|_| async { Decision::Approve });
    let executor = Executor::serial(Toolset::new([run_code(&all())]).unwrap()).layer(approves);
    let agent = Agent::with_executor(model, executor);
    let log = Log::default();
    let run = agent
        .run(&mut Session::ask("Go!"), &Context::new().with(log.clone()))
        .await;
    assert!(matches!(run.unwrap().end, RunEnd::Pending));
    assert!(log.take().is_empty());
}

#[tokio::test]
async fn a_program_that_was_changed_diverges_and_runs_nothing_twice() {
    let code = "await pay('x', 1)\nawait pay('x', 2)\nawait pay('x', 3)";
    for (from, to, is_same) in [
        ("await pay('x', 1)", "await pay('x', 9)", false),
        ("await pay('x', 1)", "await pay('y', 1)", false),
        ("await pay('x', 1)", "await add(1, 1)", false),
        ("await pay('x', 1)", "import asyncio", false),
        ("await pay('x', 1)", "1/0", false),
        ("await pay('x', 1)", "await pay(amount=1, to='x')", false),
        ("await pay('x', 3)", "await pay('x', 4)", true),
        ("await pay('x', 1)", "await  pay('x', 1)", true),
    ] {
        let first = agent(run_code(&all()), vec![call_of(code)]);
        let log = Log::default();
        let cx = Context::new().with(log.clone());
        let mut session = Session::ask("Go!");
        let _ = first.run(&mut session, &cx).await.unwrap();
        approve(&first, &mut session);
        let _ = first.run(&mut session, &cx).await.unwrap();
        assert_eq!(log.take(), ["x 1"]);
        approve(&first, &mut session);
        std::mem::forget(first);
        // Another process reads a store that somebody has changed.
        let changed = serde_json::to_string(&session).unwrap().replace(from, to);
        let mut session: Session = serde_json::from_str(&changed).unwrap();
        let second = another(&all());
        let run = second.run(&mut session, &cx).await.unwrap();
        assert_eq!(log.take(), ["x 2"], "{to}");
        if is_same {
            assert!(matches!(run.end, RunEnd::Pending), "{to}: {:?}", run.end);
            std::mem::forget(second);
        } else {
            assert!(
                text(&session).contains("diverged"),
                "{to}: {}",
                text(&session)
            );
        }
    }
}

#[tokio::test]
async fn a_program_that_another_version_began_diverges() {
    let code = "try:\n    await pay('x', 1)\nexcept Exception: pass\nawait pay('x', 1)";
    let clock = || SystemTime::UNIX_EPOCH + Duration::from_secs(77);
    let tool = code_mode(&all()).clock(clock).build().unwrap();
    let first = agent(tool, vec![call_of(code)]);
    let log = Log::default();
    let cx = Context::new().with(log.clone());
    let mut session = Session::ask("Go!");
    let _ = first.run(&mut session, &cx).await.unwrap();
    approve(&first, &mut session);
    let _ = first.run(&mut session, &cx).await.unwrap();
    approve(&first, &mut session);
    std::mem::forget(first);
    assert_eq!(log.take(), ["x 1"]);
    // Turns without their times.
    let changed = serde_json::to_string(&session).unwrap();
    let changed = changed.replace("77000000", "");
    let mut session: Session = serde_json::from_str(&changed).unwrap();
    let _ = another(&all()).run(&mut session, &cx).await.unwrap();
    assert_eq!(log.take(), ["x 1"]);
    assert!(text(&session).contains("diverged"), "{}", text(&session));
}

fn approve(agent: &Agent, session: &mut Session) {
    let waiting = agent.waiting(session, &Context::new());
    let inside = waiting.iter().find(|one| one.path.len() == 2).unwrap();
    session.decide(inside, Decision::Approve).unwrap();
}

#[tokio::test]
async fn a_replay_runs_no_guarded_tool_without_its_own_yes() {
    // The second payment equals the first, and needs an approval of its own.
    let code = "await pay('x', 1)\nawait pay('x', 1)";
    let log = Log::default();
    let cx = Context::new().with(log.clone());
    let first = agent(run_code(&all()), vec![call_of(code)]);
    let mut session = Session::ask("Go!");
    let _ = first.run(&mut session, &cx).await.unwrap();
    approve(&first, &mut session);
    let mut session = stored(&session);
    let second = another(&all());
    let run = second.run(&mut session, &cx).await.unwrap();
    assert!(matches!(run.end, RunEnd::Pending));
    assert_eq!(log.take(), ["x 1"]);
    let refused = second.run(&mut session, &cx).await;
    assert!(refused.is_err());
    assert!(log.take().is_empty());
    std::mem::forget((first, second));
}

/// Two calls of a `gather` wait, and each gets its own decision.
#[tokio::test]
async fn calls_of_a_gather_are_decided_apart() {
    let bad = || Decision::edit(json!({"to": "y", "amount": "much"}));
    let reject = || Decision::Reject("too much".to_owned());
    let ended = "the call of pay was rejected, which ended the program: ";
    let photo = "photo('cat')";
    for (calls, decisions, expected, paid) in [
        (
            ["pay('x', 1)", "pay('x', 2)"],
            vec![[Decision::Approve, reject()]],
            vec![ended, "too much", "Calls that ran before: add, pay."],
            vec!["x 1"],
        ),
        (
            ["pay('x', 1)", "pay('x', 2)"],
            vec![
                [Decision::Approve, bad()],
                [Decision::Approve, Decision::Approve],
            ],
            vec![r#"{"value":["paid 1 to x","paid 2 to x"]}"#],
            vec!["x 1", "x 2"],
        ),
        (
            ["pay('x', 1)", photo],
            vec![[Decision::Approve, Decision::Answer(json!("miau"))]],
            vec![r#"{"value":["paid 1 to x","miau"]}"#],
            vec!["x 1"],
        ),
        (
            ["pay('x', 1)", photo],
            vec![[reject(), Decision::Answer(json!("miau"))]],
            vec![ended, "Calls that ran before: add, photo."],
            vec![],
        ),
        (
            ["ask('Where?')", "pay('x', 2)"],
            vec![[Decision::Answer(json!("Oslo")), Decision::Approve]],
            vec![r#"{"value":["Oslo","paid 2 to x"]}"#],
            vec!["x 2"],
        ),
        (
            ["pay('x', 1)", "ask('Where?')"],
            vec![[reject(), Decision::Answer(json!("Oslo"))]],
            vec![ended, "Calls that ran before: add, ask."],
            vec![],
        ),
    ] {
        for moves in [false, true] {
            let [one, two] = calls;
            let code =
                format!("import asyncio\nawait add(1, 2)\nawait asyncio.gather({one}, {two})");
            let log = Log::default();
            let cx = Context::new().with(log.clone());
            let mut round = 0;
            let mut seen = Vec::new();
            let answers = decided(("gather", &code), "", moves, &cx, |session, one| {
                let place = one.path[1];
                if seen.contains(&place) {
                    (round, seen) = (round + 1, Vec::new());
                }
                seen.push(place);
                let decision = decisions[round.min(decisions.len() - 1)][place].clone();
                let is_right = decision != bad();
                session.decide(one, decision).unwrap();
                is_right
            });
            let answers = answers.await;
            for expected in &expected {
                assert!(
                    answers[0].contains(expected),
                    "{calls:?} {moves}: {}",
                    answers[0]
                );
            }
            assert_eq!(log.take(), paid, "{calls:?} {moves}");
        }
    }
}

/// The model that reads it would run them again.
#[tokio::test]
async fn a_program_that_ends_early_says_what_ran() {
    let code = "
for n in range(3): await add(n, 1)
try: await pay('z', 13)
except RuntimeError: pass
try: await add('one', 1)
except ValueError: pass
await pay('x', 1)
END";
    for (end, expected) in [
        (
            "await pay('x', 2)",
            "Calls that ran before: add ×3, add (failed), pay, pay (failed).",
        ),
        (
            "1 / 0",
            "Calls that ran before: add ×3, add (failed), pay, pay (failed).",
        ),
    ] {
        let place = ("sequence", &*code.replace("END", end));
        let cx = Context::new().with(Log::default());
        let answers = decided(place, "", false, &cx, |session, one| {
            let is_second = one.arguments.as_ref().unwrap().contains(r#""amount":2"#);
            let reject = Decision::Reject("too much".to_owned());
            let decision = if is_second { reject } else { Decision::Approve };
            session.decide(one, decision).unwrap();
            true
        });
        let answer = &answers.await[0];
        assert!(answer.contains(expected), "{answer}");
    }
    // Nothing ran.
    let cx = Context::new();
    let answers = decided(
        ("sequence", "await CALL"),
        PAY,
        false,
        &cx,
        |session, one| {
            session
                .decide(one, Decision::Reject("no".to_owned()))
                .unwrap();
            true
        },
    );
    let answer = &answers.await[0];
    assert!(!answer.contains("ran before"), "{answer}");
}

#[tokio::test]
async fn a_rejected_program_keeps_what_it_printed() {
    let code = "print('one')\nawait add(1, 2)\nprint('two')\nawait CALL\nprint('three')";
    for moves in [false, true] {
        let cx = Context::new();
        let answers = decided(("sequence", code), PAY, moves, &cx, |session, one| {
            let reject = Decision::Reject("too much".to_owned());
            session.decide(one, reject).unwrap();
            true
        });
        let answer = &answers.await[0];
        assert!(
            answer.starts_with("the call of pay was rejected"),
            "{answer}"
        );
        assert!(answer.ends_with("printed before:\none\ntwo\n"), "{answer}");
    }
    // A layer rejects while the interpreter lives.
    let mode = code_mode(&tools![add]);
    let mode = mode.executor(|tools| Executor::serial(tools).layer(CallLimit::per_run(1)));
    let code = "await add(1, 2)\nprint('one')\ntry: await add(3, 4)\nfinally: print('two')";
    let text = crate::answer_of(mode.build().unwrap(), code).await;
    assert!(text.starts_with("the call of add was rejected"), "{text}");
    assert!(
        text.ends_with("Calls that ran before: add.\nprinted before:\none\n"),
        "{text}"
    );
}

/// The rejection is what the model has to read, whatever became of the program.
#[tokio::test]
async fn a_rejection_is_told_of_a_program_that_cannot_run_again() {
    let code = "await add(1, 2)\nawait pay('x', 1)";
    let first = agent(run_code(&all()), vec![call_of(code)]);
    let (mut session, cx) = (Session::ask("Go!"), Context::new());
    let _ = first.run(&mut session, &cx).await.unwrap();
    let waiting = first.waiting(&session, &cx);
    let inside = waiting.iter().find(|one| one.path.len() == 2).unwrap();
    session
        .decide(inside, Decision::Reject("no".to_owned()))
        .unwrap();
    std::mem::forget(first);
    let changed = serde_json::to_string(&session).unwrap();
    let changed = changed.replace("await add(1, 2)", "await add(1, 3)");
    let mut session: Session = serde_json::from_str(&changed).unwrap();
    let _ = another(&all()).run(&mut session, &cx).await.unwrap();
    let text = text(&session);
    assert!(text.starts_with("the call of pay was rejected"), "{text}");
}

/// A limit that ends a replay is reported as that limit.
#[tokio::test]
async fn a_limit_that_a_replay_reaches_is_no_divergence() {
    let code = "
for n in range(20): await add(n, 1)
for n in range(100_000): pass
await pay('x', 1)";
    let limits = |calls, time| Limits {
        calls,
        time,
        ..Limits::default()
    };
    for (limits, expected) in [
        (
            limits(50, Duration::from_millis(1)),
            "TimeoutError: the program ran longer than 1ms",
        ),
        (
            limits(10, Duration::from_mins(1)),
            "the program made more than 10 calls",
        ),
    ] {
        let slow = Limits {
            time: Duration::from_mins(1),
            ..Limits::default()
        };
        let first = agent(
            code_mode(&all()).limits(slow).build().unwrap(),
            vec![call_of(code)],
        );
        let (mut session, cx) = (Session::ask("Go!"), Context::new().with(Log::default()));
        let _ = first.run(&mut session, &cx).await.unwrap();
        approve(&first, &mut session);
        std::mem::forget(first);
        let tool = code_mode(&all()).limits(limits).build().unwrap();
        let second = agent(tool, Vec::new());
        let _ = second.run(&mut session, &cx).await.unwrap();
        std::mem::forget(second);
        let text = text(&session);
        assert!(
            text.contains(expected) && !text.contains("diverged"),
            "{text}"
        );
    }
}
