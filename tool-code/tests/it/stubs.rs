//! Names and types of tools in Python.

use std::sync::Arc;

use serde_json::Value;
use serde_json::value::RawValue;
use toolwright::call::WrapTool;
use toolwright::schema::SchemaDoc;
use toolwright::{DynTool, Outcome, Schema, Tool, ToolDef, ToolError, Toolset, tool, tools};

use crate::answer;

#[tokio::test]
async fn arguments_have_names_that_python_takes() {
    let schema = serde_json::json!({
        "type": "object",
        "properties": {"from": {"type": "string"}, "x-id": {"type": "integer"}, "note": {"type": "string"}},
        "required": ["from"],
    });
    let tool = DynTool::builder()
        .name("git-log")
        .description("Logs.")
        .parameters(SchemaDoc::parse(&schema.to_string()).unwrap());
    let tool = tool.handler_sync(|arguments: Value, _| Ok::<_, ToolError>(arguments));
    let tools = Toolset::new([tool.build().unwrap()]).unwrap();
    for (code, expected) in [
        (
            "await git_log('a', note='b', x_id=3)",
            r#"{"from":"a","note":"b","x-id":3}"#,
        ),
        ("await git_log(from_='a', note=None)", r#"{"from":"a"}"#),
        (
            "await git_log(**{'from': 'a', 'x-id': 1})",
            r#"{"from":"a","x-id":1}"#,
        ),
    ] {
        let text = answer(&tools, code).await;
        let value: Value = serde_json::from_str(&text).unwrap();
        assert_eq!(
            value["value"],
            serde_json::from_str::<Value>(expected).unwrap()
        );
    }
}

/// A tool with these arguments, the required ones with an exclamation mark, which returns them.
fn echo(arguments: &[&str]) -> Arc<dyn Tool> {
    let names = arguments.iter().map(|name| name.trim_end_matches('!'));
    let properties: serde_json::Map<_, _> = names
        .map(|name| (name.to_owned(), serde_json::json!({"type": "string"})))
        .collect();
    let required = arguments.iter().filter_map(|name| name.strip_suffix('!'));
    let schema = serde_json::json!({
        "type": "object",
        "properties": properties,
        "required": required.collect::<Vec<_>>(),
    });
    DynTool::builder()
        .name("echo")
        .description("Echoes.")
        .parameters(SchemaDoc::parse(&schema.to_string()).unwrap())
        .handler_sync(|arguments: Value, _| Ok::<_, ToolError>(arguments))
        .build()
        .unwrap()
}

#[tokio::test]
async fn arguments_whose_names_are_equal_in_python_stay_apart() {
    for (arguments, call, expected) in [
        (
            &["user.id", "user_id!"][..],
            "echo(user_id_='A', user_id='B')",
            r#"{"user.id":"B","user_id":"A"}"#,
        ),
        (
            &["user.id", "user_id!"],
            "echo(user_id_='A')",
            r#"{"user_id":"A"}"#,
        ),
        (
            &["user.id", "user_id!"],
            "echo(user_id='B', user_id_='A')",
            r#"{"user.id":"B","user_id":"A"}"#,
        ),
        (
            &["from", "from_"],
            "echo(from_='A', from__='B')",
            r#"{"from":"A","from_":"B"}"#,
        ),
        (&["from"], "echo(**{'from': 'A'})", r#"{"from":"A"}"#),
        (
            &["a b", "a-b", "a_b"],
            "echo(a_b='1', a_b_='2', a_b__='3')",
            r#"{"a b":"1","a-b":"2","a_b":"3"}"#,
        ),
    ] {
        let tools = Toolset::new([echo(arguments)]).unwrap();
        let stub = toolwright_code::stubs(&tools);
        let text = answer(&tools, &format!("await {call}")).await;
        let value: Value = serde_json::from_str(&text).unwrap_or_default();
        let expected: Value = serde_json::from_str(expected).unwrap();
        assert_eq!(value["value"], expected, "{stub} {call}: {text}");
    }
}

/// A tool with a schema that nothing has checked.
struct Unchecked(Arc<dyn Tool>, ToolDef);

impl WrapTool for Unchecked {
    fn inner(&self) -> &Arc<dyn Tool> {
        &self.0
    }

    fn def(&self) -> &ToolDef {
        &self.1
    }
}

#[test]
fn schemas_that_hold_themselves_have_stubs() {
    for definitions in [
        r##"{"A": {"anyOf": [{"$ref": "#/$defs/A"}, {"type": "string"}]}}"##,
        r##"{"A": {"anyOf": [{"$ref": "#/$defs/B"}, {"$ref": "#/$defs/B"}]}, "B": {"oneOf": [{"$ref": "#/$defs/A"}]}}"##,
        r##"{"A": {"$ref": "#/$defs/B"}, "B": {"$ref": "#/$defs/A"}}"##,
        r##"{"A": {"$ref": "#/$defs/A"}}"##,
        r##"{"A": {"type": "array", "items": {"$ref": "#/$defs/A"}}}"##,
    ] {
        let schema = format!(
            r##"{{"type": "object", "properties": {{"a": {{"$ref": "#/$defs/A"}}}}, "$defs": {definitions}}}"##
        );
        let tool = echo(&[]);
        let mut def = tool.def().clone();
        def.input = SchemaDoc::parse(&schema).unwrap();
        let tools = Toolset::new([Arc::new(Unchecked(tool, def)) as Arc<dyn Tool>]).unwrap();
        let stubs = toolwright_code::stubs(&tools);
        assert!(
            stubs.contains("async def echo(a: "),
            "{definitions}: {stubs}"
        );
    }
}

/// Classes of equal names in other tools' arguments are equal only if what they hold is.
#[test]
fn classes_have_names_that_python_takes() {
    let member = r#"{"type": "object", "properties": {"a": {"type": "string"}}}"#;
    let schema = format!(
        r##"{{"type": "object", "properties": {{"true": {member}, "b": {{"$ref": "#/$defs/none"}}}}, "$defs": {{"none": {{"type": "object", "properties": {{"c": {{"type": "string"}}}}}}}}}}"##
    );
    let tool = DynTool::builder()
        .name("echo")
        .description("Echoes.")
        .parameters(SchemaDoc::parse(&schema).unwrap())
        .handler_sync(|arguments: Value, _| Ok::<_, ToolError>(arguments));
    let stubs = toolwright_code::stubs(&Toolset::new([tool.build().unwrap()]).unwrap());
    assert!(
        stubs.contains("class None_(TypedDict, total=False):"),
        "{stubs}"
    );
    assert!(
        stubs.contains("class True_(TypedDict, total=False):"),
        "{stubs}"
    );
}

#[test]
fn stubs_keep_different_classes_apart() {
    let tool = |name: &str, member: &str| {
        let schema = serde_json::json!({"type": "object", "required": ["data"], "properties": {
            "data": {"type": "object", "required": ["attributes"], "properties": {
                "attributes": {"type": "object", "required": [member], "properties": {
                    member: {"type": "string"},
                }},
            }},
        }});
        DynTool::builder()
            .name(name.to_owned())
            .description("Creates.")
            .parameters(SchemaDoc::parse(&schema.to_string()).unwrap())
            .handler_sync(|_: Value, _| Ok::<_, ToolError>("created"))
            .build()
            .unwrap()
    };
    let tools = Toolset::new([tool("create_user", "name"), tool("create_pet", "age")]).unwrap();
    let stubs = toolwright_code::stubs(&tools);
    assert!(
        stubs.contains("name: str") && stubs.contains("age: str"),
        "{stubs}"
    );
    let pet = stubs
        .lines()
        .find(|line| line.contains("def create_pet"))
        .unwrap();
    let user = stubs
        .lines()
        .find(|line| line.contains("def create_user"))
        .unwrap();
    let class = |line: &str| {
        line.split_once("data: ")
            .unwrap()
            .1
            .split(')')
            .next()
            .unwrap()
            .to_owned()
    };
    assert_ne!(class(pet), class(user), "{stubs}");
}

/// An alternative that admits anything says that an answer may differ, and hides nothing of the other.
#[test]
fn a_schema_that_only_describes_a_result_is_its_type() {
    let tool = echo(&[]);
    let mut def = tool.def().clone();
    let schema = r##"{"type": "object", "anyOf": [{"$ref": "#/$defs/Order"}, {}],
        "$defs": {"Order": {"type": "object", "properties": {"id": {"type": "string"}}, "required": ["id"]}}}"##;
    def.output = Some(SchemaDoc::parse(schema).unwrap());
    let tools = Toolset::new([Arc::new(Unchecked(tool, def)) as Arc<dyn Tool>]).unwrap();
    let stubs = toolwright_code::stubs(&tools);
    assert!(
        stubs.contains("class Order(TypedDict):\n    id: str\n")
            && stubs.contains("async def echo() -> Order | Any:"),
        "{stubs}"
    );
}

#[test]
fn no_class_has_the_name_of_a_function() {
    let tool = echo(&[]);
    let mut def = tool.def().clone();
    def.name = "Order".into();
    let schema = r##"{"type": "object", "properties": {"order": {"$ref": "#/$defs/Order"}},
        "$defs": {"Order": {"type": "object", "properties": {"id": {"type": "string"}}}}}"##;
    def.input = SchemaDoc::parse(schema).unwrap();
    let tools = Toolset::new([Arc::new(Unchecked(tool, def)) as Arc<dyn Tool>]).unwrap();
    let stubs = toolwright_code::stubs(&tools);
    assert!(
        stubs.contains("class Order2(TypedDict, total=False):")
            && stubs.contains("async def Order(order: Order2 = ...)"),
        "{stubs}"
    );
}

/// A tool with this schema of its argument `a`, and definitions.
fn of(a: &Value, definitions: &Value) -> Toolset {
    let schema =
        serde_json::json!({"type": "object", "properties": {"a": a}, "$defs": definitions});
    let tool = DynTool::builder()
        .name("echo")
        .description("Echoes.")
        .parameters(SchemaDoc::parse(&schema.to_string()).unwrap())
        .handler_sync(|arguments: Value, _| Ok::<_, ToolError>(arguments));
    Toolset::new([tool.build().unwrap()]).unwrap()
}

#[tokio::test]
async fn none_is_a_value_where_the_schema_has_null() {
    let nothing = serde_json::json!({});
    let node = serde_json::json!({"Node": {"type": ["object", "null"], "properties": {"next": {"$ref": "#/$defs/Node"}}}});
    for (schema, definitions, stub, value) in [
        (
            serde_json::json!({"$ref": "#/$defs/Node"}),
            &node,
            "a: Node | None = None",
            r#"{"value":{"a":null}}"#,
        ),
        (
            serde_json::json!({"type": ["string", "null"]}),
            &nothing,
            "a: str | None = None",
            r#"{"value":{"a":null}}"#,
        ),
        // The list lacks it, so `None` is an argument that is left out.
        (
            serde_json::json!({"type": ["string", "null"], "enum": ["x"]}),
            &nothing,
            r#"a: Literal["x"] = ..."#,
            r#"{"value":{}}"#,
        ),
        (
            serde_json::json!({"type": "string"}),
            &nothing,
            "a: str = ...",
            r#"{"value":{}}"#,
        ),
    ] {
        let tools = of(&schema, definitions);
        let stubs = toolwright_code::stubs(&tools);
        assert!(stubs.contains(&format!("echo({stub})")), "{stubs}");
        assert_eq!(
            answer(&tools, "await echo(a=None)").await,
            value,
            "{schema}"
        );
    }
    let stubs = toolwright_code::stubs(&of(&serde_json::json!({"$ref": "#/$defs/Node"}), &node));
    assert!(
        stubs.contains("class Node(TypedDict, total=False):\n    next: Node | None"),
        "{stubs}"
    );
}

#[derive(serde::Serialize, Schema)]
struct Order {
    id: u32,
    /// Amount in cents
    total: u64,
    state: State,
    lines: Vec<Line>,
    #[serde(skip_serializing_if = "Option::is_none")]
    note: Option<String>,
}

#[derive(serde::Serialize, Schema)]
#[serde(rename_all = "snake_case")]
enum State {
    Open,
    Paid,
}

#[derive(serde::Serialize, Schema)]
struct Line {
    item: String,
    count: u8,
}

fn an_order(id: u32) -> Order {
    let line = Line {
        item: "pen".to_owned(),
        count: 2,
    };
    Order {
        id,
        total: 700,
        state: if id == 0 { State::Open } else { State::Paid },
        lines: vec![line],
        note: None,
    }
}

/// Finds an order.
#[tool(read_only)]
fn find_order(id: u32) -> Result<Order, ToolError> {
    if id > 9 {
        return Err(ToolError::failed("there is no such order"));
    }
    Ok(an_order(id))
}

/// Lists all orders.
#[tool(read_only)]
fn list_orders() -> Vec<Order> {
    vec![an_order(0), an_order(1)]
}

/// Counts orders.
#[tool(read_only)]
fn count_orders() -> usize {
    2
}

/// Asks the user.
#[tool]
fn ask_user(question: &str) -> Outcome {
    Outcome::ask(question)
}

#[tokio::test]
async fn results_have_types_each_once() {
    let tools = tools![find_order, list_orders, count_orders, ask_user];
    let expected = r#"class FindOrderResult(TypedDict):
    id: int  # (0..)
    total: int  # Amount in cents (0..)
    state: Literal["open", "paid"]
    lines: list[Lines]
    note: NotRequired[str | None]

class Lines(TypedDict):
    item: str
    count: int  # (0..255)

async def find_order(
    id: int,  # (0..)
) -> FindOrderResult:
    """Finds an order."""

async def list_orders() -> list[FindOrderResult]:
    """Lists all orders."""

async def count_orders() -> int:
    """Counts orders."""

async def ask_user(question: str):
    """Asks the user."""

"#;
    assert_eq!(toolwright_code::stubs(&tools), expected);
    // The program reads what the types say.
    let code = "order = await find_order(1)\n\
        total = sum(order['total'] for order in await list_orders())\n\
        [order['state'], order['lines'][0]['count'], 'note' in order, total, await count_orders()]";
    let value = answer(&tools, code).await;
    assert_eq!(value, r#"{"value":["paid",2,false,1400,2]}"#);
}

/// Writes its arguments.
#[tool]
fn write_down(share: f64, count: Option<u8>, flag: bool, word: &RawValue) -> String {
    format!("{share} {count:?} {flag} {word}")
}

#[tokio::test]
async fn a_boolean_is_a_number_where_none_but_numbers_are() {
    let tools = tools![write_down];
    for (arguments, expected) in [
        ("True, True, True, False", "1 Some(0) true true"),
        (
            "share=False, flag=False, word=[True]",
            "0 None false [true]",
        ),
        ("1.5, True, None, None", "1.5 None true null"),
    ] {
        let text = answer(&tools, &format!("await write_down({arguments})")).await;
        assert_eq!(text, format!(r#"{{"value":"{expected}"}}"#));
    }
}
