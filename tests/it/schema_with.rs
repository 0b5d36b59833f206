//! Fields and variants whose JSON Schema a function returns.
// Tools take what people write.
#![allow(
    clippy::needless_pass_by_value,
    clippy::indexing_slicing,
    clippy::unwrap_used
)]

use std::net::SocketAddr;

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use toolwright::{
    Context, Dialect, DynTool, Encoder, Schema, ToolCall, ToolError, Toolset, schema::SchemaDoc,
    tool, tools,
};

/// As another crate has it: of ours it knows nothing.
#[derive(Deserialize, Serialize, Clone, Debug)]
#[serde(transparent)]
struct Port(u16);

fn port() -> Value {
    json!({"type": "integer", "minimum": 1024, "maximum": 65535})
}

fn tree() -> Value {
    json!({
        "type": "object",
        "properties": {"name": {"type": "string"}, "children": {"type": "array", "items": {"$ref": "#"}}},
        "required": ["name"],
    })
}

fn address() -> Value {
    json!({"$ref": "#/$defs/Address", "$defs": {"Address": {"type": "string", "pattern": "^[0-9.]+:[0-9]+$"}}})
}

#[derive(Deserialize, Serialize, Schema, Debug)]
struct Listen {
    /// Port of the server.
    #[schema(schema_with = port)]
    port: Port,
    #[schema(schema_with = port)]
    admin: Option<Port>,
    #[serde(default = "standard")]
    #[schema(schema_with = port)]
    metrics: Port,
    #[schema(schema_with = tree)]
    menu: Value,
    #[schema(schema_with = self::address)]
    peer: SocketAddr,
}

fn standard() -> Port {
    Port(9000)
}

/// Listens.
#[tool]
fn listen(listen: Listen) -> String {
    format!("{listen:?}")
}

fn answer(arguments: Value) -> String {
    let call = ToolCall::new("1", "listen", json!({ "listen": arguments }).to_string());
    let result = tools![listen].call_blocking(&call, &Context::new());
    result.content(Encoder::auto()).into_owned()
}

fn whole() -> Value {
    json!({"port": 8080, "menu": {"name": "a", "children": [{"name": "b"}]}, "peer": "127.0.0.1:1"})
}

fn with(key: &str, value: Value) -> Value {
    let mut arguments = whole();
    arguments[key] = value;
    arguments
}

#[test]
fn the_schema_of_a_function_is_published_in_the_place_of_the_types() {
    let schema = SchemaDoc::of::<Listen>().to_value();
    let properties = &schema["properties"];
    assert_eq!(
        properties["port"],
        json!({"description": "Port of the server.", "type": "integer", "minimum": 1024, "maximum": 65535})
    );
    assert_eq!(properties["admin"]["minimum"], json!(1024));
    assert_eq!(schema["required"], json!(["port", "menu", "peer"]));
    // Definitions move to those of the tool.
    let menu = properties["menu"]["$ref"].as_str().unwrap().to_owned();
    let definition = schema.pointer(menu.trim_start_matches('#')).unwrap();
    assert_eq!(definition["properties"]["children"]["items"]["$ref"], menu);
    assert_eq!(properties["peer"]["pattern"], "^[0-9.]+:[0-9]+$");
    assert_eq!(
        SchemaDoc::of_output::<Listen>().to_value()["properties"]["port"]["maximum"],
        65535
    );
}

#[test]
fn a_call_is_checked_against_it() {
    let read = answer(whole());
    assert!(
        read.contains("Port(8080), admin: None, metrics: Port(9000)"),
        "{read}"
    );
    assert!(answer(with("admin", json!(2000))).contains("admin: Some(Port(2000))"));
    for (key, value, place) in [
        ("port", json!(80), "listen.port"),
        ("admin", json!("a port"), "listen.admin"),
        ("metrics", json!(70000), "listen.metrics"),
        (
            "menu",
            json!({"name": "a", "children": [{"label": 1}]}),
            "listen.menu.children[0]",
        ),
        ("peer", json!("localhost:1"), "listen.peer"),
    ] {
        let refused = answer(with(key, value));
        assert!(refused.contains(place), "{key}: {refused}");
    }
}

#[derive(Deserialize, Serialize, Schema)]
enum Target {
    Everywhere,
    #[schema(schema_with = port)]
    Local(Port),
}

#[test]
fn a_variant_has_it_for_its_content() {
    let schema = SchemaDoc::of::<Target>().as_json().to_owned();
    assert!(
        schema.contains(r#""Local":{"type":"integer","minimum":1024,"maximum":65535}"#),
        "{schema}"
    );
}

/// Words of one kind and another, by the comma.
mod list {
    use serde::{Deserialize, Deserializer, Serializer};

    pub(super) fn serialize<S: Serializer>(words: &[String], to: S) -> Result<S::Ok, S::Error> {
        to.serialize_str(&words.join(","))
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<Vec<String>, D::Error> {
        let text = String::deserialize(from)?;
        Ok(text.split(',').map(str::to_owned).collect())
    }
}

fn words() -> Value {
    json!({"type": "string", "pattern": "^[a-z]+(,[a-z]+)*$"})
}

#[derive(Deserialize, Serialize, Schema)]
struct Tags {
    #[serde(with = "list")]
    #[schema(schema_with = words)]
    tags: Vec<String>,
    #[serde(deserialize_with = "list::deserialize")]
    #[schema(schema_with = words)]
    more: Vec<String>,
}

#[test]
fn it_says_what_functions_of_serde_read() {
    let schema = SchemaDoc::of::<Tags>().to_value();
    assert_eq!(schema["properties"]["tags"], words());
    assert_eq!(schema["properties"]["more"], words());
}

/// Written as words, and read as any list.
#[derive(Deserialize, Serialize, Schema)]
struct Written {
    #[serde(serialize_with = "list::serialize")]
    #[schema(schema_with = words)]
    tags: Vec<String>,
    #[serde(deserialize_with = "list::deserialize")]
    #[schema(schema_with = words)]
    more: Vec<String>,
    /// Its type has no schema.
    #[serde(serialize_with = "port_as_text")]
    #[schema(schema_with = port)]
    port: Port,
}

#[derive(Deserialize, Serialize, Schema)]
enum Labels {
    #[serde(serialize_with = "list::serialize")]
    #[schema(schema_with = words)]
    Many(Vec<String>),
}

fn port_as_text<S: serde::Serializer>(port: &Port, to: S) -> Result<S::Ok, S::Error> {
    port.0.serialize(to)
}

#[test]
fn it_describes_the_side_that_a_function_of_serde_has() {
    let list = json!({"type": "array", "items": {"type": "string"}});
    let (read, written) = (
        SchemaDoc::of::<Written>(),
        SchemaDoc::of_output::<Written>(),
    );
    let (read, written) = (read.to_value(), written.to_value());
    assert_eq!(read["properties"]["tags"], list);
    assert_eq!(written["properties"]["tags"], words());
    assert_eq!(read["properties"]["more"], words());
    assert_eq!(written["properties"]["more"], list);
    assert_eq!(read["properties"]["port"]["minimum"], 1024);
    assert_eq!(written["properties"]["port"]["minimum"], 1024);

    let (read, written) = (SchemaDoc::of::<Labels>(), SchemaDoc::of_output::<Labels>());
    assert!(
        read.as_json().contains(r#""Many":{"type":"array""#),
        "{read:?}"
    );
    assert!(
        written.as_json().contains(r#""Many":{"type":"string""#),
        "{written:?}"
    );
}

/// A port that anybody may open.
#[derive(Deserialize, Schema)]
#[schema(title = "Open port")]
#[allow(dead_code)] // Its schema is of interest.
struct OpenPort(#[schema(schema_with = port)] u16);

#[derive(Deserialize, Schema)]
#[allow(dead_code)]
struct Ports {
    first: OpenPort,
    /// The second.
    second: OpenPort,
}

#[test]
fn a_newtype_keeps_its_words() {
    let port = json!({
        "title": "Open port",
        "description": "A port that anybody may open.",
        "type": "integer",
        "minimum": 1024,
        "maximum": 65535,
    });
    assert_eq!(SchemaDoc::of::<OpenPort>().to_value(), port);
    let ports = SchemaDoc::of::<Ports>().to_value();
    assert_eq!(ports["properties"]["first"], port);
    let second = &ports["properties"]["second"];
    assert_eq!(second["description"], "The second.");
    assert_eq!(second["title"], "Open port");
}

#[cfg(feature = "schemars")]
mod by_schemars {
    use super::{Deserialize, Port, SchemaDoc, json};
    use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};

    #[derive(Deserialize, JsonSchema)]
    #[allow(dead_code)] // Its schema is of interest.
    struct Inner {
        depth: u8,
        inner: Option<Box<Inner>>,
    }

    fn port(_: &mut SchemaGenerator) -> Schema {
        json_schema!({"type": "integer", "minimum": 1024})
    }

    fn inner(generator: &mut SchemaGenerator) -> Schema {
        generator.subschema_for::<Inner>()
    }

    #[derive(Deserialize, toolwright::Schema)]
    #[allow(dead_code)]
    struct Old {
        #[schemars(schema_with = "port")]
        port: Port,
        #[schemars(schema_with = "self::inner")]
        inner: Inner,
    }

    #[test]
    fn the_functions_of_schemars_are_taken_as_they_are() {
        let schema = SchemaDoc::of::<Old>().to_value();
        assert_eq!(
            schema["properties"]["port"],
            json!({"type": "integer", "minimum": 1024})
        );
        let inner = schema["properties"]["inner"]["$ref"].as_str().unwrap();
        let definition = schema.pointer(inner.trim_start_matches('#')).unwrap();
        assert_eq!(definition["properties"]["depth"]["maximum"], 255);
    }
}

#[derive(Deserialize, Serialize, Schema, Debug)]
struct PortArg(#[schema(schema_with = port)] u16);

/// Opens a port.
#[tool]
fn open(port: Option<PortArg>) -> String {
    port.map_or("none".to_owned(), |port| port.0.to_string())
}

#[test]
fn an_option_of_such_a_type_takes_null() {
    for (arguments, expected) in [
        (r#"{"port": null}"#, "none"),
        (r#"{"port": 8080}"#, "8080"),
        ("{}", "none"),
        (
            r#"{"port": 80}"#,
            "port: expected an integer from 1024 to 65535, got 80",
        ),
    ] {
        let call = ToolCall::new("1", "open", arguments);
        let result = tools![open].call_blocking(&call, &Context::new());
        let text = result.content(Encoder::auto()).into_owned();
        assert!(text.contains(expected), "{arguments}: {text}");
    }
}

/// Strict modes of providers make each key required, and null stands for one that is left out.
#[test]
fn null_stands_for_a_key_that_is_left_out() {
    let rest = json!({"port": 8080, "menu": {"name": "x"}, "peer": "127.0.0.1:80"});
    let parameters = json!({"type": "object", "properties": {"port": port()}});
    let dynamic = DynTool::builder()
        .name("dynamic")
        .description("Takes a port.")
        .parameters(SchemaDoc::parse(&parameters.to_string()).unwrap())
        .handler_sync(|arguments: Value, _| Ok::<_, ToolError>(arguments.to_string()));
    let tools = Toolset::new(
        tools![listen]
            .iter()
            .cloned()
            .chain([dynamic.build().unwrap()]),
    )
    .unwrap();
    for (name, arguments, expected) in [
        (
            "listen",
            json!({"admin": null}),
            Ok("admin: None, metrics: Port(9000)"),
        ),
        (
            "listen",
            json!({"admin": 2000, "metrics": null}),
            Ok("admin: Some(Port(2000)), metrics: Port(9000)"),
        ),
        (
            "listen",
            json!({"port": null}),
            Err("port: expected an integer from 1024 to 65535, got null"),
        ),
        ("dynamic", json!({"port": null}), Ok("{}")),
        (
            "dynamic",
            json!({"port": 80}),
            Err("port: expected an integer from 1024 to 65535, got 80"),
        ),
    ] {
        let mut arguments = arguments;
        if name == "listen" {
            for (key, value) in rest.as_object().unwrap() {
                arguments
                    .as_object_mut()
                    .unwrap()
                    .entry(key)
                    .or_insert(value.clone());
            }
            arguments = json!({ "listen": arguments });
        }
        let call = ToolCall::new("1", name, arguments.to_string());
        let result = tools.call_blocking(&call, &Context::new());
        let text = result.content(Encoder::auto()).into_owned();
        let (words, is_error) = match expected {
            Ok(words) => (words, false),
            Err(words) => (words, true),
        };
        assert!(
            text.contains(words) && result.outcome.is_err() == is_error,
            "{arguments}: {text}"
        );
    }
}

fn misspelt() -> Value {
    json!({"type": "strin"})
}

fn no_number() -> Value {
    json!({"type": "integer", "minimum": "one"})
}

fn broken_pattern() -> Value {
    json!({"type": "object", "properties": {"a": {"type": "string", "pattern": "("}}})
}

fn sound() -> Value {
    json!({"type": "string", "format": "date"})
}

#[derive(Deserialize, Schema)]
struct Careless {
    #[schema(schema_with = misspelt)]
    a: Value,
    #[schema(schema_with = no_number)]
    b: Option<u8>,
    #[schema(schema_with = broken_pattern)]
    c: Vec<Value>,
    #[schema(schema_with = sound)]
    d: String,
}

/// Takes what functions describe.
#[tool]
fn careless(careless: Careless) -> usize {
    let Careless { a, b, c, d } = careless;
    a.to_string().len() + usize::from(b.unwrap_or_default()) + c.len() + d.len()
}

#[test]
fn a_check_notes_what_a_function_returns_and_nothing_enforces() {
    let report = tools![careless].check(Dialect::Mcp20251125);
    let notes: Vec<String> = report.notes().map(ToString::to_string).collect();
    let lenient = notes.iter().filter(|note| note.contains("lenient"));
    let places: Vec<&str> = lenient.filter_map(|note| note.split(": ").nth(2)).collect();
    let expected = [
        "/careless/a/type",
        "/careless/b/minimum",
        "/careless/c/properties/a/pattern",
    ];
    assert_eq!(places, expected, "{notes:#?}");
}

fn list_of(item: &Value) -> Value {
    json!({
        "$ref": "#/$defs/List",
        "$defs": {
            "List": {
                "type": "object",
                "properties": {"item": {"$ref": "#/$defs/Item"}, "next": {"$ref": "#/$defs/List"}},
            },
            "Item": item,
        },
    })
}

fn texts() -> Value {
    list_of(&json!({
        "type": "object",
        "properties": {"text": {"type": "string"}, "inside": {"$ref": "#/$defs/Item"}},
    }))
}

fn numbers() -> Value {
    list_of(&json!({
        "type": "object",
        "properties": {"number": {"type": "integer"}, "inside": {"$ref": "#/$defs/Item"}},
    }))
}

#[derive(Deserialize, Schema)]
struct Lists {
    #[schema(schema_with = texts)]
    a: Value,
    #[schema(schema_with = numbers)]
    b: Value,
    #[schema(schema_with = numbers)]
    c: Value,
}

/// Sorts.
#[tool]
fn sort(lists: Lists) -> String {
    format!("{} {} {}", lists.a, lists.b, lists.c)
}

/// Definitions of two functions may be equal but for what they refer to.
#[test]
fn definitions_of_one_name_stay_apart() {
    let schema = SchemaDoc::of::<Lists>().to_value();
    let list = |key: &str| {
        let name = schema["properties"][key]["$ref"].as_str().unwrap();
        let list = schema.pointer(&name[1..]).unwrap();
        let item = list["properties"]["item"]["$ref"].as_str().unwrap();
        schema.pointer(&item[1..]).unwrap()["properties"].clone()
    };
    assert!(list("a").get("text").is_some(), "{schema}");
    assert!(list("b").get("number").is_some(), "{schema}");
    assert_eq!(schema["properties"]["b"], schema["properties"]["c"]);
    assert_eq!(schema["$defs"].as_object().unwrap().len(), 4, "{schema}");
    let arguments = json!({"lists": {
        "a": {"item": {"text": "x"}},
        "b": {"next": {"item": {"number": 1}}},
        "c": {},
    }});
    let call = ToolCall::new("1", "sort", arguments.to_string());
    let result = tools![sort].call_blocking(&call, &Context::new());
    assert!(result.is_success(), "{}", result.content(Encoder::auto()));
}

#[derive(Deserialize, Schema)]
struct Both<T, U> {
    #[schema(schema_with = port)]
    first: T,
    #[schema(as = u16)]
    second: U,
}

/// Opens two ports.
#[tool]
fn open_both(ports: Both<Port, Port>) -> u16 {
    ports.first.0.max(ports.second.0)
}

#[test]
fn a_type_parameter_whose_json_is_said_needs_no_schema() {
    let call = ToolCall::new(
        "1",
        "open_both",
        r#"{"ports": {"first": 2000, "second": 7}}"#,
    );
    let result = tools![open_both].call_blocking(&call, &Context::new());
    assert_eq!(result.content(Encoder::auto()), "2000");
}
