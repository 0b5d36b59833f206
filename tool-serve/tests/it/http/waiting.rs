//! Calls that wait for a person, and what becomes of them by a decision.

use std::io::Write;
use std::net::TcpStream;
use std::sync::{Arc, Mutex};

use serde_json::{Value, json};

use toolwright::call::Grant;
use toolwright::executor::{OpenCalls, UnknownOutcome, Waiting};
use toolwright::layers::Approval;
use toolwright::serve::axum::extract::Request;
use toolwright::serve::axum::middleware::map_request;
use toolwright::{Context, Outcome, ToolError, tool, tools};

use super::client::{Answer, Served, read, serve, serve_tools};

pub(super) const JSON: &str = "Content-Type: application/json\r\n";

/// What is decided about a call that waits.
pub(super) fn decide(served: &Served, id: &Value, decision: &str, headers: &str) -> Answer {
    read(send_decision(served, id, decision, headers))
}

/// Sends a decision, and does not wait for the answer.
pub(super) fn send_decision(
    served: &Served,
    id: &Value,
    decision: &str,
    headers: &str,
) -> TcpStream {
    let mut stream = served.connect();
    let path = format!("../calls/{}", id.as_str().unwrap());
    let request = served.request(&path, decision.as_bytes(), headers);
    let request = String::from_utf8(request).unwrap();
    let request = request.replace("/tools/../calls/", "/calls/");
    stream.write_all(request.as_bytes()).unwrap();
    stream
}

/// The id under which a call waits.
pub(super) fn waits(served: &Served, tool: &str, body: &str) -> Value {
    let answer = served.call(tool, body);
    assert_eq!(answer.status, 202, "{answer:?}");
    answer.json()["id"].clone()
}

#[test]
fn a_call_that_waits_goes_on_by_a_decision() {
    let served = serve();
    let charge = || waits(&served, "charge", r#"{"cents": 5, "card": "4242"}"#);
    let table = [
        (r#""approve""#, 200, json!("5 cents from 4242")),
        (r#"{"answer": {"paid": true}}"#, 200, json!({"paid": true})),
        (
            r#"{"edit": {"cents": 7, "card": "1"}}"#,
            200,
            json!("7 cents from 1"),
        ),
        (r#"{"edit": {"cents": -1, "card": "1"}}"#, 422, Value::Null),
        (r#"{"reject": ""}"#, 403, Value::Null),
    ];
    for (decision, status, value) in table {
        let id = charge();
        let answer = decide(&served, &id, decision, JSON);
        assert_eq!(
            (answer.status, &answer.json()["value"]),
            (status, &value),
            "{decision}"
        );
        let again = decide(&served, &id, decision, JSON);
        // An edit that does not fit leaves the call as it is.
        let expected = match status {
            422 => (422, "invalid_args"),
            _ => (404, "not_waiting"),
        };
        assert_eq!((again.status, &*again.kind()), expected, "{decision}");
    }
    // Shells of Windows write a byte order mark.
    for (mark, status) in [
        ("\u{feff}", 200),
        (" \u{feff}\t", 200),
        ("\u{feff}\u{feff}", 422),
    ] {
        let answer = decide(&served, &charge(), &format!("{mark}\"approve\""), JSON);
        assert_eq!(answer.status, status, "{mark:?}: {answer:?}");
    }
    // As events, too.
    let headers = format!("{JSON}Accept: text/event-stream\r\n");
    let answer = decide(&served, &charge(), r#""approve""#, &headers);
    assert!(
        answer.body.starts_with("event: answer\ndata: "),
        "{answer:?}"
    );
    assert!(answer.body.contains("5 cents from 4242"), "{answer:?}");
}

/// The id under which a question waits for its answer.
fn asks(served: &Served) -> Value {
    let answer = served.call("travel", "{}");
    assert_eq!(
        (answer.status, &answer.json()["status"]),
        (200, &json!("ask_user"))
    );
    answer.json()["id"].clone()
}

#[test]
fn the_answer_to_a_question_is_the_result_of_its_call() {
    let served = serve();
    let id = asks(&served);
    // The tool does not run again, and the question stays.
    for decision in [r#""approve""#, r#"{"edit": {}}"#] {
        let answer = decide(&served, &id, decision, JSON);
        assert_eq!(
            (answer.status, &*answer.kind()),
            (422, "no_answer"),
            "{decision}"
        );
    }
    let answer = decide(&served, &id, r#"{"answer": "Oslo"}"#, JSON);
    assert_eq!(
        (answer.status, &answer.json()["value"]),
        (200, &json!("Oslo"))
    );
    let again = decide(&served, &id, r#"{"answer": "Oslo"}"#, JSON);
    assert_eq!((again.status, &*again.kind()), (404, "not_waiting"));

    let answer = decide(
        &served,
        &asks(&served),
        r#"{"reject": "nobody is there"}"#,
        JSON,
    );
    assert_eq!((answer.status, &*answer.kind()), (403, "rejected"));
    assert!(answer.body.contains("nobody is there"), "{answer:?}");
}

/// Pays, and hears nothing of it.
#[tool]
fn pay(#[context] cx: &Context, #[state] ran: &Mutex<Vec<u32>>) -> Result<u32, ToolError> {
    let key = cx.idempotency_key();
    let attempt = key.as_deref().and_then(|key| key.rsplit_once('#'));
    let attempt = attempt.map_or(0, |(_, attempt)| attempt.parse().unwrap());
    ran.lock().unwrap().push(attempt);
    match attempt {
        0 | 1 => Err(ToolError::failed("no word of it").with_outcome_unknown()),
        attempt => Ok(attempt),
    }
}

#[test]
fn a_call_of_unknown_outcome_waits_and_runs_again_as_another_attempt() {
    let ran = Arc::new(Mutex::new(Vec::new()));
    let tools = tools![pay; state = Arc::clone(&ran)];
    let served = serve_tools(tools, |server| {
        let server = server.context(Context::new().with_run("r"));
        server.executor(|executor| executor.on_unknown_outcome(UnknownOutcome::Ask))
    });
    let answer = served.call("pay", "{}");
    let said = answer.json();
    assert_eq!((answer.status, &said["status"]), (202, &json!("pending")));
    assert_eq!(said["reason"], "outcome_unknown");
    assert_eq!(said["ask"], "no word of it");
    let again = decide(&served, &said["id"], r#""approve""#, JSON);
    assert_eq!(
        (again.status, &again.json()["reason"]),
        (202, &json!("outcome_unknown"))
    );
    let third = decide(&served, &again.json()["id"], r#""approve""#, JSON);
    assert_eq!((third.status, &third.json()["value"]), (200, &json!(2)));
    assert_eq!(*ran.lock().unwrap(), [0, 1, 2]);

    // Whoever knows says it, and nothing runs.
    let id = waits(&served, "pay", "{}");
    let known = decide(&served, &id, r#"{"answer": "paid"}"#, JSON);
    assert_eq!(known.json()["value"], "paid");
    assert_eq!(ran.lock().unwrap().len(), 4);
}

/// Renders.
#[tool(background)]
async fn render() -> &'static str {
    "film.mp4"
}

#[test]
fn a_host_that_owns_open_calls_takes_their_results() {
    let open = OpenCalls::new();
    let owner = open.clone();
    let served = serve_tools(tools![render], move |server| {
        server.executor(move |executor| executor.open_calls(&owner))
    });
    let answer = served.call("render", "{}");
    assert_eq!(
        (answer.status, &answer.json()["status"]),
        (200, &json!("open"))
    );
    assert!(
        answer.json()["note"]
            .as_str()
            .unwrap()
            .contains("background")
    );
    let runtime = tokio::runtime::Builder::new_current_thread()
        .build()
        .unwrap();
    let ended = runtime.block_on(open.ended());
    assert_eq!(answer.json()["key"], ended.key);
    // By itself the server has no owner, and waits.
    let served = serve_tools(tools![render], |server| server);
    assert_eq!(served.call("render", "{}").json()["value"], "film.mp4");
}

/// Asks who somebody is, and reads the answer in another call.
#[tool]
fn who() -> Outcome {
    Outcome::ask("Who?").option("key", "who")
}

#[test]
fn a_question_that_its_tool_reads_in_another_call_has_no_id() {
    let served = serve_tools(tools![who], |server| server);
    let answer = served.call("who", "{}");
    assert_eq!(answer.json()["status"], "ask_user");
    assert_eq!(answer.json().get("id"), None);
}

#[test]
fn what_is_no_decision_decides_nothing() {
    let served = serve();
    let id = waits(&served, "charge", r#"{"cents": 5, "card": "4242"}"#);
    for wrong in [
        "",
        "approve",
        r#""Approve""#,
        "null",
        "true",
        "{}",
        r#"{"approve": true}"#,
        r#"{"reject": 1}"#,
        r#"{"reject": "x", "approve": null}"#,
        "\"approve\" \"approve\"",
    ] {
        let answer = decide(&served, &id, wrong, JSON);
        assert_eq!(
            (answer.status, &*answer.kind()),
            (422, "no_decision"),
            "{wrong}"
        );
    }
    // Nor does an edit that would run other arguments than were written.
    for (edit, words) in [
        (
            r#"{"cents": 99999999999999999.99, "card": "1"}"#,
            "cents: expected an integer",
        ),
        (
            r#"{"cents": 123456789012345678901, "card": "1"}"#,
            "cents: expected an integer",
        ),
        (
            r#"{"cents": 7, "card": "1", "cents": 9}"#,
            "cents: given more than once",
        ),
    ] {
        let answer = decide(&served, &id, &format!(r#"{{"edit": {edit}}}"#), JSON);
        assert_eq!(
            (answer.status, &*answer.kind()),
            (422, "invalid_args"),
            "{edit}"
        );
        assert!(answer.body.contains(words), "{answer:?}");
    }
    let answer = decide(&served, &id, r#""approve""#, "Content-Type: text/plain\r\n");
    assert_eq!(answer.status, 415, "{answer:?}");
    for other in ["x", "%FF", "..", "call_1"] {
        let answer = decide(&served, &json!(other), r#""approve""#, JSON);
        assert_eq!(answer.status, 404, "{other}: {answer:?}");
    }
    assert_eq!(decide(&served, &id, r#""approve""#, JSON).status, 200);
}

struct User(String);

/// Says for whom it runs.
#[tool(destructive)]
fn close(#[context] cx: &Context) -> Option<String> {
    cx.get::<User>().map(|user| user.0.clone())
}

#[test]
fn a_call_that_was_approved_runs_for_whoever_called() {
    let served = serve_tools(tools![close], |server| {
        server
            .bearer("t")
            .executor(|executor| executor.layer(Approval::default()))
            .routes(|router| {
                router.layer(map_request(|mut request: Request| async {
                    let user = request.headers().get("x-user");
                    let user = user.map(|user| User(user.to_str().unwrap().to_owned()));
                    if let Some(user) = user {
                        let cx = Context::new().with(user);
                        request.extensions_mut().insert(cx);
                    }
                    request
                }))
            })
    });
    let bearing = |user: &str| format!("{JSON}Authorization: Bearer t\r\nX-User: {user}\r\n");
    let answer = served.call_with("close", b"{}", &bearing("ada"));
    let id = answer.json()["id"].clone();
    assert_eq!(decide(&served, &id, r#""approve""#, JSON).status, 401);
    let answer = decide(&served, &id, r#""approve""#, &bearing("boss"));
    assert_eq!(answer.json()["value"], "ada", "{answer:?}");
}

#[test]
fn the_oldest_of_too_many_waiting_calls_make_room() {
    let served = serve();
    let charge = || waits(&served, "charge", r#"{"cents": 5, "card": "4242"}"#);
    let (first, second) = (charge(), charge());
    for _ in 2..4097 {
        charge();
    }
    assert_eq!(decide(&served, &first, r#""approve""#, JSON).status, 404);
    assert_eq!(decide(&served, &second, r#""approve""#, JSON).status, 200);
}

#[test]
fn waiting_calls_of_one_caller_push_out_those_of_no_other() {
    let served = serve_tools(tools![close], |server| {
        server
            .executor(|executor| executor.layer(Approval::default()))
            .routes(|router| {
                router.layer(map_request(|mut request: Request| async {
                    let user = request.headers()["x-user"].to_str().unwrap().to_owned();
                    let cx = Context::new().with(Grant::new().with_subject(&*user));
                    request.extensions_mut().insert(cx.with(User(user)));
                    request
                }))
            })
    });
    let by = |user: &str| format!("{JSON}X-User: {user}\r\n");
    let waits = |user: &str| served.call_with("close", b"{}", &by(user)).json()["id"].clone();
    let (few, first) = (waits("ada"), waits("bot"));
    for _ in 0..4_200 {
        waits("bot");
    }
    assert_eq!(
        decide(&served, &few, r#""approve""#, &by("ada")).status,
        200
    );
    assert_eq!(
        decide(&served, &first, r#""approve""#, &by("bot")).status,
        404
    );
}

#[test]
fn a_caller_lists_its_own_calls_that_wait() {
    let served = serve_tools(tools![close, who_else, charge], |server| {
        server
            .executor(|executor| executor.layer(Approval::default()))
            .routes(|router| {
                router.layer(map_request(|mut request: Request| async {
                    let user = request.headers()["x-user"].to_str().unwrap().to_owned();
                    let cx = Context::new().with(Grant::new().with_subject(&*user));
                    request.extensions_mut().insert(cx.with(User(user)));
                    request
                }))
            })
    });
    let by = |user: &str| format!("{JSON}X-User: {user}\r\n");
    let call = |user: &str, tool: &str, body: &str| {
        let answer = served.call_with(tool, body.as_bytes(), &by(user));
        answer.json()["id"].clone()
    };
    let listed = |user: &str| -> Vec<Waiting> {
        let mut calls = served.get_with("/calls", &by(user)).json()["calls"].take();
        let calls = calls.as_array_mut().unwrap().drain(..);
        calls
            .map(|call| serde_json::from_value(call).unwrap())
            .collect()
    };
    assert_eq!(listed("ada"), []);
    let closes = call("ada", "close", "{}");
    let asks = call("ada", "who_else", "{}");
    let charges = call("ada", "charge", r#"{"cents": 5, "card": "4242"}"#);
    let other = call("bob", "close", "{}");
    let waiting = listed("ada");
    let shown: Vec<_> = waiting
        .iter()
        .map(|one| (one.id.clone(), &*one.tool, one.reason.as_str()))
        .collect();
    let id = |id: &Value| id.as_str().unwrap().to_owned();
    assert_eq!(
        shown,
        [
            (id(&closes), "close", "decision"),
            (id(&asks), "who_else", "question"),
            (id(&charges), "charge", "decision"),
        ]
    );
    let arguments: Value = serde_json::from_str(waiting[2].arguments.as_deref().unwrap()).unwrap();
    assert_eq!(arguments, json!({"cents": 5, "card": "[secret]"}));
    assert_eq!(listed("bob").len(), 1);
    assert_eq!(listed("bob")[0].id, id(&other));
    assert_eq!(listed("eve"), []);
    assert_eq!(
        decide(&served, &closes, r#""approve""#, &by("ada")).status,
        200
    );
    assert_eq!(listed("ada"), waiting[1..]);
}

/// The id of a call decides about it, so nobody gets those of others.
#[test]
fn callers_without_a_name_list_no_calls() {
    let grants: [fn() -> Context; 4] = [
        Context::new,
        || Context::new().with(Grant::unlimited()),
        || Context::new().with(Grant::new().with_scopes(["a"])),
        || Context::new().with(Grant::new().with_issuer("https://id.example")),
    ];
    for grant in grants {
        let served = serve_tools(tools![charge], |server| {
            server
                .context(grant())
                .executor(|executor| executor.layer(Approval::default()))
        });
        let id = waits(&served, "charge", r#"{"cents": 5, "card": "4242"}"#);
        assert_eq!(served.get("/calls").json(), json!({"calls": []}));
        assert_eq!(decide(&served, &id, r#""approve""#, JSON).status, 200);
    }
}

/// Asks who else comes.
#[tool]
fn who_else() -> Outcome {
    Outcome::ask("Who else?")
}

/// Charges a card.
#[tool(destructive)]
fn charge(cents: u32, #[arg(secret)] card: &str) -> String {
    format!("{cents} from {}", card.len())
}

/// Divides.
#[tool]
fn divide(a: f32, b: f32) -> f32 {
    a / b
}

#[test]
fn a_number_that_json_cannot_hold_is_an_error() {
    let served = serve_tools(tools![divide], |server| server);
    let good = served.call("divide", r#"{"a": 1, "b": 2}"#);
    assert_eq!((good.status, &good.json()["value"]), (200, &json!(0.5)));
    let answer = served.call("divide", r#"{"a": 0, "b": 0}"#);
    assert_eq!(
        (answer.status, &*answer.kind()),
        (500, "encoding"),
        "{answer:?}"
    );
}
