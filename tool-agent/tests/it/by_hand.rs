//! Threads that a person writes: results of tools as messages, each with the id of its call.
// A test that finds less than it expects has failed.
#![allow(clippy::unwrap_used, clippy::indexing_slicing)]

use serde::Serialize;
use serde_json::json;
use toolwright::agent::testing::ScriptedModel;
use toolwright::agent::thread::{ThreadRepair, ToolMessage};
use toolwright::agent::tool_node::route;
use toolwright::agent::{Agent, ModelResponse, Node, Session, Thread, ThreadMessage};
use toolwright::call::Content;
use toolwright::{Context, ToolCall, Toolset, Wire, tool, tools};

/// Adds two numbers.
#[tool]
fn add(a: i64, b: i64) -> i64 {
    a + b
}

fn calls<const N: usize>(calls: [(&str, &str); N]) -> ThreadMessage {
    ThreadMessage::calls(calls.map(|(id, name)| ToolCall::new(id, name, "{}")))
}

fn answers(thread: &Thread) -> Vec<&ToolMessage> {
    let messages = thread.messages().iter();
    let answers = messages.filter_map(|message| match message {
        ThreadMessage::Tool(answer) => Some(answer),
        _ => None,
    });
    answers.collect()
}

/// Each answer's place, id, tool and text.
fn placed(thread: &Thread) -> Vec<(usize, &str, &str, &str)> {
    let answers = answers(thread).into_iter();
    let placed = answers.map(|one| (one.index, &*one.id, &*one.name, &*one.text));
    placed.collect()
}

#[test]
fn a_result_finds_its_call_by_its_id() {
    let thread = Thread::from([
        ThreadMessage::user("Go!"),
        calls([("a", "add"), ("b", "look")]),
        // In any order.
        ThreadMessage::tool("seen", "b"),
        ThreadMessage::tool(3, "a"),
        // An id may come again in another turn.
        calls([("b", "add")]),
        ThreadMessage::tool(json!({"sum": 5}), "b"),
    ]);
    assert_eq!(
        placed(&thread),
        [
            (1, "b", "look", "seen"),
            (0, "a", "add", "3"),
            (0, "b", "add", r#"{"sum":5}"#)
        ]
    );
    assert!(thread.check().is_ok());
    assert_eq!(route(&thread), Node::Model);
    assert_eq!(thread.called().collect::<Vec<_>>(), ["look", "add", "add"]);

    // The same thread, message by message, and as it is stored.
    let mut pushed = Thread::new();
    for message in [
        ThreadMessage::user("Go!"),
        calls([("a", "add"), ("b", "look")]),
        ThreadMessage::tool("seen", "b"),
        ThreadMessage::tool(3, "a"),
    ] {
        pushed.push(message);
    }
    pushed.extend([
        calls([("b", "add")]),
        ThreadMessage::tool(json!({"sum": 5}), "b"),
    ]);
    assert_eq!(pushed, thread);
    let stored = serde_json::to_string(&thread).unwrap();
    assert_eq!(serde_json::from_str::<Thread>(&stored).unwrap(), thread);
}

#[test]
fn a_lone_message_is_stored_without_a_place_and_gets_one_in_a_thread() {
    let lone = serde_json::to_value(ThreadMessage::tool("seen", "b")).unwrap();
    assert_eq!(
        lone,
        json!({"role": "tool", "id": "b", "name": "", "text": "seen"})
    );
    let two = serde_json::to_value(calls([("a", "add"), ("b", "look")])).unwrap();
    let thread: Thread = serde_json::from_value(json!([two, lone])).unwrap();
    assert_eq!(placed(&thread), [(1, "b", "look", "seen")]);
}

#[test]
fn calls_of_one_id_are_answered_in_order() {
    let three = calls([("x", "one"), ("y", "two"), ("x", "three")]);
    let results = ["1", "2", "3"];
    // The places of the answers in the order in which they are written, and the tool of each.
    for (ids, wanted) in [
        (["x", "y", "x"], [(0, "one"), (1, "two"), (2, "three")]),
        (["x", "x", "y"], [(0, "one"), (2, "three"), (1, "two")]),
        (["y", "x", "x"], [(1, "two"), (0, "one"), (2, "three")]),
    ] {
        let mut thread = Thread::from([three.clone()]);
        for (id, result) in ids.iter().zip(results) {
            thread.push(ThreadMessage::tool(result, *id));
        }
        let found: Vec<_> = placed(&thread).iter().map(|one| (one.0, one.2)).collect();
        assert_eq!(found, wanted);
        assert!(thread.check().is_ok(), "{ids:?}");
    }
}

#[test]
fn what_answers_no_call_is_an_orphan_until_it_is_repaired() {
    let open = Thread::from([
        ThreadMessage::tool("before any call", "a"),
        calls([("a", "add"), ("b", "look")]),
        ThreadMessage::tool("of nobody", "z"),
        ThreadMessage::tool(3, "a"),
        ThreadMessage::tool("a second time", "a"),
        ThreadMessage::user("And?"),
        ThreadMessage::tool("too late", "b"),
    ]);
    let error = open.check().unwrap_err();
    assert_eq!(error.orphans, [0, 2, 4, 6]);
    let unanswered: Vec<_> = error.unanswered.iter().map(|open| &*open.call.id).collect();
    assert_eq!(unanswered, ["b"]);

    let mut repaired = open;
    repaired.repair(&ThreadRepair::Answer("lost".into()));
    assert!(repaired.check().is_ok());
    assert_eq!(
        placed(&repaired),
        [(0, "a", "add", "3"), (1, "b", "look", "lost")]
    );
}

#[test]
fn a_thread_that_begins_with_calls_is_repaired_behind_them() {
    let mut thread = Thread::from([calls([("a", "add")])]);
    thread.repair(&ThreadRepair::Answer("lost".into()));
    assert_eq!(placed(&thread), [(0, "a", "add", "lost")]);
    assert!(thread.check().is_ok());
}

#[test]
fn each_provider_gets_the_result_under_its_id() {
    let thread = Thread::from([
        ThreadMessage::user("Go!"),
        calls([("c7", "add")]),
        ThreadMessage::tool("the sum is 4", "c7"),
    ]);
    for wire in [
        Wire::OpenAiChat,
        Wire::OpenAiResponses,
        Wire::Anthropic,
        Wire::Gemini,
        Wire::Ollama,
        Wire::BedrockConverse,
    ] {
        let body = thread.format(wire, None).unwrap();
        let (_, answer) = body.rsplit_once("c7").unwrap();
        assert!(answer.contains("the sum is 4"), "{wire:?}: {body}");
    }
}

#[test]
fn blocks_stay_blocks_and_a_value_that_cannot_be_written_is_a_failure() {
    struct Broken;

    impl Serialize for Broken {
        fn serialize<S: serde::Serializer>(&self, _: S) -> Result<S::Ok, S::Error> {
            Err(serde::ser::Error::custom("not today"))
        }
    }

    let picture = Content::text("a cat").image("image/png", "AAAA");
    let thread = Thread::from([
        calls([("a", "draw"), ("b", "add")]),
        ThreadMessage::tool(picture, "a"),
        ThreadMessage::tool(Broken, "b"),
    ]);
    let [drawn, broken] = answers(&thread)[..] else {
        panic!("{thread:?}");
    };
    assert_eq!((drawn.blocks.len(), drawn.is_error), (2, false));
    assert!(broken.is_error);
    assert_eq!(
        broken.text,
        "the tool ran, but its result cannot be written as JSON"
    );
}

#[tokio::test]
async fn an_agent_goes_on_behind_results_that_a_person_wrote() {
    let written = Thread::from([
        ThreadMessage::user("What is 2 + 2, and 4 + 1?"),
        calls([("a", "add"), ("b", "add")]),
        ThreadMessage::tool(add(2, 2), "a"),
        ThreadMessage::tool(add(4, 1), "b"),
    ]);
    let tools: Toolset = tools![add];
    let model = ScriptedModel::new([Ok(ModelResponse::text("4 and 5."))]);
    let agent = Agent::new(model, &tools);
    let mut session = Session::from_thread(written);
    let run = agent.run(&mut session, &Context::new()).await.unwrap();
    assert_eq!(run.text(), Some("4 and 5."));
    assert_eq!(session.thread().len(), 5);
}
