//! Why a response ended decides how a run ends: a half answer, a refusal, or a call that was cut off is not an answer.
// A test that finds less than it expects has failed.
#![allow(clippy::unwrap_used, clippy::indexing_slicing)]

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use serde_json::{Value, json};
use toolwright::agent::testing::ScriptedModel;
use toolwright::agent::{
    Agent, AgentTool, Endpoint, ModelResponse, Run, RunEnd, Session, ThreadMessage,
};
use toolwright::{
    Context, Schema, ToolCall, Toolset, Wire, call::Decision, tool, tools, wire::FinishReason,
};

use crate::http::{Server, answer, stream, whole};

#[derive(Default)]
struct Paid(AtomicUsize);

impl Paid {
    fn count(&self) -> usize {
        self.0.load(Ordering::SeqCst)
    }
}

/// Pays an amount.
#[tool]
fn pay(amount: i64, #[state] paid: &Paid) -> i64 {
    paid.0.fetch_add(1, Ordering::SeqCst);
    amount
}

fn response(wire: Wire, text: &str, reason: &str) -> Value {
    match wire {
        Wire::OpenAiChat => json!({"choices": [
            {"message": {"role": "assistant", "content": text}, "finish_reason": reason}]}),
        Wire::OpenAiResponses => {
            let (status, details) = match reason {
                "max_output_tokens" | "content_filter" => ("incomplete", json!({"reason": reason})),
                reason => (reason, Value::Null),
            };
            let content = json!([{"type": "output_text", "text": text}]);
            let message = json!({"type": "message", "role": "assistant", "content": content});
            let output = if text.is_empty() {
                json!([])
            } else {
                json!([message])
            };
            json!({"status": status, "incomplete_details": details, "output": output})
        }
        Wire::Anthropic => json!({"role": "assistant", "stop_reason": reason,
            "content": [{"type": "text", "text": text}]}),
        Wire::Gemini => json!({"candidates": [{"finishReason": reason,
            "content": {"role": "model", "parts": [{"text": text}]}}]}),
        _ => json!({"message": {"role": "assistant", "content": text},
            "done": true, "done_reason": reason}),
    }
}

/// The same response as a stream of events.
fn events(wire: Wire, text: &str, reason: &str) -> Vec<u8> {
    let response = response(wire, text, reason);
    let lines = match wire {
        Wire::OpenAiChat => vec![
            json!({"choices": [{"index": 0, "delta": {"role": "assistant", "content": text}}]}),
            json!({"choices": [{"index": 0, "delta": {}, "finish_reason": reason}]}),
        ],
        Wire::OpenAiResponses => {
            let mut lines = Vec::new();
            if let Some(item) = response["output"].get(0) {
                lines.push(
                    json!({"type": "response.output_item.done", "output_index": 0, "item": item}),
                );
            }
            let kind = if response["status"] == "completed" {
                "completed"
            } else {
                "incomplete"
            };
            lines.push(json!({"type": format!("response.{kind}"), "response": response}));
            lines
        }
        Wire::Anthropic => vec![
            json!({"type": "message_start", "message": {"role": "assistant", "content": []}}),
            json!({"type": "content_block_start", "index": 0, "content_block": {"type": "text", "text": ""}}),
            json!({"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": text}}),
            json!({"type": "content_block_stop", "index": 0}),
            json!({"type": "message_delta", "delta": {"stop_reason": reason}}),
            json!({"type": "message_stop"}),
        ],
        Wire::Gemini => vec![response],
        _ => {
            return answer(
                "200 OK",
                "content-type: application/x-ndjson\r\n",
                &format!("{response}\n"),
            );
        }
    };
    let lines: Vec<_> = lines
        .iter()
        .map(|line| format!("data: {line}\n\n"))
        .collect();
    stream(&lines.concat())
}

fn endpoint(wire: Wire, url: &str) -> Endpoint {
    match wire {
        Wire::OpenAiChat => Endpoint::openai_chat(url, "m", ""),
        Wire::OpenAiResponses => Endpoint::openai_responses(url, "m", ""),
        Wire::Anthropic => Endpoint::anthropic(url, "m", ""),
        Wire::Gemini => Endpoint::gemini(url, "m", ""),
        _ => Endpoint::ollama(url, "m"),
    }
}

async fn run(agent: &Agent, session: &mut Session) -> Run {
    agent.run(session, &Context::new()).await.unwrap()
}

/// Runs an agent whose provider answers with this, whole and streamed.
async fn ends(wire: Wire, text: &str, reason: &str) -> [(Run, Session); 2] {
    let whole = whole(&response(wire, text, reason).to_string());
    let mut ends = Vec::new();
    for (answer, streams) in [(whole, false), (events(wire, text, reason), true)] {
        let server = Server::start(vec![answer]).await;
        let mut agent = Agent::new(endpoint(wire, &server.url), Toolset::default());
        if streams {
            agent = agent.on_event(|_| {});
        }
        let mut session = Session::ask("Hi!");
        ends.push((run(&agent, &mut session).await, session));
    }
    ends.try_into().unwrap()
}

/// The reasons of each provider that mean no whole answer, and the run's end.
const ROWS: &[(Wire, &str, &str)] = &[
    (Wire::OpenAiChat, "length", "cut_off"),
    (Wire::OpenAiChat, "content_filter", "filtered"),
    (Wire::OpenAiChat, "error", "failed"),
    (Wire::OpenAiChat, "insufficient_system_resource", "failed"),
    (Wire::OpenAiResponses, "max_output_tokens", "cut_off"),
    (Wire::OpenAiResponses, "content_filter", "filtered"),
    (Wire::Anthropic, "max_tokens", "cut_off"),
    (Wire::Anthropic, "model_context_window_exceeded", "cut_off"),
    (Wire::Anthropic, "refusal", "refused"),
    (Wire::Gemini, "MAX_TOKENS", "cut_off"),
    (Wire::Gemini, "SAFETY", "filtered"),
    (Wire::Gemini, "RECITATION", "filtered"),
    (Wire::Gemini, "MALFORMED_FUNCTION_CALL", "malformed_call"),
    (Wire::Gemini, "UNEXPECTED_TOOL_CALL", "malformed_call"),
    (Wire::Gemini, "OTHER", "failed"),
    (Wire::Ollama, "length", "cut_off"),
];

#[tokio::test]
async fn a_run_ends_as_its_last_response_did() {
    for (wire, reason, end) in ROWS {
        for (run, session) in ends(*wire, "It is", reason).await {
            assert_eq!(run.end.as_str(), *end, "{wire:?}: {reason}");
            assert_eq!((run.text(), run.text.as_deref()), (None, Some("It is")));
            assert_eq!(session.result(), None, "{wire:?}: {reason}");
            assert_eq!(session.status().as_str(), "idle");
            let error = run.completed().unwrap_err().to_string();
            assert!(error.contains("response"), "{error}");
        }
    }
}

#[tokio::test]
async fn an_unknown_reason_counts_where_the_response_says_nothing() {
    for wire in [Wire::OpenAiChat, Wire::Anthropic, Wire::Gemini] {
        for (run, session) in ends(wire, "It is 5.", "tired").await {
            assert_eq!(
                (run.end.as_str(), run.text()),
                ("completed", Some("It is 5."))
            );
            assert_eq!(session.result(), Some("It is 5."));
        }
        for (run, session) in ends(wire, "", "tired").await {
            assert_eq!(run.end.as_str(), "stopped", "{wire:?}");
            let error = run.completed().unwrap_err().to_string();
            assert!(error.contains("tired"), "{error}");
            // Nothing was said, so the next run asks again.
            assert_eq!(session.thread().len(), 1);
        }
    }
}

/// A response of `OpenAI` that goes on in the background is not an answer, whatever it has of one.
#[tokio::test]
async fn a_response_in_the_background_is_no_answer_yet() {
    for (status, text) in [("queued", ""), ("in_progress", ""), ("in_progress", "It")] {
        let body = response(Wire::OpenAiResponses, text, status).to_string();
        let server = Server::start(vec![whole(&body)]).await;
        let model = endpoint(Wire::OpenAiResponses, &server.url);
        let mut session = Session::ask("Hi!");
        let run = run(&Agent::new(model, Toolset::default()), &mut session).await;
        assert_eq!((run.end.as_str(), run.text()), ("in_progress", None));
        assert_eq!(session.thread().len(), 1);
    }
}

fn stopped(response: ModelResponse, stop: FinishReason) -> ModelResponse {
    let mut response = response;
    response.stop = Some(stop);
    response
}

fn calls(arguments: &[&str]) -> ModelResponse {
    let calls = arguments.iter().zip(1..);
    ModelResponse::calls(calls.map(|(text, id)| ToolCall::new(format!("c{id}"), "pay", *text)))
}

fn answers(session: &Session) -> Vec<(String, bool)> {
    let messages = session.thread().messages().iter();
    let answers = messages.filter_map(|message| match message {
        ThreadMessage::Tool(answer) => Some((answer.text.clone(), answer.is_error)),
        _ => None,
    });
    answers.collect()
}

/// A model would be asked for the same half of a call to the limit of turns.
#[tokio::test]
async fn a_call_that_was_cut_off_does_not_run_and_is_not_asked_again() {
    let halves = [r#"{"amount": 1"#, r#"{"amount": "#, "{", "", "{}"];
    for half in halves {
        let paid = Arc::new(Paid::default());
        let model = ScriptedModel::new([
            Ok(stopped(
                calls(&[r#"{"amount": 7}"#, half]),
                FinishReason::CutOff,
            )),
            Ok(ModelResponse::text("Done.")),
        ]);
        let agent = Agent::new(model.clone(), tools![pay; state = Arc::clone(&paid)]);
        let mut session = Session::ask("Pay!");
        let first = run(&agent, &mut session).await;
        assert_eq!(first.end.as_str(), "cut_off", "{half}");
        assert_eq!((model.requests().len(), paid.count()), (1, 1), "{half}");
        let answers = answers(&session);
        assert_eq!(answers[0], ("7".to_owned(), false));
        assert!(
            answers[1].1 && answers[1].0.contains("cut off"),
            "{answers:?}"
        );
        // It goes on when it is run again.
        assert_eq!(run(&agent, &mut session).await.text(), Some("Done."));
        assert_eq!(paid.count(), 1);
    }
}

#[tokio::test]
async fn whole_calls_of_a_response_that_was_cut_off_run() {
    let paid = Arc::new(Paid::default());
    let model = ScriptedModel::new([
        Ok(stopped(calls(&[r#"{"amount": 7}"#]), FinishReason::CutOff)),
        Ok(ModelResponse::text("Done.")),
    ]);
    let agent = Agent::new(model, tools![pay; state = Arc::clone(&paid)]);
    let run = run(&agent, &mut Session::ask("Pay!")).await;
    assert_eq!((run.text(), paid.count()), (Some("Done."), 1));
}

/// What a provider withdrew is nothing that a model wants.
#[tokio::test]
async fn calls_of_a_response_that_was_refused_or_filtered_do_not_run() {
    for (reason, end) in [
        ("SAFETY", "filtered"),
        ("MALFORMED_FUNCTION_CALL", "malformed_call"),
        ("OTHER", "failed"),
    ] {
        let call = json!({"functionCall": {"name": "pay", "args": {"amount": 7}}});
        let body = json!({"candidates": [{"finishReason": reason, "content": {"role": "model", "parts": [call]}}]});
        let server = Server::start(vec![whole(&body.to_string())]).await;
        let paid = Arc::new(Paid::default());
        let model = endpoint(Wire::Gemini, &server.url);
        let agent = Agent::new(model, tools![pay; state = Arc::clone(&paid)]);
        let mut session = Session::ask("Pay!");
        let run = run(&agent, &mut session).await;
        assert_eq!((run.end.as_str(), paid.count()), (end, 0));
        assert_eq!(session.thread().check(), Ok(()));
    }
}

#[tokio::test]
async fn a_turn_that_is_paused_again_and_again_ends() {
    let paused = || {
        Ok(stopped(
            ModelResponse::text("I search."),
            FinishReason::Paused,
        ))
    };
    let model = ScriptedModel::new((0..9).map(|_| paused()));
    let agent = Agent::new(model.clone(), Toolset::default()).max_turns(50);
    let mut session = Session::ask("Hi!");
    let run = run(&agent, &mut session).await;
    assert_eq!((run.end.as_str(), run.turns), ("paused", 9));
    assert!(run.completed().is_err());
    model.finish();
}

/// The tool of a provider asks: it is not a call of an unknown tool, and nobody refuses it unasked.
#[tokio::test]
async fn an_approval_that_a_providers_tool_asks_for_waits() {
    let item = json!({"type": "mcp_approval_request", "id": "mcpr_1", "name": "roll",
        "server_label": "dice", "arguments": "{\"n\":1}"});
    let asks = json!({"status": "completed", "output": [item]}).to_string();
    let text = response(Wire::OpenAiResponses, "Six.", "completed").to_string();
    for (decision, approved) in [
        (Some(Decision::Approve), true),
        (Some(Decision::Reject("no".into())), false),
        (None, true),
    ] {
        let server = Server::start(vec![whole(&asks), whole(&text)]).await;
        let model = endpoint(Wire::OpenAiResponses, &server.url);
        let agent = Agent::new(model, Toolset::default());
        let mut session = Session::ask("Roll!");
        let first = run(&agent, &mut session).await;
        assert_eq!(first.end.as_str(), "pending");
        assert_eq!(&*session.pending()[0].call.arguments, "{\"n\":1}");
        match decision {
            Some(decision) => session.decide("mcpr_1", decision).unwrap(),
            None => session.submit("mcpr_1", true).unwrap(),
        }
        assert_eq!(run(&agent, &mut session).await.text(), Some("Six."));
        let sent = server.got()[1].body["input"].as_array().unwrap().clone();
        let answer = sent.last().unwrap();
        assert_eq!(answer["type"], "mcp_approval_response");
        assert_eq!(answer["approve"], approved, "{answer}");
    }
}

#[derive(Debug, serde::Deserialize, serde::Serialize, Schema)]
struct Sum {
    #[allow(dead_code)]
    sum: i64,
}

#[tokio::test]
async fn a_final_answer_that_was_cut_off_says_so() {
    for (stop, words) in [
        (FinishReason::CutOff, "cut off"),
        (FinishReason::Refused, "refused"),
    ] {
        let model = ScriptedModel::new([Ok(stopped(ModelResponse::text(r#"{"su"#), stop))]);
        let agent = Agent::new(model, Toolset::default());
        let mut session = Session::ask("2 + 3?");
        let error = agent
            .finalize::<Sum>(&mut session, &Context::new())
            .await
            .unwrap_err();
        assert!(error.to_string().contains(words), "{error}");
    }
}

#[tokio::test]
async fn an_agent_that_is_a_tool_gives_no_half_answer() {
    let inner = ScriptedModel::new([Ok(stopped(
        ModelResponse::text("In 10"),
        FinishReason::CutOff,
    ))]);
    let inner = AgentTool::new(Agent::new(inner, Toolset::default()), "helper", "Helps.");
    let ask = ToolCall::new("c1", "helper", r#"{"input": "Go!"}"#);
    let model = ScriptedModel::new([
        Ok(ModelResponse::calls([ask])),
        Ok(ModelResponse::text("It failed.")),
    ]);
    let agent = Agent::new(model, Toolset::new([inner.build().unwrap()]).unwrap());
    let mut session = Session::ask("Go!");
    let run = run(&agent, &mut session).await;
    assert!(matches!(run.end, RunEnd::Completed));
    let answers = answers(&session);
    assert!(
        answers[0].1 && answers[0].0.contains("cut off"),
        "{answers:?}"
    );
}
