//! Names of tools, groups, and bytes that depend on the document alone.

use toolwright::{Toolset, Wire};
use toolwright_openapi::OpenApi;

use crate::{call, document};

fn names(tools: &Toolset) -> Vec<String> {
    tools.iter().map(|tool| tool.name().to_owned()).collect()
}

fn imported(paths: &str) -> Toolset {
    OpenApi::parse(&document(paths, ""))
        .unwrap()
        .toolset()
        .unwrap()
}

#[test]
fn names_are_portable() {
    let long = "a".repeat(90);
    let paths = format!(
        r#""/a": {{"get": {{"operationId": "list orders/all"}}, "post": {{}}}}, "/a/{{id}}/b.c": {{"get": {{}}}}, "/l": {{"get": {{"operationId": "{long}"}}}},
        "/d": {{"get": {{"operationId": "same"}}}}, "/e": {{"get": {{"operationId": "same"}}}}, "/s": {{"get": {{"operationId": "search_tools"}}}}"#
    );
    let all = names(&imported(&paths));
    assert_eq!(all[..3], ["list_orders_all", "post_a", "get_a_id_b_c"]);
    assert!(
        all.iter()
            .all(|name| toolwright::text::is_portable_name(name))
    );
    assert!(
        all[3].len() == 64
            && all[4].starts_with("same_")
            && all[5].starts_with("same_")
            && all[6].starts_with("search_tools_")
    );
    let tools = OpenApi::parse(&document(r#""/a": {"get": {}}"#, ""))
        .unwrap()
        .prefix("shop_")
        .toolset()
        .unwrap();
    assert_eq!(names(&tools), ["shop_get_a"]);
}

fn many(count: usize) -> String {
    let operations = (0..count).map(|n| {
        let tag = ["orders", "Customers & more", "stock"][n % 3];
        format!(r#""/p{n}/{{id}}": {{"get": {{"operationId": "get thing {n}", "tags": ["{tag}"], "summary": "Reads the thing {n}."}}}}"#)
    });
    operations.collect::<Vec<_>>().join(",")
}

#[test]
fn equal_documents_have_equal_bytes_and_another_operation_changes_no_name() {
    let bytes = |paths: &str| Wire::Anthropic.definitions(&imported(paths)).to_string();
    assert_eq!(bytes(&many(30)), bytes(&many(30)));
    let before = names(&imported(&many(30)));
    let more = format!(
        r#""/first": {{"delete": {{}}}}, {}, "/last": {{"get": {{"operationId": "get-thing-3"}}}}"#,
        many(30)
    );
    let after = names(&imported(&more));
    assert!(before.iter().all(|name| after.contains(name)) && after.len() == 32);
}

#[test]
fn many_tools_are_deferred_in_groups() {
    let tools = imported(&many(41));
    let request = Wire::OpenAiChat.definitions(&tools).to_string();
    assert!(request.contains("search_tools") && !request.contains("get_thing_7"));
    for group in ["orders", "Customers", "stock"] {
        assert!(request.contains(group), "{group}");
    }
    // It can be found, and called.
    assert!(tools.get("get_thing_7").is_some());
    let found = call(&tools, "search_tools", r#"{"query": "thing 7"}"#);
    assert!(found.is_ok(), "{found:?}");
    let few = imported(&many(40));
    assert!(
        !Wire::OpenAiChat
            .definitions(&few)
            .to_string()
            .contains("search_tools")
    );
    let text = document(&many(41), "");
    let all = OpenApi::parse(&text)
        .unwrap()
        .defer_by_tag(usize::MAX)
        .toolset()
        .unwrap();
    assert_eq!(all.iter().count(), 41);
}

#[test]
fn filters_and_descriptions() {
    let paths = r#""/a": {"get": {"operationId": "a", "tags": ["x"], "summary": " Lists. ", "description": "Long."}, "post": {"operationId": "b", "deprecated": true, "description": "Makes."}, "put": {"operationId": "c"}}"#;
    let text = document(paths, "");
    let description = |name: &str| {
        imported(paths)
            .get(name)
            .unwrap()
            .def()
            .description
            .to_string()
    };
    assert_eq!(
        (description("a"), description("b"), description("c")),
        (
            "Lists.".into(),
            "Deprecated. Makes.".into(),
            "PUT /a".into()
        )
    );
    let api = OpenApi::parse(&text).unwrap();
    let tools = api
        .filter(|operation| operation.has_tag("x") && !operation.deprecated())
        .toolset()
        .unwrap();
    assert_eq!(names(&tools), ["a"]);
    let hidden = r#""/a": {"get": {"operationId": "a", "summary": "Lists.\u200b\u202e"}}"#;
    assert_eq!(
        imported(hidden).get("a").unwrap().def().description,
        "Lists."
    );
}

/// A name that one operation had must not lead to another one.
#[test]
fn operations_of_one_name_all_have_a_hash() {
    let of = |paths: &str| names(&imported(paths));
    let one = of(r#""/a_b": {"get": {}}"#);
    let both = of(r#""/a/b": {"get": {}}, "/a_b": {"get": {}}"#);
    assert_eq!(one, ["get_a_b"]);
    assert!(
        both.iter().all(|name| name.starts_with("get_a_b_")) && both[0] != both[1],
        "{both:?}"
    );
    let mut turned = of(r#""/a_b": {"get": {}}, "/a/b": {"get": {}}"#);
    turned.reverse();
    assert_eq!(turned, both);
}

/// An operation that is left out by the host wants no name.
#[test]
fn an_operation_that_is_filtered_renames_no_other() {
    let text = document(
        r#""/a": {"get": {"operationId": "list", "tags": ["new"]}}, "/b": {"get": {"operationId": "list", "tags": ["old"]}}"#,
        "",
    );
    let names = |api: OpenApi<'_>| {
        let tools = api.toolset().unwrap();
        let names = tools.iter().map(|tool| tool.name().to_owned());
        names.collect::<Vec<_>>()
    };
    let api = || OpenApi::parse(&text).unwrap();
    assert_eq!(
        names(api().filter(|operation| operation.has_tag("new"))),
        ["list"]
    );
    assert!(names(api()).iter().all(|name| name != "list"));
}

/// A tag is text of others, as a summary is.
#[test]
fn descriptions_of_groups_are_visible_and_short() {
    let long = "x".repeat(3_000);
    let tag = |tag: &str| {
        let text = document(
            &format!(r#""/a": {{"get": {{"operationId": "run", "tags": ["{tag}"]}}}}"#),
            "",
        );
        let api = OpenApi::parse(&text).unwrap().defer_by_tag(0);
        let tools = api.toolset().unwrap();
        tools
            .get("search_tools")
            .unwrap()
            .def()
            .description
            .to_string()
    };
    let seen = tag(&format!("Orders\\udb40\\udc48\\udb40\\udc69 {long}"));
    assert!(seen.contains("Orders x"), "{seen}");
    assert!(!seen.contains('\u{e0048}'), "{seen:?}");
    assert!(
        seen.contains(&"x".repeat(900)) && !seen.contains(&"x".repeat(1_001)),
        "{}",
        seen.len()
    );
}
