//! What Synaptic's graph does around a tool, in an agent's loop.
// A test that finds less than it expects has failed.
#![allow(clippy::unwrap_used, clippy::indexing_slicing)]

use std::sync::{Arc, Mutex};

use serde_json::{Value, json};
use toolwright::agent::model::{DeltaSink, ModelError, ModelRequest};
use toolwright::agent::testing::ScriptedModel;
use toolwright::agent::{
    Agent, AgentError, Endpoint, MemoryCheckpointer, Model, ModelResponse, Node, RunEnd, RunEvent,
    Session, Status,
};
use toolwright::call::BoxFuture;
use toolwright::executor::PendingReason;
use toolwright::layers::{Handled, Layer, Next, Request};
use toolwright::{
    Context, Encoder, Executor, Outcome, Registry, Tool, ToolDef, Toolset,
    call::{Decision, ErrorKind, Filter, Progress, State},
    executor::{ErrorPolicy, Event},
    tool, tools,
    wire::ToolChoice,
};

use crate::http::{Server, whole};
use crate::scripts::{
    Notes, Step, answered, answers, bare, call, calls, roles, script, stored, text,
};

/// A script that also notes the definitions that it is sent.
#[derive(Clone)]
struct Reads {
    script: ScriptedModel,
    sent: Arc<Mutex<Vec<Vec<ToolDef>>>>,
}

impl Reads {
    fn new(steps: impl IntoIterator<Item = Step>) -> Self {
        Self {
            script: script(steps),
            sent: Arc::default(),
        }
    }

    fn sent(&self) -> Vec<Vec<ToolDef>> {
        self.sent.lock().unwrap().clone()
    }
}

impl Model for Reads {
    fn respond<'a>(
        &'a self,
        request: ModelRequest<'a>,
        deltas: DeltaSink<'a>,
    ) -> BoxFuture<'a, Result<ModelResponse, ModelError>> {
        let sent = request.tools.definitions().cloned().collect();
        self.sent.lock().unwrap().push(sent);
        self.script.respond(request, deltas)
    }
}

/// Weather of a city.
#[tool]
fn weather(#[arg(len(1..))] city: &str) -> Result<String, String> {
    match city {
        "Oslo" => Ok("sun".into()),
        _ => Err(format!("no such city: {city}")),
    }
}

/// Looks.
#[tool]
fn look(#[state] notes: &Notes) -> &'static str {
    notes.write("look");
    "seen"
}

fn weather_call(id: &str, city: &str) -> toolwright::ToolCall {
    call(id, "weather", &json!({"city": city}))
}

fn only(tools: &Toolset) -> Arc<dyn Tool> {
    Arc::clone(tools.iter().next().unwrap())
}

#[tokio::test]
async fn stored_definitions_are_what_a_model_is_sent_with_hints_and_an_empty_schema() {
    let kept = [
        json!({"name": "look", "description": "Looks about.", "extras": {"cache": "1h"}}),
        json!({
            "name": "weather", "description": "Weather of a town.",
            "parameters": {"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]},
        }),
    ];
    let defs = kept.map(|kept| serde_json::from_value::<ToolDef>(kept).unwrap());
    let again = defs.clone().map(|def| {
        let stored = serde_json::to_string(&def).unwrap();
        serde_json::from_str::<ToolDef>(&stored).unwrap()
    });
    assert_eq!(again, defs);

    let registry = Registry::from(tools![weather, look; state = Notes::default()]);
    let model = Reads::new([
        calls([bare("look"), weather_call("c1", "Oslo")]),
        text("Sun."),
    ]);
    let agent = Agent::new(model.clone(), registry.attach(again).unwrap());
    let mut session = Session::ask("Go!");
    let _ = agent.run(&mut session, &Context::new()).await.unwrap();
    assert_eq!(answers(session.thread()), ["seen", "sun"]);
    let sent = model.sent();
    assert_eq!(sent.len(), 2);
    for sent in sent {
        let told = |at: usize| (&*sent[at].name, &*sent[at].description);
        assert_eq!(told(0), ("look", "Looks about."));
        assert_eq!(told(1), ("weather", "Weather of a town."));
        assert_eq!(sent[0].meta.get("cache"), Some(&json!("1h")));
        let schema = sent[0].input.to_value();
        assert_eq!(
            (&schema["type"], &schema["properties"]),
            (&json!("object"), &json!({}))
        );
    }
}

fn said(message: &Value) -> Vec<u8> {
    whole(&json!({"choices": [{"message": message}]}).to_string())
}

#[tokio::test]
async fn a_choice_is_in_the_first_request_and_one_that_was_followed_is_not_forced_again() {
    let call = json!({"role": "assistant", "content": null, "tool_calls": [{
        "id": "c1", "type": "function", "function": {"name": "weather", "arguments": r#"{"city": "Oslo"}"#},
    }]});
    let words = json!({"role": "assistant", "content": "Sun."});
    let one = json!({"type": "function", "function": {"name": "weather"}});
    for (choice, first, then) in [
        (ToolChoice::Auto, json!("auto"), json!("auto")),
        (ToolChoice::Required, json!("required"), json!("auto")),
        (ToolChoice::None, json!("none"), json!("none")),
        ("weather".into(), one, json!("auto")),
    ] {
        let server = Server::start(vec![said(&call), said(&words)]).await;
        let endpoint = Endpoint::openai_chat(&*server.url, "m", "");
        let agent = Agent::new(endpoint, tools![weather]).tool_choice(choice);
        let run = agent.run(&mut Session::ask("Go!"), &Context::new()).await;
        assert_eq!(run.unwrap().text(), Some("Sun."));
        let got: Vec<_> = server
            .got()
            .into_iter()
            .map(|got| got.body["tool_choice"].clone())
            .collect();
        assert_eq!(got, [first, then]);
    }
    // What cannot be followed is refused before anything is sent.
    let hides = Executor::serial(tools![weather]).filter(Filter::deny(["weather"]));
    for (executor, choice) in [
        (
            Executor::serial(tools![weather]),
            ToolChoice::from("wether"),
        ),
        (hides.clone(), ToolChoice::from("weather")),
        (hides, ToolChoice::Required),
    ] {
        let agent = Agent::with_executor(script([]), executor).tool_choice(choice);
        let mut session = Session::ask("Go!");
        let error = agent.run(&mut session, &Context::new()).await.unwrap_err();
        assert!(matches!(error, AgentError::ToolChoice(_)), "{error:?}");
        assert_eq!(session.thread().len(), 1);
    }
}

#[tokio::test]
async fn a_wrapped_error_is_a_value_that_the_model_reads() {
    let plain = only(&tools![weather]);
    let words = Arc::clone(&plain).handle_errors();
    let code = Arc::clone(&plain).handle_errors_with(|error| json!({"sorry": error.to_string()}));
    for (tool, handled) in [
        (words, "no such city: Rome"),
        (code, r#"{"sorry":"no such city: Rome"}"#),
    ] {
        let turn = || calls([weather_call("c1", "Rome"), weather_call("c2", "Oslo")]);
        let model = Reads::new([turn(), text("Sun in Oslo.")]);
        let agent = Agent::new(model.clone(), Toolset::new([tool]).unwrap());
        let mut session = Session::ask("Go!");
        let run = agent.run(&mut session, &Context::new()).await.unwrap();
        assert_eq!((run.end.as_str(), run.turns), ("completed", 2));
        // Neither is an error, and the success is as it was.
        assert_eq!(answers(session.thread()), [handled, "sun"]);
        assert!(
            answered(session.thread())
                .iter()
                .all(|(.., is_error)| !is_error)
        );
        // The model is sent the tool's own definition.
        assert_eq!(model.sent()[0], [plain.def().clone()]);
    }
}

#[tokio::test]
async fn what_a_direct_tool_gives_is_the_last_word_and_its_error_is_the_models_to_mend() {
    let plain = only(&tools![weather]);
    for tool in [
        Arc::clone(&plain).return_direct(),
        Arc::clone(&plain).handle_errors().return_direct(),
        plain.return_direct().handle_errors(),
    ] {
        let model = script([
            calls([weather_call("c1", "Rome")]),
            calls([weather_call("c2", "Oslo")]),
        ]);
        let agent = Agent::new(model.clone(), Toolset::new([tool]).unwrap());
        let mut session = Session::ask("Go!");
        let run = agent.run(&mut session, &Context::new()).await.unwrap();
        assert_eq!((run.end.as_str(), run.turns), ("return_direct", 2));
        assert_eq!((run.text(), session.result()), (Some("sun"), Some("sun")));
        assert_eq!(session.status(), Status::Completed);
        let expected = ["user", "assistant", "tool", "assistant", "tool"];
        assert_eq!(roles(session.thread()), expected);
        assert_eq!(answers(session.thread())[0], "no such city: Rome");
        model.finish();
    }
}

/// Reports to the user.
#[tool(return_direct)]
fn report(good: bool) -> Result<&'static str, &'static str> {
    if good {
        Ok("the report")
    } else {
        Err("no paper")
    }
}

#[tokio::test]
async fn a_turn_goes_on_where_not_all_that_succeeded_goes_to_the_user() {
    let report_call = |id, good: bool| call(id, "report", &json!({"good": good}));
    for (turn, end) in [
        (vec![report_call("c1", true)], Some("the report")),
        (
            vec![report_call("c1", true), report_call("c2", false)],
            Some("the report"),
        ),
        (vec![report_call("c1", true), bare("look")], None),
        (vec![report_call("c1", false)], None),
    ] {
        let model = script([calls(turn), text("Here it is.")]);
        let agent = Agent::new(
            model.clone(),
            tools![report, look; state = Notes::default()],
        );
        let mut session = Session::ask("Report!");
        let run = agent.run(&mut session, &Context::new()).await.unwrap();
        assert_eq!(run.text(), Some(end.unwrap_or("Here it is.")));
        if end.is_some() {
            // New words go on with the whole thread, of which the report is the last.
            assert_eq!(run.end.as_str(), "return_direct");
            assert_eq!(roles(session.thread()).last(), Some(&"tool"));
            session.say("Thanks.").unwrap();
            let _ = agent.run(&mut session, &Context::new()).await.unwrap();
        }
        assert!(session.thread().check().is_ok());
        model.finish();
    }
}

#[tokio::test]
async fn a_result_is_read_as_json_and_an_error_ends_the_run_where_the_host_says_so() {
    let turn = || {
        calls([
            weather_call("c1", "Oslo"),
            weather_call("c2", "Rome"),
            bare("look"),
        ])
    };
    let notes = Notes::default();
    let executor = || Executor::serial(tools![weather, look; state = notes.clone()]);
    let agent = Agent::with_executor(script([turn(), text("Done.")]), executor());
    let mut session = Session::ask("Go!");
    let agent = agent.encoder(Encoder::json());
    let run = agent.run(&mut session, &Context::new()).await.unwrap();
    assert_eq!(run.text(), Some("Done."));
    let failed = r#"{"error":"no such city: Rome"}"#;
    assert_eq!(answers(session.thread()), [r#""sun""#, failed, r#""seen""#]);
    assert_eq!(notes.take(), ["look"]);

    let aborts = executor().on_error(ErrorPolicy::Abort);
    let model = script([turn()]);
    let agent = Agent::with_executor(model.clone(), aborts).encoder(Encoder::json());
    let mut session = Session::ask("Go!");
    let run = agent.run(&mut session, &Context::new()).await.unwrap();
    assert_eq!((run.end.as_str(), run.turns), ("tool_error", 1));
    let Err(AgentError::Tool(error)) = run.completed() else {
        panic!("no error")
    };
    assert_eq!(
        (error.kind(), error.to_string().as_str()),
        (ErrorKind::Failed, "no such city: Rome")
    );
    // What came before it is kept, what came after did not run, and each call is answered.
    let cancelled = r#"{"error":"the call was cancelled"}"#;
    assert_eq!(answers(session.thread()), [r#""sun""#, failed, cancelled]);
    assert_eq!(notes.take(), [""; 0]);
    model.finish();
}

#[tokio::test]
async fn after_a_node_what_it_did_is_kept_and_the_next_node_noted() {
    let store = MemoryCheckpointer::new();
    let notes = Notes::default();
    let agent = |steps: Vec<Step>| {
        Agent::new(script(steps), tools![look; state = notes.clone()]).checkpointer(store.clone())
    };
    let cx = Context::new();
    // After the tools: their answers are kept, and the model comes next.
    let tools = agent(vec![calls([bare("look")])]).interrupt_after(Node::Tools);
    let mut session = Session::with_id("s");
    session.say("Look!").unwrap();
    let run = tools.run(&mut session, &cx).await.unwrap();
    let RunEnd::Interrupted {
        node: Node::Tools,
        after: true,
    } = run.end
    else {
        panic!("{:?}", run.end);
    };
    let kept = tools.state("s").await.unwrap().unwrap();
    assert_eq!(
        (answers(kept.thread()), kept.next()),
        (vec!["seen"], Node::Model)
    );
    let last = tools.history("s").await.unwrap().pop().unwrap();
    assert_eq!(last.next, Node::Model);

    // After the model, though it made no calls: its words are kept, and nothing comes next.
    let model = agent(vec![text("Seen.")]).interrupt_after(Node::Model);
    let (kept, run) = model.resume("s", &cx).await.unwrap();
    let RunEnd::Interrupted {
        node: Node::Model,
        after: true,
    } = run.end
    else {
        panic!("{:?}", run.end);
    };
    assert_eq!(
        (kept.thread().last_text(), kept.next()),
        (Some("Seen."), Node::End)
    );
    let last = model.history("s").await.unwrap().pop().unwrap();
    assert_eq!(last.next, Node::End);
    assert_eq!(last.session().unwrap().thread(), kept.thread());
    // Once: whoever goes on asks nobody anything, and no tool runs again.
    let (_, run) = model.resume("s", &cx).await.unwrap();
    assert!(matches!(run.end, RunEnd::Completed));
    assert_eq!(notes.take(), ["look"]);
}

/// Shows a call to a person before it runs.
struct Interrupt;

impl Layer for Interrupt {
    fn call<'a>(&'a self, request: Request<'a>, next: Next<'a>) -> BoxFuture<'a, Handled> {
        Box::pin(async move {
            if request.is_approved() || &*request.call().name != "look" {
                return next.run(request).await;
            }
            request.context().update_state("shown", true);
            Handled::Wait(json!({"look": "now?"}))
        })
    }
}

/// Learns a city, and asks where it is.
#[tool]
fn learn(#[context] cx: &Context) -> Outcome {
    cx.update_state("city", "Oslo");
    Outcome::ask("Where is Oslo?").option("choices", json!(["north", "south"]))
}

/// Counts.
#[tool]
fn count(#[context] cx: &Context) -> bool {
    cx.update_state("count", 1)
}

#[tokio::test]
async fn what_stops_a_call_hands_its_value_to_a_person_and_nothing_of_it_is_known() {
    let notes = Notes::default();
    let tools: Toolset = tools![look, learn, count; state = notes.clone()];
    let executor = Executor::serial(tools).layer(Interrupt);
    let turn = calls(["look", "learn", "count"].map(bare));
    let agent = Agent::with_executor(script([turn, text("Done.")]), executor);
    let mut session = Session::ask("Go!");
    let run = agent.run(&mut session, &Context::new()).await.unwrap();
    let RunEnd::AskUser {
        id,
        question,
        options,
        ..
    } = run.end
    else {
        panic!("{:?}", run.end);
    };
    assert_eq!((&*id, &*question), ("learn", "Where is Oslo?"));
    assert_eq!(options["choices"], json!(["north", "south"]));
    let mut session = stored(&session);
    let pending = session.pending();
    let shown = PendingReason::Decision(json!({"look": "now?"}));
    assert_eq!((&*pending[0].call.id, &pending[0].reason), ("look", &shown));
    // Of the sibling that was not stopped it is.
    let known = State::new().with("count", 1);
    assert_eq!((session.state(), notes.take()), (&known, vec![]));

    session.answer_call("learn", "north").unwrap();
    session.decide("look", Decision::Approve).unwrap();
    let run = agent.run(&mut session, &Context::new()).await.unwrap();
    assert_eq!(run.text(), Some("Done."));
    assert_eq!(answers(session.thread()), ["seen", "north", "true"]);
    assert_eq!(
        (session.state(), notes.take()),
        (&known, vec!["look".to_owned()])
    );
}

/// Notes a thing.
#[tool]
fn note(what: &str, #[state] store: &Notes, #[context] cx: &Context) -> Value {
    cx.progress(Progress::new(1.0).with_message("half"));
    store.write(what);
    json!({"user": cx.session_state().get("user"), "call": cx.call_id(), "session": cx.session_id()})
}

#[tokio::test]
async fn a_tool_that_asks_for_state_store_and_call_id_stands_beside_one_that_does_not() {
    let (store, progress) = (Notes::default(), Notes::default());
    let listens = progress.clone();
    let note_call = call("c1", "note", &json!({"what": "milk"}));
    let model = Reads::new([
        calls([note_call, weather_call("c2", "Oslo")]),
        text("Noted."),
    ]);
    let agent = Agent::new(model.clone(), tools![note, weather; state = store.clone()]);
    // The stream to whoever listens is there for each tool.
    let agent = agent.on_event(move |event| {
        if let RunEvent::Call {
            event: Event::Progress { id, progress, .. },
            ..
        } = event
        {
            listens.write(format!(
                "{id} {}",
                progress.message.as_deref().unwrap_or_default()
            ));
        }
    });
    let mut session = Session::with_id("s").with_state(State::new().with("user", "ada"));
    session.say("Note milk!").unwrap();
    let _ = agent.run(&mut session, &Context::new()).await.unwrap();
    let given: Value = serde_json::from_str(answers(session.thread())[0]).unwrap();
    assert_eq!(given, json!({"user": "ada", "call": "c1", "session": "s"}));
    assert_eq!(
        (store.take(), progress.take()),
        (vec!["milk".to_owned()], vec!["c1 half".to_owned()])
    );
    let sent = &model.sent()[0];
    let schema = sent[0].input.to_value();
    let keys: Vec<_> = schema["properties"].as_object().unwrap().keys().collect();
    assert_eq!(keys, ["what"]);
    assert_eq!(schema["required"], json!(["what"]));
}
