//! Deferred tools where names, limits, filters and providers meet. Each of these was wrong once.
// A test that finds less than it expects has failed.
#![allow(clippy::unwrap_used, clippy::indexing_slicing)]

use std::collections::BTreeSet;
use std::sync::Arc;

use serde_json::{Value, json};
use toolwright::call::{Block, Content, Filter, Scope, State};
use toolwright::schema::SchemaDoc;
use toolwright::tokens;
use toolwright::toolset::{FindTools, LoadOptions, Namespace, ToolQuery};
use toolwright::wire::{DefinitionOptions, Loading, Message, Parallel, ToolChoice};
use toolwright::{
    Context, Dialect, DynTool, Encoder, Executor, Outcome, ToolCall, ToolDef, ToolError,
    ToolResult, Toolset, Wire, tool, tools,
};

use super::deferred::at_most;

fn found_by(finder: impl FindTools + 'static) -> LoadOptions {
    LoadOptions {
        finder: Some(Arc::new(finder)),
        at_most: None,
    }
}

/// Tells the time.
#[tool]
fn now() -> &'static str {
    "noon"
}

/// Closes an order.
#[tool]
fn close_order(order: u32) -> u32 {
    order
}

/// Finds customers by name.
#[tool]
fn find_customer(name: &str) -> String {
    name.to_owned()
}

fn is_admin(scope: &Scope<'_>) -> bool {
    scope.state.get("admin").is_some()
}

/// Deletes everything that is secret.
#[tool(visible = is_admin)]
fn secret(name: &str) -> String {
    name.to_owned()
}

fn group(name: &str) -> Namespace {
    Namespace::new(name).unwrap()
}

fn crm() -> Toolset {
    let crm = tools![close_order, find_customer].defer(group("crm"));
    tools![now].merge(&crm).unwrap()
}

fn declared(name: &str, description: &str) -> Arc<dyn toolwright::Tool> {
    DynTool::declare(ToolDef::new(name.to_owned(), description.to_owned()))
}

fn many(prefix: &str, count: usize) -> Toolset {
    Toolset::new((0..count).map(|n| declared(&format!("{prefix}_{n}"), "Does things."))).unwrap()
}

fn search(tools: &Toolset, query: &str) -> ToolResult {
    let call = ToolCall::new("1", "search_tools", json!({"query": query}).to_string());
    tools.call_blocking(&call, &Context::new())
}

fn found(result: &ToolResult) -> Vec<String> {
    let Ok(Outcome::Content(content)) = &result.outcome else {
        return Vec::new();
    };
    let blocks = content.blocks().iter();
    blocks
        .filter_map(|block| match block {
            Block::Tool { name, .. } => Some(name.clone()),
            _ => None,
        })
        .collect()
}

fn load(tools: &Toolset, names: &[String]) -> Vec<String> {
    let loaded = tools.load(names.iter().map(String::as_str));
    loaded.requested().map(|def| def.name.to_string()).collect()
}

// What is told as loaded is not.

#[test]
fn what_a_search_tells_is_loaded_whatever_at_most_is() {
    let tools = many("page", 8).defer(group("pages")).loading(at_most(3));
    let told = found(&search(&tools, "page 4 does things"));
    assert!(
        told.len() <= 3,
        "told of {told:?}, of which at most 3 can be loaded"
    );
    let sent = load(&tools, &told);
    assert!(
        told.iter().all(|name| sent.contains(name)),
        "told {told:?}, sent {sent:?}"
    );
}

#[test]
fn the_best_is_loaded_with_at_most_1() {
    let tools = crm().loading(at_most(1));
    let told = found(&search(&tools, "find customers by name, or an order"));
    let sent = load(&tools, &told);
    assert!(sent.contains(&told[0]), "told {told:?}, sent {sent:?}");
}

#[test]
fn a_group_that_was_just_told_is_loaded_whole() {
    let tools = many("a", 30)
        .defer(group("as"))
        .merge(&many("b", 40).defer(group("bs")))
        .unwrap();
    let mut names = found(&search(&tools, "as"));
    let told = found(&search(&tools, "bs"));
    // As many as do not make each other leave.
    assert_eq!((names.len(), told.len()), (20, 20));
    names.extend(told.iter().cloned());
    let sent: BTreeSet<_> = load(&tools, &names).into_iter().collect();
    let lost: Vec<_> = told.iter().filter(|name| !sent.contains(*name)).collect();
    assert!(lost.is_empty(), "just told, and not sent: {lost:?}");
}

struct Fixed(Vec<&'static str>);
impl FindTools for Fixed {
    fn find<'a>(
        &'a self,
        _: ToolQuery<'a>,
    ) -> toolwright::call::BoxFuture<'a, Result<Vec<String>, ToolError>> {
        let names = self.0.iter().map(|name| (*name).to_owned()).collect();
        Box::pin(async move { Ok(names) })
    }
}

#[test]
fn a_finder_that_says_a_name_twice_loads_it_once() {
    let names = vec![
        "close_order",
        "close_order",
        "close_order",
        "close_order",
        "close_order",
        "find_customer",
    ];
    let tools = crm().loading(found_by(Fixed(names)));
    let told = found(&search(&tools, "anything at all"));
    assert_eq!(told, ["close_order", "find_customer"]);
}

// Names.

#[test]
fn a_deferred_tool_that_becomes_search_tools_is_not_sent_twice() {
    let tools = crm().rename("find_customer", "search_tools").unwrap();
    let sent = load(&tools, &["search_tools".to_owned()]);
    assert_eq!(
        sent.iter().filter(|name| *name == "search_tools").count(),
        1,
        "{sent:?}"
    );
}

#[test]
fn a_deferred_tool_that_becomes_search_tools_is_no_second_name_on_anthropic() {
    let tools = crm().rename("find_customer", "search_tools").unwrap();
    let fit = DefinitionOptions::to(Dialect::Anthropic).loading(Loading::Native);
    let sent = Wire::Anthropic.definitions_in(&tools, fit).unwrap();
    let count = sent.text().matches(r#""name":"search_tools""#).count();
    assert_eq!(count, 1, "{}", sent.text());
}

#[test]
fn names_that_are_sent_stay_as_more_is_loaded() {
    let tools = Toolset::new([
        declared("files.list", "Lists."),
        declared("files_list", "Lists too."),
    ])
    .unwrap()
    .defer(group("files"));
    let tools = tools![now].merge(&tools).unwrap();
    let sent = |names: &[&str]| {
        let sent = Wire::OpenAiChat
            .definitions_in(&tools.load(names.iter().copied()), Dialect::OpenAiStrict)
            .unwrap();
        sent.text().to_string()
    };
    let (one, two) = (sent(&["files.list"]), sent(&["files.list", "files_list"]));
    assert!(
        two.starts_with(one.strip_suffix(']').unwrap()),
        "{one}\n{two}"
    );
}

#[test]
fn the_answer_of_a_search_has_the_name_that_the_provider_knows() {
    let tools = Toolset::new([declared("files.list", "Lists.")])
        .unwrap()
        .defer(group("files"));
    let result = search(&tools, "files.list");
    let sent = Wire::OpenAiChat
        .definitions_in(&tools.load(["files.list"]), Dialect::OpenAiStrict)
        .unwrap();
    assert!(sent.text().contains(r#""files_list""#));
    let calls = [ToolCall::new("1", "search_tools", r#"{"query":"files"}"#)];
    let results = [result];
    let said = [
        Message::User("x"),
        Message::Assistant {
            text: "",
            calls: &calls,
        },
        Message::Results(&results),
    ];
    let body = sent.conversation(None, &said, Encoder::auto()).unwrap();
    assert!(body.contains("files_list"), "{body}");
}

#[test]
fn a_tool_may_not_have_the_name_of_the_hosted_search() {
    let tools = tools![now as "tool_search_tool_bm25"]
        .merge(&crm().rename("now", "clock").unwrap())
        .unwrap();
    let fit = DefinitionOptions::to(Dialect::Anthropic).loading(Loading::Hosted);
    let Ok(sent) = Wire::Anthropic.definitions_in(&tools, fit) else {
        return;
    };
    let count = sent
        .text()
        .matches(r#""name":"tool_search_tool_bm25""#)
        .count();
    assert_eq!(count, 1, "{}", sent.text());
}

// The host's own search.

/// Finds what it likes.
#[tool]
fn search_tools(query: &str) -> Content {
    Content::text(query).with(Block::Tool {
        name: "find_customer".to_owned(),
        description: String::new(),
    })
}

fn with_own() -> Toolset {
    tools![search_tools].merge(&crm()).unwrap()
}

#[test]
fn a_search_that_is_offered_can_be_called() {
    // `Filter::allow` of the host's tools, as with the set's own search, which stays.
    let executor = Executor::serial(with_own()).filter(Filter::allow(["now", "find_customer"]));
    let cx = Context::new();
    let offered = executor.tools(&cx);
    let is_offered = offered.requested().any(|def| def.name == "search_tools");
    let call = ToolCall::new("1", "search_tools", r#"{"query": "find a customer"}"#);
    let batch = executor.run_blocking(&[call], &cx);
    let result = batch.results().next().unwrap();
    assert!(is_offered && result.is_success(), "{result:?}");
    // The filter takes the host's own search away, and the set's finds what is left.
    assert_eq!(found(result), ["find_customer"]);
    let told = result.content(Encoder::auto());
    assert!(told.starts_with("These tools can be called now:"), "{told}");
}

#[test]
fn a_filter_hides_a_tool_that_is_called_as_the_search_is() {
    // Without anything deferred, it is a tool like any other.
    let tools = tools![search_tools, now];
    let executor = Executor::serial(&tools).filter(Filter::deny(["search_tools"]));
    let call = ToolCall::new("1", "search_tools", r#"{"query": "x"}"#);
    let batch = executor.run_blocking(&[call], &Context::new());
    assert!(!batch.results().next().unwrap().is_success());
}

#[test]
fn an_own_search_whose_schema_cannot_be_strict_is_declared() {
    let mut def = ToolDef::new("search_tools", "Finds.");
    def.input =
        SchemaDoc::parse(r#"{"type":"object","additionalProperties":{"type":"string"}}"#).unwrap();
    let tools = Toolset::new([DynTool::declare(def)])
        .unwrap()
        .merge(&crm())
        .unwrap();
    for (wire, dialect) in [
        (Wire::OpenAiResponses, Dialect::OpenAiStrict),
        (Wire::Anthropic, Dialect::AnthropicStrict),
    ] {
        let fit = DefinitionOptions::to(dialect).loading(Loading::Plain);
        assert!(
            wire.definitions_in(&tools, fit)
                .unwrap()
                .text()
                .contains("search_tools"),
            "plain has it"
        );
        let fit = DefinitionOptions::to(dialect).loading(Loading::Native);
        let sent = wire.definitions_in(&tools, fit).unwrap();
        assert!(sent.text().contains("search"), "{wire:?}: {}", sent.text());
    }
}

#[test]
fn what_an_own_search_says_reaches_the_model_on_responses() {
    // Such as a server of MCP that has a tool of this name: its words, and those of errors, get lost.
    let fit = DefinitionOptions::to(Dialect::OpenAiStrict).loading(Loading::Native);
    let sent = Wire::OpenAiResponses.definitions_in(&crm(), fit).unwrap();
    let calls = [ToolCall::new("s1", "search_tools", r#"{"query":"x"}"#)];
    for outcome in [
        Err(ToolError::failed("only a person may search")),
        Ok(Outcome::value("only a person may search")),
    ] {
        let results = [ToolResult::new(&calls[0], outcome)];
        let said = [
            Message::User("x"),
            Message::Assistant {
                text: "",
                calls: &calls,
            },
            Message::Results(&results),
        ];
        let body = sent.conversation(None, &said, Encoder::auto()).unwrap();
        assert!(body.contains("only a person may search"), "{body}");
    }
}

// Compact.

#[test]
fn a_filter_hides_from_the_search_of_a_compact_set_that_was_prefixed() {
    let tools = tools![close_order, find_customer]
        .compact()
        .unwrap()
        .prefix("crm_")
        .unwrap();
    let executor = Executor::serial(tools).filter(Filter::deny(["crm_close_order", "close_order"]));
    let call = ToolCall::new("1", "crm_search_tools", r#"{"query": "close an order"}"#);
    let batch = executor.run_blocking(&[call], &Context::new());
    let told = batch
        .results()
        .next()
        .unwrap()
        .content(Encoder::auto())
        .into_owned();
    assert!(!told.contains("close_order"), "{told}");
}

#[test]
fn a_filter_of_own_names_hides_from_the_search_of_a_compact_set() {
    // The filter is of the names that the executor's set has.
    let tools = tools![close_order, find_customer].compact().unwrap();
    let tools = tools.rename("close_order", "shut").unwrap();
    let executor = Executor::serial(tools).filter(Filter::deny(["shut"]));
    let call = ToolCall::new("1", "search_tools", r#"{"query": "close an order"}"#);
    let batch = executor.run_blocking(&[call], &Context::new());
    let told = batch
        .results()
        .next()
        .unwrap()
        .content(Encoder::auto())
        .into_owned();
    assert!(!told.contains("order: "), "{told}");
}

#[test]
fn the_search_of_a_compact_set_tells_what_is_left_in_the_set() {
    let tools = tools![close_order, find_customer].compact().unwrap();
    let tools = tools.filter(|tool| tool.def().name != "close_order");
    let told = search(&tools, "close an order")
        .content(Encoder::auto())
        .into_owned();
    assert!(!told.contains("close_order"), "{told}");
}

#[test]
fn a_deferred_tool_can_be_kept_strict() {
    for loading in [Loading::Plain, Loading::Native] {
        let fit = DefinitionOptions::to(Dialect::OpenAiStrict)
            .keep(["find_customer"])
            .loading(loading);
        let sent = Wire::OpenAiResponses.definitions_in(&crm(), fit);
        assert!(sent.is_ok(), "{loading:?}: {}", sent.unwrap_err());
    }
}

fn with_hidden() -> Toolset {
    let mut def = ToolDef::new("foreign", "Of a server.");
    let schema = "{\"type\":\"object\",\"properties\":{\"b\":{\"type\":\"string\",\"enum\":[\"x\u{200b}y\"]}}}";
    def.input = SchemaDoc::parse(schema).unwrap();
    let foreign = Toolset::new([DynTool::declare(def)])
        .unwrap()
        .defer(group("foreign"));
    crm().merge(&foreign).unwrap()
}

#[test]
fn a_loaded_tool_with_hidden_characters_does_not_end_the_conversation() {
    let sent =
        Wire::OpenAiChat.definitions_in(&with_hidden().load(["foreign"]), Dialect::OpenAiStrict);
    assert!(sent.is_ok(), "{}", sent.unwrap_err());
}

#[test]
fn hidden_characters_are_not_sent_in_the_providers_own_form() {
    let fit = DefinitionOptions::to(Dialect::Anthropic).loading(Loading::Native);
    if let Ok(sent) = Wire::Anthropic.definitions_in(&with_hidden(), fit) {
        assert!(
            !sent.text().contains(r#""name":"foreign""#),
            "{}",
            sent.text()
        );
    }
}

#[test]
fn loaded_tools_beyond_the_most_of_a_request_do_not_end_the_conversation() {
    let tools = many("a", 100)
        .merge(&many("b", 60).defer(group("bs")))
        .unwrap();
    let names: Vec<String> = (0..40).map(|n| format!("b_{n}")).collect();
    assert!(
        Wire::OpenAiChat
            .definitions_in(&tools, Dialect::OpenAiStrict)
            .is_ok()
    );
    let loaded = tools.load(names.iter().map(String::as_str));
    let sent = Wire::OpenAiChat.definitions_in(&loaded, Dialect::OpenAiStrict);
    assert!(sent.is_ok(), "{}", sent.unwrap_err());
}

#[test]
fn a_choice_names_a_tool_that_the_request_has() {
    let fit = DefinitionOptions::to(Dialect::OpenAiStrict).loading(Loading::Native);
    let sent = Wire::OpenAiResponses
        .definitions_in(&crm().load(["find_customer"]), fit)
        .unwrap();
    let refused = sent.request(&"find_customer".into(), Parallel::Allowed);
    assert!(refused.unwrap_err().to_string().contains("find_customer"));
}

#[test]
fn a_choice_may_name_the_search() {
    let choice = ToolChoice::from("search_tools");
    for (wire, loading) in [
        (Wire::Anthropic, Loading::Plain),
        (Wire::Anthropic, Loading::Native),
    ] {
        let fit = DefinitionOptions::to(Dialect::Anthropic).loading(loading);
        let sent = wire.definitions_in(&crm(), fit).unwrap();
        let request = sent.request(&choice, Parallel::Allowed);
        assert!(request.is_ok(), "{loading:?}: {}", request.unwrap_err());
    }
}

#[test]
fn azure_takes_one_call_where_strict_tools_are_loaded() {
    let tools = tools![close_order, find_customer].defer(group("crm"));
    let of = |loading| {
        let fit = DefinitionOptions::to(Dialect::AzureStrict).loading(loading);
        let sent = Wire::OpenAiResponses.definitions_in(&tools, fit).unwrap();
        sent.request(&ToolChoice::Auto, Parallel::Allowed)
            .unwrap()
            .to_string()
    };
    assert!(of(Loading::Plain).contains(r#""parallel_tool_calls":false"#));
    assert!(
        of(Loading::Native).contains(r#""parallel_tool_calls":false"#),
        "{}",
        of(Loading::Native)
    );
}

#[test]
fn hidden_tools_of_a_set_and_loading() {
    // `visible` keeps what is loaded if nothing is hidden, and forgets it otherwise.
    let tools = crm()
        .merge(&tools![secret].defer(group("x")))
        .unwrap()
        .load(["find_customer"]);
    let admin = Context::new().with_state(State::new().with("admin", true));
    let cx = Context::new();
    let of = |cx: &Context| {
        tools
            .visible(&cx.scope())
            .requested()
            .map(|def| def.name.to_string())
            .collect::<Vec<_>>()
    };
    assert_eq!(of(&admin), of(&cx));
}

// What hidden tools show in.

#[test]
fn scores_do_not_tell_of_hidden_tools() {
    let score = |tools: &Toolset| {
        tools
            .search(
                "delete secret everything by name",
                5,
                &Context::new().scope(),
            )
            .iter()
            .map(|found| (found.def.name.to_string(), found.score.to_bits()))
            .collect::<Vec<_>>()
    };
    let with = tools![close_order, find_customer, secret];
    let without = tools![close_order, find_customer];
    assert_eq!(score(&with), score(&without));
}

// Memory, panics, strange queries: these hold.

struct Counted(Arc<()>);
impl FindTools for Counted {
    fn find<'a>(
        &'a self,
        _: ToolQuery<'a>,
    ) -> toolwright::call::BoxFuture<'a, Result<Vec<String>, ToolError>> {
        panic!("{:?}", self.0)
    }
}

#[test]
fn nothing_leaks_and_a_panic_is_an_answer() {
    let mark = Arc::new(());
    {
        let tools = crm().loading(found_by(Counted(Arc::clone(&mark))));
        let loaded = tools.load(["find_customer"]);
        let fit = DefinitionOptions::to(Dialect::Anthropic).loading(Loading::Native);
        let sent = Wire::Anthropic.definitions_in(&loaded, fit).unwrap();
        let failed = search(&tools, "no name at all");
        assert!(!failed.is_success(), "{failed:?}");
        let again = tools.with(tools.get("search_tools").unwrap().clone());
        drop((sent, again, tools.compact()));
    }
    assert_eq!(Arc::strong_count(&mark), 1);
}

#[test]
fn strange_queries() {
    let tools = crm();
    for query in [
        "",
        " ",
        "\0",
        "(?i).*",
        "[[[",
        "\u{200b}",
        "ß",
        "İ",
        "ﬁ",
        &"é".repeat(1 << 19),
        &"字".repeat(1 << 17),
    ] {
        assert!(search(&tools, query).is_success());
    }
    let all: String = (0..0x0011_0000).filter_map(char::from_u32).collect();
    assert!(search(&tools, &all).is_success());
}

#[test]
fn hidden_tools_do_not_change_the_order() {
    let one = Toolset::new([declared("one", "alpha"), declared("two", "beta")]).unwrap();
    let hidden = Toolset::new((0..20).map(|n| declared(&format!("hidden_{n}"), "alpha"))).unwrap();
    let of = |tools: &Toolset| {
        let executor = Executor::serial(tools).filter(Filter::allow(["one", "two"]));
        let call = ToolCall::new("1", "search_tools", r#"{"query": "alpha or beta"}"#);
        let batch = executor.run_blocking(&[call], &Context::new());
        found(batch.results().next().unwrap())
    };
    let with = one.merge(&hidden).unwrap().defer(group("g"));
    assert_eq!(of(&with), of(&one.defer(group("g"))));
}

/// Sets flags.
#[tool]
fn flags(a: Option<bool>, b: Option<bool>, c: Option<bool>) -> usize {
    [a, b, c].into_iter().flatten().count()
}

/// Sets many flags.
#[tool]
fn more_flags(a: Option<bool>, b: Option<bool>, c: Option<bool>, d: Option<bool>) -> usize {
    [a, b, c, d].into_iter().flatten().count()
}

#[test]
fn what_was_loaded_before_stays_strict() {
    let many = ["a", "b", "c", "d", "e"].map(|name| {
        let one = tools![more_flags].rename("more_flags", name).unwrap();
        one.get(name).unwrap().clone()
    });
    let deferred = tools![more_flags, flags].defer(group("flags"));
    let tools = Toolset::new(many).unwrap().merge(&deferred).unwrap();
    let sent = |names: &[&str]| {
        let tools = tools.load(names.iter().copied());
        let sent = Wire::Anthropic
            .definitions_in(&tools, Dialect::AnthropicStrict)
            .unwrap();
        sent.text().to_string()
    };
    // 20 of the stable ones and 4; then 3 more, for which there is no room.
    let (before, after) = (sent(&["more_flags"]), sent(&["more_flags", "flags"]));
    assert!(
        after.starts_with(before.strip_suffix(']').unwrap()),
        "{before}\n{after}"
    );
}

#[test]
fn a_deferred_tool_is_not_cached() {
    let extras = json!({"cache_control": {"type": "ephemeral"}});
    let tools = tools![find_customer];
    let tool = tools.get("find_customer").unwrap();
    let tool = tool.clone().with_extras(Wire::Anthropic, extras).unwrap();
    let tools = tools![now]
        .merge(&Toolset::new([tool]).unwrap().defer(group("g")))
        .unwrap();
    let fit = DefinitionOptions::to(Dialect::Anthropic).loading(Loading::Native);
    let sent = Wire::Anthropic.definitions_in(&tools, fit).unwrap();
    let sent: Value = serde_json::from_str(&sent.text()).unwrap();
    for tool in sent.as_array().unwrap() {
        assert!(
            tool["defer_loading"].is_null() || tool["cache_control"].is_null(),
            "{tool}"
        );
    }
}

#[test]
fn the_budget_counts_each_group() {
    let groups = [
        "a", "b", "c", "d", "e", "f", "g", "h", "i", "j", "k", "l", "m", "n", "o", "p", "q", "r",
        "s", "t",
    ];
    for groups in [&groups[..1], &groups] {
        let all = groups.iter().fold(Toolset::default(), |all, name| {
            let one = Toolset::new([declared(&format!("tool_{name}"), "Does.")]).unwrap();
            let told = Namespace::new(*name)
                .unwrap()
                .describe("Orders, and \"what\" was paid.");
            all.merge(&one.defer(told)).unwrap()
        });
        // What `LoadLimits::new` and `SEARCH` come to for the same groups in `tools!`.
        let told =
            |name: &&str| tokens::bound(&format!("{name}: Orders, and \"what\" was paid.")) + 2;
        let counted = 140 + groups.iter().map(told).sum::<usize>();
        let search = all.requested().next().map(ToolDef::token_bound).unwrap();
        assert!(
            (search..=search * 3 / 2).contains(&counted),
            "{search}, counted {counted}"
        );
    }
}

/// Is for nobody.
#[tool(visible = nobody)]
fn unseen() {}

fn nobody(_: &Scope<'_>) -> bool {
    false
}

/// The text of the search's answer.
async fn answer(tools: &Toolset, query: &str) -> String {
    let arguments = json!({"query": query}).to_string();
    let call = ToolCall::new("1", "search_tools", arguments);
    tools
        .call(&call, &Context::new())
        .await
        .content(Encoder::auto())
        .to_string()
}

#[tokio::test]
async fn a_search_for_a_tool_that_is_there_says_so() {
    let tools = tools![now]
        .merge(&tools![find_customer].defer(group("crm")))
        .unwrap();
    assert_eq!(answer(&tools, "now").await, "`now` can be called already");
    assert_eq!(
        answer(&tools, "zzz").await,
        "no tool fits; search with other words"
    );
    // Nobody is told of what is hidden.
    let tools = tools![unseen]
        .merge(&tools![find_customer].defer(group("crm")))
        .unwrap();
    assert_eq!(
        answer(&tools, "unseen").await,
        "no tool fits; search with other words"
    );
}

#[tokio::test]
async fn a_tool_named_like_a_group_does_not_stand_before_it() {
    let theirs = Toolset::new([declared("crm", "Is a server's.")]).unwrap();
    let tools = tools![find_customer].defer(group("crm"));
    let tools = tools.merge(&theirs.defer(group("server"))).unwrap();
    let found = answer(&tools, "crm").await;
    assert!(found.contains("crm: Is a server's."), "{found}");
    assert!(found.contains("find_customer: "), "{found}");
}
