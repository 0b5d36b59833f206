//! From responses to what a model reads.

use std::time::Duration;

use toolwright::call::ErrorKind;
use toolwright::{Outcome, ToolError};
use toolwright_openapi::{OpenApi, Trim};

use crate::{Recorder, call, document, operation};

fn answered_to(
    method: &str,
    status: u16,
    headers: &[(&str, &str)],
    body: &str,
) -> Result<Outcome, ToolError> {
    let parameters =
        r#""parameters": [{"name": "page", "in": "query", "schema": {"type": "integer"}}]"#;
    let text = document(&operation("/a", method, parameters), "").replace("\"run\"", "\"list\"");
    let client = Recorder::answering(status, headers, body);
    let api = OpenApi::parse(&text)
        .unwrap()
        .client(client)
        .trim(Trim::default().items(3).text(10));
    call(&api.toolset().unwrap(), "list", "{}")
}

fn answered(status: u16, headers: &[(&str, &str)], body: &str) -> Result<Outcome, ToolError> {
    answered_to("get", status, headers, body)
}

fn text(outcome: Result<Outcome, ToolError>) -> String {
    outcome.unwrap().payload().unwrap().to_json().into_owned()
}

const JSON: &[(&str, &str)] = &[("content-type", "application/json; charset=utf-8")];

#[test]
fn json_is_a_value_as_it_is_written() {
    assert_eq!(
        text(answered(
            200,
            JSON,
            r#"{"b": 1.50, "a": [12345678901234567890.1]}"#
        )),
        r#"{"b":1.50,"a":[12345678901234567890.1]}"#
    );
    assert_eq!(text(answered(200, &[], "\u{feff}[1]")), "[1]");
    assert_eq!(
        text(answered(200, &[("content-type", "text/plain")], "hi")),
        "\"hi\""
    );
    assert_eq!(text(answered(200, JSON, "not json")), "\"not json\"");
    assert_eq!(
        text(answered(201, &[("location", "/a/7")], "")),
        r#"{"status":201,"location":"/a/7"}"#
    );
}

#[test]
fn texts_have_the_charset_that_they_name() {
    let latin = [("content-type", "text/plain; charset=ISO-8859-1")];
    let answer = |status: u16, headers: &[(&str, &str)], bytes: &[u8]| {
        let client = Recorder::answering_bytes(status, headers, bytes);
        let text = document(&operation("/a", "get", r#""summary": "Reads""#), "");
        let api = OpenApi::parse(&text).unwrap().client(client);
        call(&api.toolset().unwrap(), "run", "{}")
    };
    let bytes = b"caf\xe9 \x80";
    assert_eq!(text(answer(200, &latin, bytes)), "\"café €\"");
    let quoted = [("content-type", "application/json;charset=\"windows-1252\"")];
    assert_eq!(text(answer(200, &quoted, b"[\"\xe9\"]")), "[\"é\"]");
    let error = answer(400, &latin, bytes).unwrap_err();
    assert!(error.to_string().contains("café €"), "{error}");
    // Text of UTF-8 is that, whatever it is called, and other bytes are no text.
    assert_eq!(text(answer(200, &latin, "é".as_bytes())), "\"é\"");
    let other = [("content-type", "text/plain; charset=utf-16")];
    assert_eq!(
        text(answer(200, &other, bytes)),
        "\"[6 bytes of text/plain]\""
    );
}

#[test]
fn a_time_to_try_again_may_be_a_date() {
    let wait = |value: &str| {
        let error = answered(503, &[("retry-after", value)], "busy").unwrap_err();
        error.retry_after()
    };
    assert_eq!(wait("Sun, 06 Nov 1994 08:49:37 GMT"), Some(Duration::ZERO));
    let century = wait("Fri, 31 Dec 9999 23:59:59 GMT").unwrap();
    assert!(century > Duration::from_secs(1_000_000_000), "{century:?}");
    assert_eq!(wait("7"), Some(Duration::from_secs(7)));
    assert_eq!(wait("soon"), None);
}

#[test]
fn long_answers_are_cut_and_say_so() {
    let body =
        r#"{"items": [1,2,3,4,5], "text": "0123456789abc", "deep": [{"all": ["a","b","c","d"]}]}"#;
    let expected = r#"{"answer":{"items":[1,2,3],"text":"0123456789… [cut]","deep":[{"all":["a","b","c"]}]},"notes":["`/items` has 5 elements, of which 3 are shown","`/text` is a text of 13 bytes, and is cut","`/deep/0/all` has 4 elements, of which 3 are shown","read on with `page`"]}"#;
    assert_eq!(text(answered(200, JSON, body)), expected);
    let more = text(answered(
        200,
        JSON,
        r#"{"items": [], "nextPageToken": "t7"}"#,
    ));
    assert!(
        more.contains("`nextPageToken` is t7") && more.contains("read on with `page`"),
        "{more}"
    );
    let link = [
        ("content-type", "application/json"),
        (
            "link",
            "<https://api.example.com/v1/a?page=2>; rel=\"next\", <x>; rel=\"last\"",
        ),
    ];
    assert!(
        text(answered(200, &link, "[1]"))
            .contains("the next page is <https://api.example.com/v1/a?page=2>")
    );
}

#[test]
fn pictures_are_blocks_and_other_bytes_a_note() {
    let outcome = answered(200, &[("content-type", "image/png")], "abc").unwrap();
    assert!(
        matches!(outcome, Outcome::Content(content) if format!("{content:?}").contains("YWJj"))
    );
    assert_eq!(
        text(answered(200, &[("content-type", "application/zip")], "PK")),
        "\"PK\""
    );
}

#[test]
fn errors_have_the_apis_words_and_say_whether_to_try_again() {
    let error = answered(404, JSON, r#"{"error": "no order 7"}"#).unwrap_err();
    assert_eq!(
        error.to_string(),
        r#"the API answered 404: {"error": "no order 7"}"#
    );
    assert!(error.is_permanent() && error.kind() == ErrorKind::Failed);
    assert_eq!(error.data().unwrap()["status"], 404);
    let error = answered(422, JSON, &"x".repeat(9000)).unwrap_err();
    assert!(error.to_string().len() < 2_100);
    for status in [401, 403] {
        let error = answered(status, JSON, r#"{"hint": "use admin"}"#).unwrap_err();
        assert!(
            !error.to_string().contains("admin") && error.is_permanent(),
            "{error}"
        );
    }
    for status in [429, 503] {
        let error = answered_to("post", status, &[("retry-after", "7")], "busy").unwrap_err();
        assert_eq!(
            error.to_string(),
            format!("the API answered {status}; it may be asked again after 7 s: busy")
        );
        assert_eq!(error.data().unwrap()["retry_after"], 7);
        assert_eq!(error.retry_after(), Some(Duration::from_secs(7)));
        assert!(!error.is_permanent() && !error.is_outcome_unknown());
    }
    // A write that broke may have taken effect.
    assert!(
        answered_to("post", 500, &[], "")
            .unwrap_err()
            .is_outcome_unknown()
    );
    assert!(
        !answered_to("get", 500, &[], "")
            .unwrap_err()
            .is_outcome_unknown()
    );
    let error = answered(302, &[("location", "https://evil.example/x")], "").unwrap_err();
    assert_eq!(
        error.to_string(),
        "the API redirects to https://evil.example/x (302); redirects are not followed"
    );
    assert_eq!(
        answered(500, &[("content-type", "text/html")], "<html>")
            .unwrap_err()
            .to_string(),
        "the API answered 500"
    );
}

#[test]
fn an_answer_that_nothing_changed_is_no_redirect() {
    let error = answered(304, &[], "").unwrap_err();
    assert!(
        error.to_string().contains("304") && !error.to_string().contains("redirect"),
        "{error}"
    );
}

/// Each note had its own copy of a place, and what names the next page was not cut.
#[test]
fn what_stands_beside_an_answer_is_short() {
    let long = "k".repeat(100_000);
    let lists = vec![serde_json::json!([1, 2, 3, 4]); 3];
    let seen = text(answered(
        200,
        JSON,
        &serde_json::json!({&long: {&long: lists, "b": lists}, "z": vec![lists; 3]}).to_string(),
    ));
    let notes: serde_json::Value = serde_json::from_str(&seen).unwrap();
    let notes = notes["notes"].to_string();
    assert!(
        notes.len() < 5_000 && notes.contains("other parts are cut"),
        "{notes}"
    );
    let digits = "7".repeat(100_000);
    for answer in [
        format!(r#"{{"next": {digits}, "a": 1}}"#),
        format!(r#"{{"meta": {{"next": {digits}}}}}"#),
    ] {
        let seen = text(answered(200, JSON, &answer));
        assert!(
            seen.len() < 45_000 && seen.contains("there are more results"),
            "{}",
            seen.len()
        );
    }
    let link = format!("<https://api.example.com/{long}>; rel=\"next\"");
    let seen = text(answered(200, &[JSON[0], ("link", &link)], "[1]"));
    assert!(
        seen.len() < 1_000 && seen.contains("the next page is"),
        "{seen}"
    );
    let headers = [
        ("location", &*long),
        ("etag", &long),
        ("content-type", &long),
    ];
    let seen = text(answered(201, &headers, ""));
    assert!(
        seen.len() < 1_200 && seen.contains(r#""status":201"#),
        "{seen}"
    );
}

#[tokio::test]
async fn the_layer_retry_waits_as_long_as_the_api_says() {
    use toolwright::{Context, Executor, ToolCall, layers::Retry};
    let text =
        document(&operation("/a", "get", r#""tags": []"#), "").replace("\"run\"", "\"list\"");
    for (seconds, attempts) in [("1", 2), ("3600", 1)] {
        let client = Recorder::answering(429, &[("retry-after", seconds)], "busy");
        let api = OpenApi::parse(&text).unwrap().client(client.clone());
        let retry = Retry::new(2).backoff(Duration::from_millis(1), Duration::from_secs(5));
        let executor = Executor::serial(api.toolset().unwrap()).layer(retry);
        let start = std::time::Instant::now();
        let calls = [ToolCall::new("1", "list", "{}")];
        let batch = executor.run(&calls, &Context::new()).await;
        assert!(batch.results().next().unwrap().outcome.is_err());
        assert_eq!(client.requests().len(), attempts);
        assert!(attempts == 1 || start.elapsed() >= Duration::from_secs(1));
    }
}

/// The executor keeps what it cuts, so nothing here does.
#[test]
fn the_executor_lets_a_model_read_on_in_an_answer_that_is_not_trimmed() {
    use toolwright::executor::{OutputLimit, Overflow};
    use toolwright::{Context, Executor, ToolCall};
    let entries: Vec<_> = (0..9_000).map(|n| format!("order {n}")).collect();
    let entries = serde_json::json!({ "orders": entries }).to_string();
    let client = Recorder::answering(200, JSON, &entries);
    let text = document(&operation("/a", "get", r#""tags": []"#), "");
    let api = OpenApi::parse(&text).unwrap().client(client);
    let overflow = Overflow::new(1 << 20);
    let tools = api.trim(Trim::NONE).toolset().unwrap();
    let tools = tools.with(overflow.tool());
    let limit = OutputLimit::default().overflow(&overflow);
    let executor = Executor::serial(tools).output_limit(limit);
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .unwrap();
    let run = |name: &str, arguments: String| {
        let calls = [ToolCall::new("1", name, &*arguments)];
        let batch = runtime.block_on(executor.run(&calls, &Context::new()));
        let result = batch.results().next().unwrap().outcome.clone();
        self::text(result)
    };
    let cut = run("run", "{}".to_owned());
    assert!(
        cut.len() < 60_000 && !cut.contains("order 8999"),
        "{}",
        cut.len()
    );
    let start = cut.find("output_").unwrap();
    let id: String = cut[start..]
        .chars()
        .take_while(|char| char.is_ascii_alphanumeric() || *char == '_')
        .collect();
    let arguments = serde_json::json!({"id": id, "offset": entries.len() - 100});
    assert!(run("read_output", arguments.to_string()).contains("order 8999"));
}
