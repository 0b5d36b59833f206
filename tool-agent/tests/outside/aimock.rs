//! Agents against another's imitation of providers. Run by `tests/outside/aimock.sh`, which starts it
//! with the fixtures of `tests/outside/aimock.json`.
// A test that finds less than it expects has failed.
#![allow(clippy::unwrap_used, clippy::indexing_slicing)]

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use serde::Serialize;
use toolwright::agent::model::{ModelError, ModelErrorKind};
use toolwright::agent::{
    Agent, AgentError, Endpoint, RunEnd, RunEvent, Session, Status, Thread, ThreadMessage,
};
use toolwright::{Context, Executor, Schema, Toolset, Wire, tool, tools, wire::StreamEvent};

#[derive(Default)]
struct Station {
    asked: AtomicUsize,
}

#[derive(Serialize)]
struct Weather {
    city: String,
    days: u8,
}

/// Weather of a city.
#[tool]
fn weather(city: String, #[arg(default = 1)] days: u8, #[state] station: &Station) -> Weather {
    station.asked.fetch_add(1, Ordering::Relaxed);
    Weather { city, days }
}

fn tools(station: &Arc<Station>) -> Toolset {
    tools![weather; state = Arc::clone(station)]
}

/// An endpoint of each kind. Each test has a name of its own, by which aimock counts its requests.
fn endpoints(test: &str) -> Vec<Endpoint> {
    let url = std::env::var("TOOLWRIGHT_AIMOCK").unwrap();
    let v1 = format!("{url}/v1");
    let all = vec![
        Endpoint::openai_chat(&*v1, "gpt-5", "secret"),
        Endpoint::openai_responses(&*v1, "gpt-5", "secret"),
        Endpoint::anthropic(&*url, "claude-sonnet-4-5", "secret"),
        Endpoint::gemini(&*url, "gemini-3-pro", "secret"),
        Endpoint::ollama(&*url, "qwen3"),
    ];
    let named = all.into_iter().map(|endpoint| {
        let name = format!("{test}-{:?}", endpoint.wire());
        endpoint.header("x-test-id", name)
    });
    named.collect()
}

/// An agent, and the words and arguments that were told while it ran.
fn agent(endpoint: Endpoint, station: &Arc<Station>, streams: bool) -> (Agent, Arc<Mutex<String>>) {
    let told = Arc::new(Mutex::new(String::new()));
    let agent = Agent::with_executor(endpoint, Executor::serial(tools(station)));
    if !streams {
        return (agent, told);
    }
    let heard = Arc::clone(&told);
    let agent = agent.on_event(move |event| {
        if let RunEvent::Delta {
            delta: StreamEvent::Text(text) | StreamEvent::Arguments { text, .. },
            ..
        } = event
        {
            heard.lock().unwrap().push_str(text);
        }
    });
    (agent, told)
}

/// The thread without what the provider alone understands.
fn plain(thread: &Thread) -> Vec<ThreadMessage> {
    let messages = thread.messages().iter().cloned();
    let plain = messages.map(|mut message| {
        if let ThreadMessage::Assistant(said) = &mut message {
            assert!(said.native.take().is_some());
        }
        message
    });
    plain.collect()
}

#[tokio::test]
async fn a_round_of_tools_is_the_same_on_every_wire_whole_and_streamed() {
    let mut threads = Vec::new();
    for streams in [false, true] {
        for endpoint in endpoints("round") {
            let station = Arc::new(Station::default());
            let name = format!("{endpoint:?}, streams: {streams}");
            let (agent, told) = agent(endpoint, &station, streams);
            let mut session = Session::ask("How is the weather in Oslo?");
            let run = agent.run(&mut session, &Context::new()).await.unwrap();
            assert!(matches!(run.end, RunEnd::Completed), "{name}: {run:?}");
            assert_eq!(
                run.text(),
                Some("Sun for two days, says the tool."),
                "{name}"
            );
            assert_eq!(station.asked.load(Ordering::Relaxed), 2, "{name}");
            assert_eq!((run.turns, run.rounds), (2, 1));
            let told = told.lock().unwrap().clone();
            assert_eq!(
                told.contains("Sun for two days, says the tool."),
                streams,
                "{name}"
            );
            let thread = plain(session.thread());
            assert_eq!(thread.len(), 5, "{name}");
            let calls = thread[1].tool_calls();
            let cities = calls.iter().map(|call| {
                let arguments: serde_json::Value = serde_json::from_str(&call.arguments).unwrap();
                arguments["city"].as_str().unwrap().to_owned()
            });
            assert_eq!(cities.collect::<Vec<_>>(), ["Oslo", "Bærum"], "{name}");
            threads.push((name, thread));
        }
    }
    // What was answered is the same everywhere; ids are the providers' own.
    let answers = |thread: &[ThreadMessage]| -> Vec<String> {
        let answers = thread.iter().filter_map(|message| match message {
            ThreadMessage::Tool(answer) => Some(answer.text.clone()),
            _ => None,
        });
        answers.collect()
    };
    for (name, thread) in &threads {
        assert_eq!(
            answers(thread),
            [
                r#"{"city":"Oslo","days":2}"#,
                r#"{"city":"Bærum","days":1}"#
            ],
            "{name}"
        );
    }
}

#[derive(Debug, PartialEq, serde::Deserialize, Schema)]
struct Answer {
    city: String,
    days: Option<u8>,
}

#[tokio::test]
async fn the_outcome_is_a_value_on_every_wire() {
    for endpoint in endpoints("value") {
        let station = Arc::new(Station::default());
        let (agent, _) = agent(endpoint, &station, false);
        let mut session = Session::ask("How is the weather in Oslo?");
        let _ = agent.run(&mut session, &Context::new()).await.unwrap();
        let answer: Answer = agent.finalize(&mut session, &Context::new()).await.unwrap();
        let city = "Oslo".to_owned();
        assert_eq!(
            answer,
            Answer {
                city,
                days: Some(2)
            }
        );
    }
}

/// The failure that a question comes to; aimock takes faults as headers.
async fn fails(endpoint: Endpoint, question: &str, streams: bool) -> ModelError {
    let station = Arc::new(Station::default());
    let (agent, _) = agent(endpoint.retries(0), &station, streams);
    let mut session = Session::ask(question);
    let outcome = agent.run(&mut session, &Context::new()).await;
    assert_eq!(
        session.thread().len(),
        1,
        "a failure leaves the thread as it was"
    );
    match outcome.unwrap_err() {
        AgentError::Model(error) => error,
        other => panic!("{other:?}"),
    }
}

#[tokio::test]
async fn every_fault_is_told_by_its_kind() {
    use ModelErrorKind::{Busy, Refused, Transport, Unreadable};
    for streams in [false, true] {
        let faults = [
            ("drop", Busy, "500"),
            ("ratelimit", Busy, "429"),
            ("malformed", Unreadable, ""),
            ("disconnect", Transport, ""),
        ];
        for (fault, kind, words) in faults {
            for endpoint in endpoints(fault) {
                let name = format!("{fault}: {endpoint:?}, streams: {streams}");
                let endpoint = endpoint.header(format!("x-aimock-chaos-{fault}"), "1");
                let error = fails(endpoint, "How is the weather?", streams).await;
                assert_eq!(error.kind(), kind, "{name}: {error}");
                assert!(error.to_string().contains(words), "{name}: {error}");
                let asked = (fault == "ratelimit").then_some(Duration::from_secs(1));
                assert_eq!(error.retry_after(), asked, "{name}");
            }
        }
        for endpoint in endpoints("refused") {
            let error = fails(endpoint, "This is refused.", streams).await;
            assert_eq!(error.kind(), Refused);
            assert!(
                error.to_string().contains("That is not allowed here."),
                "{error}"
            );
        }
    }
}

#[tokio::test]
async fn a_stream_that_breaks_off_is_no_answer() {
    for endpoint in endpoints("words") {
        let name = format!("{endpoint:?}");
        let error = fails(endpoint, "It breaks off in words.", true).await;
        assert_eq!(error.kind(), ModelErrorKind::Transport, "{name}: {error}");
    }
    // Elsewhere a call comes in one piece.
    let pieces = [Wire::OpenAiChat, Wire::OpenAiResponses, Wire::Anthropic];
    let endpoints = endpoints("call").into_iter();
    for endpoint in endpoints.filter(|endpoint| pieces.contains(&endpoint.wire())) {
        let name = format!("{endpoint:?}");
        let error = fails(endpoint, "It breaks off in a call.", true).await;
        assert_eq!(error.kind(), ModelErrorKind::Transport, "{name}: {error}");
    }
}

#[tokio::test]
async fn who_is_busy_is_reapproval() {
    for endpoint in endpoints("busy") {
        let station = Arc::new(Station::default());
        let (agent, _) = agent(endpoint, &station, true);
        let mut session = Session::ask("Are you busy?");
        let run = agent.run(&mut session, &Context::new()).await.unwrap();
        assert_eq!(run.text(), Some("Now I have time."));
    }
}

#[tokio::test]
async fn a_session_goes_on_after_a_connection_that_broke_and_no_tool_runs_twice() {
    for endpoint in endpoints("later") {
        let station = Arc::new(Station::default());
        let (broken, _) = agent(endpoint.clone().retries(0), &station, true);
        let mut session = Session::ask("This fails later.");
        let run = broken.run(&mut session, &Context::new()).await.unwrap();
        let RunEnd::ModelError(error) = &run.end else {
            panic!("{run:?}");
        };
        assert_eq!(error.kind(), ModelErrorKind::Transport);
        assert_eq!(station.asked.load(Ordering::Relaxed), 1);
        assert!(matches!(session.status(), Status::Failed { .. }));

        let stored = serde_json::to_string(&session).unwrap();
        let mut session: Session = serde_json::from_str(&stored).unwrap();
        session.clear_error();
        let endpoint = endpoint.header("x-aimock-chaos-disconnect", "0");
        let (healed, _) = agent(endpoint, &station, true);
        let run = healed.run(&mut session, &Context::new()).await.unwrap();
        assert_eq!(run.text(), Some("It was done once."));
        assert_eq!(station.asked.load(Ordering::Relaxed), 1);
        assert_eq!(session.thread().len(), 4);
    }
}
