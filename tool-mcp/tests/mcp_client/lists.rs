//! What becomes of lists of tools.

use std::sync::{Arc, Barrier};
use std::time::Duration;

use serde_json::{Value, json};
use toolwright::toolset::Namespace;
use toolwright::{DynTool, Registry, ToolDef, Toolset};
use toolwright_mcp::{self as mcp, ClientEvent, ConnectErrorKind, NoticeKind};

use super::raw_http::{Reply, Server, answered, plain};
use super::{call, connect, scripted, text, told};

/// What the scripted server answers to `tools/list`.
pub(crate) fn page(script: &str, cursor: Option<&str>, changed: bool) -> String {
    let next = |cursor: &str, name: &str| json!({"tools": [{"name": name, "inputSchema": {"type": "object"}}], "nextCursor": cursor});
    let page = match (script, cursor) {
        ("circle", _) => next("again", "echo"),
        ("endless", cursor) => {
            let number: u32 = cursor.map_or(0, |cursor| cursor.parse().unwrap());
            next(&(number + 1).to_string(), &format!("tool_{number}"))
        }
        ("large pages", cursor) => {
            let number: u32 = cursor.map_or(0, |cursor| cursor.parse().unwrap());
            let mut page = next(&(number + 1).to_string(), &format!("tool_{number}"));
            page["tools"][0]["description"] = "x".repeat(10_000).into();
            page
        }
        ("empty pages", cursor) => {
            let number: u32 = cursor.map_or(0, |cursor| cursor.parse().unwrap());
            json!({"tools": [], "nextCursor": (number + 1).to_string()})
        }
        ("one large page", _) => json!({"tools": vec![json!({}); 5_000]}),
        ("pages", None) => next("p2", "one"),
        ("pages", Some("p2")) => next("p3", "two"),
        ("pages", _) => json!({"tools": [{"name": "three", "inputSchema": {"type": "object"}}]}),
        ("odd", _) => {
            let rest = odd().to_string();
            let forecast = FORECAST.replace('\n', " ");
            return format!(
                r#"{{"tools":[{forecast},{}}}"#,
                rest.strip_prefix('[').unwrap()
            );
        }
        ("hints", _) => super::hints::tools(),
        #[cfg(feature = "lock")]
        ("locked", _) => super::lock::tools(changed),
        ("search", _) => json!({"tools": [
            {"name": "search_tools", "inputSchema": {"type": "object"}},
            {"name": "echo", "inputSchema": {"type": "object"}},
        ]}),
        ("no list", _) => json!({"tools": "none"}),
        _ if changed => json!({"tools": [
            {"name": "echo", "description": "Repeats.", "inputSchema": {"type": "object",
                "properties": {"d": {"type": "integer", "default": 1}, "e": {"type": "integer", "default": "x"}}}},
            {"name": "new", "inputSchema": {"type": "object"}},
        ]}),
        _ => json!({"tools": scripted::normal()}),
    };
    page.to_string()
}

/// Written down, since the order of its keys counts.
const FORECAST: &str = r#"{
    "name": "forecast", "title": "Forecast",
    "description": "Tells the weather.\uDB40\uDC49\uDB40\uDC67",
    "inputSchema": {
        "type": "object", "required": ["city"],
        "properties": {
            "zone": {"type": "string", "description": "A\u200b zone"},
            "city": {"type": "string"},
            "days": {"type": "integer", "maximum": 9}
        }
    },
    "outputSchema": {"type": "object", "properties": {"sun": {"type": "boolean"}}},
    "annotations": {"readOnlyHint": true, "openWorldHint": true},
    "icons": [{"src": "https://example.com/i.png"}],
    "_meta": {"example.com/cost": 3, "risk": "low", "icons": "none"}
}"#;

fn odd() -> Value {
    let object = json!({"type": "object"});
    json!([
        {"name": "forecast", "description": "Another.", "inputSchema": object},
        {"name": "files.read", "description": "Reads.", "inputSchema": object},
        {"name": "files/read", "description": "Reads, too.", "inputSchema": object},
        {"name": "plain", "inputSchema": object},
        {"name": "hid\u{200b}den", "inputSchema": object},
        {"name": "smuggles", "inputSchema": {"type": "object", "properties": {"ci\u{200b}ty": {}}}},
        {"name": "number", "inputSchema": 7},
        {"name": "text", "inputSchema": {"type": "string"}},
        {"name": "remote", "inputSchema": {"type": "object", "properties": {"a": {"$ref": "https://example.com/s.json"}}}},
        {"name": "task", "inputSchema": object, "execution": {"taskSupport": "required"}},
        {"name": 5, "inputSchema": object},
        "none",
        {"name": "no_schema"},
        {"name": "hints", "inputSchema": object, "annotations": {"readOnlyHint": "yes"}},
        {"name": "words", "inputSchema": object, "description": ["Does."]},
    ])
}

#[tokio::test]
async fn what_a_server_says_of_a_tool_stands_in_its_definition() {
    let (connector, _) = connect("odd");
    let client = connector.prefix("w_").meta("risk", "high").await.unwrap();
    let tools = client.toolset();
    let def = tools.get("w_forecast").expect("forecast").def();
    assert_eq!(def.title.as_deref(), Some("Forecast"));
    assert_eq!(def.description, "Tells the weather.");
    // As the server wrote it, keys in its order.
    assert_eq!(
        def.input.as_json(),
        r#"{"type":"object","required":["city"],"properties":{"zone":{"type":"string","description":"A zone"},"city":{"type":"string"},"days":{"type":"integer","maximum":9}}}"#
    );
    assert!(def.output.as_ref().unwrap().as_json().contains("sun"));
    assert_eq!(
        (
            def.options.annotations.read_only,
            def.options.annotations.destructive
        ),
        (Some(false), Some(true))
    );
    assert_eq!(def.meta.get("example.com/cost"), Some(&json!(3)));
    assert_eq!(
        def.meta.get("icons").unwrap()[0]["src"],
        "https://example.com/i.png"
    );
    // What the host decides by is the host's.
    assert_eq!(def.meta.get("risk"), Some(&json!("high")));
    assert_eq!(def.meta.get("_meta").unwrap()["risk"], "low");
    let plain = tools.get("w_plain").unwrap().def();
    assert!(plain.description.contains("`plain`"));
    assert!(tools.get("w_hidden").is_some());

    assert_eq!(client.server_name(), Some("scripted"));
    assert_eq!(client.protocol(), Some("2025-11-25"));
    assert_eq!(client.instructions(), Some("Be kind."));
}

#[tokio::test]
async fn no_tool_is_dropped_without_a_word() {
    let (connector, _) = connect("odd");
    let client = connector.await.unwrap();
    let names: Vec<_> = client
        .toolset()
        .definitions()
        .map(|def| def.name.clone())
        .collect();
    assert_eq!(
        names,
        ["forecast", "files_read", "plain", "hidden", "hints"]
    );
    let told: Vec<_> = client
        .notices()
        .into_iter()
        .map(|one| (one.tool, one.kind))
        .collect();
    let expected = [
        ("forecast", NoticeKind::HiddenRemoved),
        ("forecast", NoticeKind::Refused),
        ("files_read", NoticeKind::Renamed),
        ("files_read", NoticeKind::Refused),
        ("hidden", NoticeKind::HiddenRemoved),
        ("hidden", NoticeKind::Renamed),
        ("smuggles", NoticeKind::Refused),
        ("number", NoticeKind::Refused),
        ("text", NoticeKind::Refused),
        ("remote", NoticeKind::Refused),
        ("task", NoticeKind::Refused),
        ("(without a name)", NoticeKind::Refused),
        ("(without a name)", NoticeKind::Refused),
        ("no_schema", NoticeKind::Refused),
        ("hints", NoticeKind::HintIgnored),
        ("words", NoticeKind::Refused),
    ];
    let expected: Vec<_> = expected
        .into_iter()
        .map(|(tool, kind)| (tool.to_owned(), kind))
        .collect();
    assert_eq!(told, expected, "{:#?}", client.notices());
    let words: Vec<_> = client
        .notices()
        .into_iter()
        .map(|one| one.message)
        .collect();
    assert_eq!(
        words[words.len() - 5..],
        [
            "its `name` is not a string",
            "it is not an object",
            "its `inputSchema` is missing",
            "its hint `readOnlyHint` is not a boolean and is ignored",
            "its `description` is not a string",
        ]
    );
}

#[tokio::test]
async fn a_host_bounds_the_schemas_of_tools() {
    let (connector, _) = connect("odd");
    let client = connector.max_schema_bytes(16).await.unwrap();
    let message = "at most 16 are taken, which `max_schema_bytes` sets";
    let mut notices = client.notices().into_iter();
    let refused = notices.any(|one| one.tool == "plain" && one.message.contains(message));
    assert!(refused, "{:#?}", client.notices());
    assert!(!names(&client.toolset()).contains(&"plain".to_owned()));
}

#[tokio::test]
async fn a_host_takes_the_tools_that_it_wants() {
    let (connector, _) = connect("normal");
    let client = connector
        .filter(|def| def.name.starts_with('e'))
        .prefix("x_")
        .await
        .unwrap();
    let names: Vec<_> = client
        .toolset()
        .definitions()
        .map(|def| def.name.clone())
        .collect();
    assert_eq!(names, ["x_echo"]);
    assert_eq!(text(&call(&client.toolset(), "x_echo", "{}").await), "{}");
    assert!(client.notices().is_empty());
}

#[tokio::test]
async fn all_pages_are_read_and_circles_are_left() {
    let (connector, _) = connect("pages");
    let client = connector.await.unwrap();
    let names: Vec<_> = client
        .toolset()
        .definitions()
        .map(|def| def.name.clone())
        .collect();
    assert_eq!(names, ["one", "two", "three"]);
    for (script, why) in [
        ("circle", "circle"),
        ("endless", "more than 50 tools"),
        ("one large page", "more than 50 tools"),
        ("large pages", "more than 100000 bytes in all"),
        ("empty pages", "more than 1000 pages"),
        ("no list", "are not a list"),
    ] {
        let (connector, _) = connect(script);
        let connector = connector.max_tools(50).max_bytes(100_000);
        let error = connector.await.unwrap_err();
        assert_eq!(error.kind(), ConnectErrorKind::List, "{error}");
        assert!(error.to_string().contains(why), "{error}");
    }
}

fn names(tools: &Toolset) -> Vec<String> {
    tools
        .definitions()
        .map(|def| def.name.clone().into_owned())
        .collect()
}

#[tokio::test]
async fn a_list_that_changes_is_followed() {
    let (connector, told) = connect("normal");
    let client = connector.await.unwrap();
    let before = client.toolset();
    assert_eq!(text(&call(&before, "change", "{}").await), "changed");
    told.wait_for("change", |event| *event == ClientEvent::ToolsChanged)
        .await;
    assert_eq!(names(&client.toolset()), ["echo", "new"]);
    assert_eq!(names(&client.registry().snapshot()), ["echo", "new"]);
    // What was handed out stays as it was, and works.
    assert!(before.get("slow").is_some());
    assert_eq!(
        text(&call(&before, "echo", r#"{"a": 1}"#).await),
        r#"{"a": 1}"#
    );
}

#[tokio::test]
async fn a_shared_registry_keeps_the_tools_of_others() {
    let registry = Registry::new();
    let (connector, _) = connect("pages");
    let own = connector.registry(&registry).await.unwrap();
    let (connector, told) = connect("normal");
    let client = connector.registry(&registry).await.unwrap();
    assert_eq!(
        registry.snapshot().iter().len(),
        3 + scripted::normal().len()
    );

    let (connector, _) = connect("pages");
    let second = connector.registry(&registry).await.unwrap();
    assert!(second.toolset().iter().next().is_none());
    let kinds: Vec<_> = second.notices().iter().map(|notice| notice.kind).collect();
    assert_eq!(kinds, [NoticeKind::Refused; 3]);

    call(&client.toolset(), "change", "{}").await;
    told.wait_for("change", |event| *event == ClientEvent::ToolsChanged)
        .await;
    assert_eq!(
        names(&registry.snapshot()),
        ["one", "two", "three", "echo", "new"]
    );
    client.close().await;
    assert_eq!(names(&registry.snapshot()), ["one", "two", "three"]);
    // What the host put in the place of a server's tool is the host's.
    let two = DynTool::declare(ToolDef::new("two", "Another."));
    registry.insert(two);
    own.close().await;
    assert_eq!(names(&registry.snapshot()), ["two"]);
}

#[tokio::test]
async fn a_host_may_make_notices_errors() {
    let registry = Registry::new();
    let connector = connect("odd").0.registry(&registry);
    let denied = connector.deny([NoticeKind::Refused]).await.unwrap_err();
    assert_eq!(denied.kind(), ConnectErrorKind::List);
    assert!(
        denied.to_string().contains("tool `smuggles` refused"),
        "{denied}"
    );
    assert_eq!(registry.snapshot().iter().len(), 0);
    let connector = connect("normal").0;
    connector.deny([NoticeKind::Refused]).await.unwrap();
}

#[tokio::test]
async fn a_server_may_be_deferred() {
    let group = Namespace::new("server").unwrap();
    let requested = |tools: &Toolset| -> Vec<String> {
        tools.requested().map(|def| def.name.to_string()).collect()
    };
    let (connector, _) = connect("pages");
    let client = connector.defer(group.clone()).await.unwrap();
    assert_eq!(names(&client.toolset()), ["one", "two", "three"]);
    assert_eq!(requested(&client.toolset()), ["search_tools"]);

    // A tool of the search's name would take its place.
    let connector = || connect("search").0.defer(group.clone());
    let client = connector().await.unwrap();
    assert_eq!(names(&client.toolset()), ["echo"]);
    assert_eq!(client.notices()[0].kind, NoticeKind::Refused);
    let client = connector().prefix("their_").await.unwrap();
    assert_eq!(client.toolset().iter().len(), 2);
    assert_eq!(requested(&client.toolset()), ["search_tools"]);

    // So would it, not deferred, beside deferred tools of others.
    let own = Toolset::new([DynTool::declare(ToolDef::new("own", "Is the host's."))]).unwrap();
    let own = own.defer(group.clone());
    let client = connect("search").0.await.unwrap();
    assert_eq!(names(&client.toolset()), ["search_tools", "echo"]);
    let both = own.merge(&client.toolset()).unwrap();
    assert_eq!(names(&both), ["own", "echo"]);
    assert_eq!(requested(&both), ["echo", "search_tools"]);
    let search = both.requested().last().unwrap();
    assert!(search.input.as_json().contains("\"query\""));
    let registry = Registry::from(own);
    let client = connect("search").0.registry(&registry).await.unwrap();
    assert_eq!(names(&registry.snapshot()), ["own", "echo"]);
    client.close().await;
    assert_eq!(names(&registry.snapshot()), ["own"]);

    // Beside tools of others, and after the list has changed.
    let registry = Registry::new();
    registry.insert(DynTool::declare(ToolDef::new("own", "Is the host's.")));
    let (connector, told) = connect("normal");
    let connector = connector.registry(&registry).defer(group);
    let client = connector.await.unwrap();
    assert_eq!(requested(&registry.snapshot()), ["own", "search_tools"]);
    call(&client.toolset(), "change", "{}").await;
    told.wait_for("change", |event| *event == ClientEvent::ToolsChanged)
        .await;
    let now = registry.snapshot();
    assert_eq!(names(&now), ["own", "echo", "new"]);
    assert_eq!(requested(&now), ["own", "search_tools"]);
    assert_eq!(
        requested(&now.load(["new"])),
        ["own", "search_tools", "new"]
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn a_list_that_comes_after_the_end_is_not_put_into_the_registry() {
    let registry = Registry::new();
    let (connector, told) = connect("normal");
    // Reading the second list waits in its midst, until the client was closed.
    let (at, proceed) = (Arc::new(Barrier::new(2)), Arc::new(Barrier::new(2)));
    let (reads, goes_on) = (Arc::clone(&at), Arc::clone(&proceed));
    let client = connector
        .registry(&registry)
        .filter(move |def| {
            if def.name == "new" {
                reads.wait();
                goes_on.wait();
            }
            true
        })
        .await
        .unwrap();
    call(&client.toolset(), "change", "{}").await;
    tokio::task::spawn_blocking(move || at.wait())
        .await
        .unwrap();
    let closing = tokio::spawn(client.close());
    while registry.snapshot().iter().next().is_some() {
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
    tokio::task::spawn_blocking(move || proceed.wait())
        .await
        .unwrap();
    closing.await.unwrap();
    assert!(registry.snapshot().iter().next().is_none());
    assert!(!told.all().contains(&ClientEvent::ToolsChanged));
}

#[tokio::test]
async fn a_list_that_nobody_looks_at_is_not_read() {
    let server = Server::start(|asked| {
        plain(asked).unwrap_or_else(|| {
            let changed = json!({"jsonrpc": "2.0", "method": "notifications/tools/list_changed"});
            let answer = answered(asked, "fine");
            Reply::events(format!("data: {changed}\n\ndata: {answer}\n\n"))
        })
    })
    .await;
    let lists = || {
        let asked = server.asked().into_iter();
        asked
            .filter(|asked| asked.json()["method"] == "tools/list")
            .count()
    };
    let (connector, told) = told(mcp::connect(&*server.url));
    let client = connector.await.unwrap();
    let tools = client.toolset();
    assert_eq!(text(&call(&tools, "echo", "{}").await), "fine");
    told.wait_for("list", |event| *event == ClientEvent::ToolsChanged)
        .await;
    assert_eq!(lists(), 2);
    // The tools are there without the client, and whoever has them calls them.
    drop(client);
    assert_eq!(text(&call(&tools, "echo", "{}").await), "fine");
    tokio::time::sleep(Duration::from_millis(600)).await;
    assert_eq!(lists(), 2);
}
