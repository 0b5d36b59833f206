//! Calls, what they come to, and what is told of the tools.

use serde_json::{Value, json};

use super::client::{serve, serve_with};

#[test]
fn answers_have_the_status_that_says_the_same() {
    let served = serve();
    let table = [
        (
            "order",
            r#"{"lines": [{"sku": "tea", "quantity": 2}]}"#,
            200,
            "done",
        ),
        ("travel", "{}", 200, "ask_user"),
        ("charge", r#"{"cents": 5, "card": "4242"}"#, 202, "pending"),
        ("order", "\u{feff}{\"lines\": []}", 200, "done"),
        ("order", "\u{feff}\u{feff}{}", 400, "invalid_args"),
        ("order", "{", 400, "invalid_args"),
        ("order", "{}", 422, "invalid_args"),
        ("order", "[]", 422, "invalid_args"),
        ("fail", "{}", 409, "failed"),
        ("ordr", "{}", 404, "unknown_tool"),
        ("boom", "{}", 500, "panicked"),
        ("late", "{}", 504, "timeout"),
    ];
    for (tool, body, status, says) in table {
        let answer = served.call(tool, body);
        assert_eq!(answer.status, status, "{answer:?}");
        let json = answer.json();
        let said = match json["status"].as_str() {
            Some("failed") => json["error"]["kind"].clone(),
            _ => json["status"].clone(),
        };
        assert_eq!(said, says, "{answer:?}");
        assert_eq!(answer.header("content-type"), Some("application/json"));
    }
    let near = served.call("ordr", "{}");
    assert_eq!(
        near.json()["error"]["messages"][0],
        "unknown tool `ordr`; did you mean `order`?"
    );
}

#[test]
fn faults_tell_where_they_are() {
    let served = serve();
    let answer = served.call(
        "order",
        r#"{"lines": [{"sku": "a", "quantity": 100}, {"quantity": "x"}], "gift": 1}"#,
    );
    let faults = answer.json()["error"]["faults"].clone();
    let told: Vec<_> = faults
        .as_array()
        .unwrap()
        .iter()
        .map(|fault| {
            format!(
                "{} {}",
                fault["path"].as_str().unwrap(),
                fault["code"].as_str().unwrap()
            )
        })
        .collect();
    assert_eq!(
        told,
        [
            "lines[0].quantity bound",
            "lines[1].quantity wrong_type",
            "lines[1].sku missing_argument",
            "gift unknown_argument",
        ]
    );
}

#[test]
fn the_decoder_gets_what_was_sent() {
    let served = serve();
    // A map would have lost one of them.
    let twice = served.call("order", r#"{"lines": [], "lines": []}"#);
    assert_eq!(twice.json()["error"]["faults"][0]["code"], "duplicate_key");
    // What is meant and not said is repaired, and told; unless the client wants none of that.
    let text = br#"{"node": {"label": "a", "children": null}}"#;
    let repaired = served.call_with(
        "tree",
        text,
        "Content-Type: application/json; charset=utf-8\r\n",
    );
    assert_eq!(repaired.json()["repairs"][0]["path"], "node.children");
    let headers =
        "Content-Type: application/vnd.shop+json\r\nPrefer: respond-async, handling=strict\r\n";
    let strict = served.call_with("tree", text, headers);
    assert_eq!(strict.status, 422, "{strict:?}");
    assert_eq!(strict.header("preference-applied"), Some("handling=strict"));
    let strict = "Content-Type: application/json\r\nPrefer: handling=strict\r\n";
    for (headers, status) in [("Content-Type: application/json\r\n", 200), (strict, 422)] {
        for nothing in ["", "null", " null "] {
            let answer = served.call_with("whoami", nothing.as_bytes(), headers);
            assert_eq!(answer.status, status, "{nothing:?}: {answer:?}");
        }
    }
    let text = served.call_with(
        "order",
        b"{\"lines\": \"\xff\"}",
        "Content-Type: application/json\r\n",
    );
    assert_eq!(
        (text.status, text.kind().as_str()),
        (400, "no_utf8"),
        "{text:?}"
    );
}

/// What a gateway in front looks for by its key is what runs.
#[test]
fn keys_are_read_as_they_were_sent() {
    let served = serve();
    for (tool, body) in [
        ("order", r#"{"lines\u0000": []}"#),
        ("order", r#"{"Lines": []}"#),
        ("order", r#"{"liness": []}"#),
        ("order", "{\"li\u{200b}nes\": []}"),
        ("order", r#"{"lines": [{"sku": "tea", "quantty": 1}]}"#),
        (
            "order",
            r#"{"lines": "[{\"sku\": \"tea\", \"quantity\": 1}]"}"#,
        ),
        ("order", r#""{\"lines\": []}""#),
        // Nor is a value repaired of a destructive tool.
        ("order", r#"{"lines": [{"sku": "tea", "quantity": "1"}]}"#),
        ("order", r#"{"lines": [], "express": null}"#),
        ("tree", r#"{"nod": {"label": "a"}}"#),
        ("tree", r#"{"node": {"lable": "a"}}"#),
        ("tree", r#"{"node": "{\"label\": \"a\"}"}"#),
        ("tree", r#""{\"node\": {\"label\": \"a\"}}""#),
    ] {
        let answer = served.call(tool, body);
        assert_eq!(answer.status, 422, "{body}: {answer:?}");
        assert_eq!(answer.json()["repairs"], Value::Null);
    }
    let near = served.call("tree", r#"{"node": {"lable": "a"}}"#);
    let messages = near.json()["error"]["messages"].to_string();
    assert!(messages.contains("did you mean `label`?"), "{messages}");
}

#[test]
fn the_name_of_an_unknown_tool_is_safe_to_print() {
    let answer = serve().call("wipe%1b%5b2J%e2%80%ae%0a", "{}");
    assert_eq!(answer.status, 404);
    assert_eq!(
        answer.json()["error"]["messages"][0],
        r"unknown tool `wipe\u{1b}[2J\u{202e}\n`"
    );
}

#[test]
fn only_json_is_taken() {
    let served = serve();
    for headers in [
        "",
        "Content-Type: text/plain\r\n",
        "Content-Type: application/x-www-form-urlencoded\r\n",
    ] {
        let answer = served.call_with("order", b"{}", headers);
        assert_eq!(
            (answer.status, answer.kind().as_str()),
            (415, "no_json"),
            "{answer:?}"
        );
    }
    for (encoding, status) in [("gzip", 415), ("identity", 200)] {
        let headers = format!("Content-Type: application/json\r\nContent-Encoding: {encoding}\r\n");
        let answer = served.call_with("order", br#"{"lines": []}"#, &headers);
        assert_eq!(answer.status, status, "{answer:?}");
        assert!(status == 200 || answer.kind() == "encoded", "{answer:?}");
    }
}

#[test]
fn secrets_do_not_come_back() {
    let served = serve();
    let answer = served.call("charge", r#"{"cents": 5, "card": "MARKED"}"#);
    let shown: Value = serde_json::from_str(answer.json()["arguments"].as_str().unwrap()).unwrap();
    assert_eq!(shown, json!({"cents": 5, "card": "[secret]"}));
    for body in [
        r#"{"cents": "x", "card": "MARKED"}"#,
        r#"{"cents": 5, "card": ["MARKED"]}"#,
        r#"{"card": "MARKED"#,
    ] {
        let answer = served.call("charge", body);
        assert!(!answer.body.contains("MARKED"), "{answer:?}");
    }
    let tools = served.get("/tools").json();
    let charge = tools["tools"]
        .as_array()
        .unwrap()
        .iter()
        .find(|tool| tool["name"] == "charge")
        .unwrap();
    assert_eq!(
        charge["input_schema"]["properties"]["card"]["writeOnly"],
        true
    );
}

#[test]
fn secrets_are_marked_wherever_they_stand() {
    let served = serve();
    let tools = served.get("/tools").json();
    let tools = tools["tools"].as_array().unwrap();
    let open = tools.iter().find(|tool| tool["name"] == "open").unwrap();
    let document = served.get("/openapi.json").json();
    for schema in [
        &open["input_schema"],
        &document["components"]["schemas"]["open.arguments"],
    ] {
        let fields = &schema["properties"];
        let key = &fields["keys"]["items"]["properties"];
        assert_eq!(key["value"]["writeOnly"], true, "{schema}");
        assert_eq!(key["value"]["type"], json!(["string", "null"]));
        assert_eq!(key["id"], json!({"type": "string", "minLength": 1}));
        assert_eq!(fields["codes"]["writeOnly"], true);
        assert_eq!(fields["keys"]["writeOnly"], Value::Null);
    }
}

#[test]
fn progress_comes_as_events_and_the_answer_last() {
    let served = serve();
    let headers = "Content-Type: application/json\r\nAccept: text/event-stream\r\n";
    let answer = served.call_with("wait", br#"{"ms": 50}"#, headers);
    assert_eq!(answer.header("content-type"), Some("text/event-stream"));
    let events: Vec<_> = answer
        .body
        .split("\n\n")
        .filter(|event| !event.is_empty())
        .collect();
    assert_eq!(events.len(), 11, "{answer:?}");
    let first = events[0].strip_prefix("event: progress\ndata: ").unwrap();
    let first: Value = serde_json::from_str(first).unwrap();
    assert_eq!(
        first,
        json!({"done": 1.0, "total": 10.0, "message": "line one\nline two"})
    );
    let last = events[10].strip_prefix("event: answer\ndata: ").unwrap();
    let last: Value = serde_json::from_str(last).unwrap();
    assert_eq!(
        (&last["status"], &last["value"]),
        (&json!("done"), &json!(50))
    );
    // Failures, too.
    let answer = served.call_with("nope", b"{}", headers);
    assert!(answer.body.contains("unknown_tool"), "{answer:?}");
}

#[test]
fn the_document_tells_every_tool_and_answer() {
    let served = serve();
    let document = served.get("/openapi.json").json();
    assert_eq!(document["openapi"], "3.1.0");
    assert_eq!(
        document["info"],
        json!({"title": "shop", "version": "1.2.0"})
    );
    let responses = &document["paths"]["/tools/tree"]["post"]["responses"];
    for status in [
        "200", "202", "400", "403", "404", "408", "409", "413", "415", "422", "500", "501", "503",
        "504",
    ] {
        assert!(
            responses[status]["content"]["application/json"].is_object(),
            "{status}"
        );
    }
    assert_eq!(responses["401"], Value::Null);
    // A type that has itself inside refers to where it stands now.
    let schemas = &document["components"]["schemas"];
    let tree = &schemas["tree.arguments"];
    assert_eq!(
        tree["properties"]["node"]["$ref"],
        "#/components/schemas/tree.arguments/$defs/Node"
    );
    let pointer = "/components/schemas/tree.arguments/$defs/Node/properties/children/items/$ref";
    assert_eq!(
        document.pointer(pointer).unwrap(),
        &tree["properties"]["node"]["$ref"]
    );
    // The same tools, the same bytes.
    assert_eq!(
        served.get("/openapi.json").body,
        serve().get("/openapi.json").body
    );
    let guarded = serve_with(|server| server.bearer("t"));
    let document = guarded
        .get_with("/openapi.json", "Authorization: Bearer t\r\n")
        .json();
    assert!(document["paths"]["/tools/tree"]["post"]["responses"]["401"].is_object());
    assert_eq!(
        document["components"]["securitySchemes"]["token"]["scheme"],
        "bearer"
    );
}

#[test]
fn what_is_not_there_is_told_as_json() {
    let served = serve();
    let table = [
        ("/nothing", 404, "not_found"),
        ("/tools/order", 405, "no_method"),
        ("/tools/a/b", 404, "not_found"),
    ];
    for (path, status, kind) in table {
        let answer = served.get(path);
        assert_eq!(
            (answer.status, answer.kind().as_str()),
            (status, kind),
            "{answer:?}"
        );
    }
    for (name, status, kind) in [
        ("%FF", 400, "no_utf8"),
        ("%00", 404, "unknown_tool"),
        ("a%2Fb", 404, "unknown_tool"),
    ] {
        let answer = served.call(name, "{}");
        assert_eq!(
            (answer.status, answer.kind().as_str()),
            (status, kind),
            "{answer:?}"
        );
    }
    assert_eq!(served.get("/tools/order").header("allow"), Some("POST"));
    assert_eq!(served.get("/health").json(), json!({"status": "ok"}));
}
