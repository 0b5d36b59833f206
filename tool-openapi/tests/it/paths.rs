//! Paths stay where the template leads.

use toolwright_openapi::{NoticeKind, OpenApi};

use crate::{Recorder, call, document, operation, sent, sent_with};

fn with_path(template: &str) -> String {
    let names = template
        .split('{')
        .skip(1)
        .filter_map(|part| part.split_once('}'));
    let parameters: Vec<_> = names
        .map(|(name, _)| format!(r#"{{"name": "{name}", "in": "path", "required": true, "schema": {{"type": "string"}}}}"#))
        .collect();
    document(
        &operation(
            template,
            "get",
            &format!(r#""parameters": [{}]"#, parameters.join(",")),
        ),
        "",
    )
}

#[test]
fn values_stay_in_their_segment() {
    let table = [
        ("a b", "a%20b"),
        ("a/b", "a%2Fb"),
        ("a?b=c#d", "a%3Fb%3Dc%23d"),
        ("a;b", "a%3Bb"),
        ("..a", "..a"),
        ("...", "..."),
        ("%41", "%2541"),
        ("a\\b", "a%5Cb"),
        ("@evil.example", "%40evil.example"),
        ("é", "%C3%A9"),
        ("//evil.example", "%2F%2Fevil.example"),
    ];
    for (value, expected) in table {
        let arguments = serde_json::json!({"id": value}).to_string();
        let request = sent(&with_path("/orders/{id}/items"), &arguments).unwrap();
        assert_eq!(
            request.url,
            format!("https://api.example.com/v1/orders/{expected}/items"),
            "{value}"
        );
    }
}

/// Other importers sent `../../admin` as it is, and `/users//posts` for an empty value.
#[test]
fn values_that_leave_their_segment_are_refused() {
    let values = [
        "",
        ".",
        "..",
        "../../admin",
        "..\\admin",
        "a/../b",
        "a/..",
        "%2e%2e",
        "%2E.",
        "%252e%252e",
        "..%2fadmin",
        "..;a",
        ".. ",
        "a\nb",
        "\u{0}",
        "a\u{7f}",
        "\u{85}",
        "./x",
        "x/.",
        "..%5cx",
    ];
    for value in values {
        let arguments = serde_json::json!({"id": value}).to_string();
        let error = sent(&with_path("/users/{id}/posts"), &arguments).unwrap_err();
        assert!(error.starts_with("`id` "), "{value:?}: {error}");
    }
}

#[test]
fn a_segment_is_checked_after_it_is_joined() {
    let document = with_path("/a/{x}{y}/b");
    assert!(sent(&document, r#"{"x": ".", "y": "."}"#).is_err());
    assert!(sent(&document, r#"{"x": "", "y": ""}"#).is_err());
    assert_eq!(
        sent(&document, r#"{"x": "", "y": "q"}"#).unwrap().url,
        "https://api.example.com/v1/a/q/b"
    );
    let document = with_path("/a/{x}.{y}");
    assert!(sent(&document, r#"{"x": "", "y": ""}"#).is_err());
    assert!(sent(&document, r#"{"x": ".", "y": ""}"#).is_err());
    // A path that begins with a parameter went to another host.
    let document = with_path("/{x}/y");
    assert!(sent(&document, r#"{"x": ""}"#).is_err());
    let url = sent(&document, r#"{"x": "@evil.example/"}"#).unwrap().url;
    assert_eq!(url, "https://api.example.com/v1/%40evil.example%2F/y");
}

#[test]
fn slashes_separate_segments_by_choice_alone() {
    let document = with_path("/contents/{path}");
    let url = |value: &str| {
        let arguments = serde_json::json!({"path": value}).to_string();
        sent_with(&document, &arguments, |api| api.slashes("run", "path"))
            .map(|request| request.url)
    };
    assert_eq!(
        url("src/a b.rs").unwrap(),
        "https://api.example.com/v1/contents/src/a%20b.rs"
    );
    for value in ["src/../../x", "/src", "src//x", "src/", "..", "a/./b"] {
        assert!(url(value).is_err(), "{value}");
    }
}

#[test]
fn templates_keep_their_own_query_and_lose_a_fragment() {
    let document = with_path("/?Action=List&Version=1#X");
    assert_eq!(
        sent(&document, "{}").unwrap().url,
        "https://api.example.com/v1/?Action=List&Version=1"
    );
    let document = with_path("/a%20b/it's|x/");
    assert_eq!(
        sent(&document, "{}").unwrap().url,
        "https://api.example.com/v1/a%20b/it%27s%7Cx/"
    );
}

#[test]
fn the_path_of_the_base_url_is_kept() {
    for base in [
        "https://api.example.com/v1/shop",
        "https://api.example.com/v1/shop/",
    ] {
        let document = with_path("/orders");
        let request = sent_with(&document, "{}", |api| api.base_url(base).unwrap());
        assert_eq!(
            request.unwrap().url,
            "https://api.example.com/v1/shop/orders"
        );
    }
}

const PIECES: [&str; 32] = [
    "/",
    "\\",
    ".",
    "..",
    "%2e",
    "%2f",
    "%5c",
    "%",
    "?",
    "#",
    "@",
    ":",
    ";",
    "&",
    "=",
    "[",
    "]",
    "{",
    "}",
    " ",
    "\t",
    "\r\n",
    "\u{0}",
    "é",
    "\u{202e}",
    "\u{ff0f}",
    "\u{2024}",
    "evil.example",
    "http://",
    "a",
    "+",
    "~",
];
const TEMPLATES: [&str; 8] = [
    "/{x}",
    "/a/{x}",
    "/{x}/a",
    "/a/{x}{y}/b",
    "/a/{x}.{y}",
    "/a/{x}/{y}",
    "/v1:{x}",
    "/a/b-{x}-c",
];
/// Values of pieces that mean something to parsers of URLs. `PATH_FUZZ=1000000` is the long run.
#[test]
fn any_value_makes_our_origin_our_segments_and_no_query() {
    let count: usize = std::env::var("PATH_FUZZ")
        .ok()
        .and_then(|count| count.parse().ok())
        .unwrap_or(10_000);
    let mut random = 0x9e37_79b9_7f4a_7c15_u64;
    let mut next = |below: usize| {
        random ^= random << 13;
        random ^= random >> 7;
        random ^= random << 17;
        usize::try_from(random >> 11).unwrap() % below
    };
    let mut tried = 0;
    let mut accepted = 0;
    for template in TEMPLATES {
        let document = with_path(template);
        let recorder = Recorder::default();
        let tools = OpenApi::parse(&document)
            .unwrap()
            .client(recorder.clone())
            .toolset()
            .unwrap();
        for _ in 0..count / TEMPLATES.len() {
            let mut value = || {
                (0..next(5))
                    .map(|_| PIECES[next(PIECES.len())])
                    .collect::<String>()
            };
            let (x, y) = (value(), value());
            let arguments = if template.contains("{y}") {
                serde_json::json!({"x": x, "y": y})
            } else {
                serde_json::json!({"x": x})
            };
            tried += 1;
            if call(&tools, "run", &arguments.to_string()).is_err() {
                continue;
            }
            accepted += 1;
            let request = recorder.requests().pop().unwrap();
            let parsed = url::Url::parse(&request.url).unwrap();
            assert_eq!(parsed.as_str(), request.url, "{template} {arguments}");
            assert_eq!(
                parsed.origin().ascii_serialization(),
                "https://api.example.com",
                "{template} {arguments}"
            );
            let segments = parsed.path_segments().unwrap().count();
            assert_eq!(
                segments,
                template.split('/').count(),
                "{template} {arguments}: {parsed}"
            );
            assert!(
                parsed.path().starts_with("/v1/")
                    && parsed.query().is_none()
                    && parsed.fragment().is_none()
            );
            recorder.clear();
        }
    }
    assert!(
        tried >= count / 8 * 8 && accepted > tried / 20,
        "{accepted} of {tried}"
    );
}

/// A parser of URLs drops such segments, so that each call would be refused.
#[test]
fn a_template_that_leaves_its_path_is_left_out() {
    for path in ["/a/../b", "/a/%2e%2E", "/a/./b", "/.%2e/{z}", "/a/..;x/b"] {
        let text = document(&operation(path, "get", r#""summary": "Reads""#), "");
        let notices = OpenApi::parse(&text).unwrap().notices();
        let left_out = notices
            .iter()
            .find(|notice| notice.kind == NoticeKind::LeftOut);
        assert!(
            left_out.is_some_and(|notice| notice.message == "its path has a segment `.` or `..`"),
            "{path}: {notices:?}"
        );
    }
    let text = document(&operation("/a..b/...", "get", r#""summary": "Reads""#), "");
    assert!(sent(&text, "{}").is_ok());
}

#[test]
fn slashes_name_an_operation_by_its_id_or_its_path() {
    let text = with_path("/contents/{path}");
    for operation in ["run", "/contents/{path}"] {
        let request = sent_with(&text, r#"{"path": "a/b"}"#, |api| {
            api.slashes(operation, "path")
        });
        assert_eq!(
            request.unwrap().url,
            "https://api.example.com/v1/contents/a/b",
            "{operation}"
        );
    }
    for (operation, parameter) in [("typo", "path"), ("run", "typo")] {
        let api = OpenApi::parse(&text).unwrap().slashes(operation, parameter);
        let notices = api.notices();
        assert!(
            notices.iter().any(|notice| notice.message
                == format!("no operation `{operation}` has a `{parameter}` in its path, which `slashes` names")),
            "{notices:?}"
        );
    }
}
