//! Schemas of a request, as the model sees them.

use serde_json::json;
use toolwright_openapi::{ImportError, NoticeKind, OpenApi};

use crate::{body, document, operation, schema, sent};

fn with_schemas(schema_text: &str, schemas: &str) -> String {
    let body = format!(
        r#""requestBody": {{"required": true, "content": {{"application/json": {{"schema": {schema_text}}}}}}}"#
    );
    document(
        &operation("/a", "post", &body),
        &format!(r#""components": {{"schemas": {{{schemas}}}}}"#),
    )
}

fn property(schema_text: &str) -> serde_json::Value {
    let text = with_schemas(
        &format!(r#"{{"type": "object", "properties": {{"p": {schema_text}}}}}"#),
        r#""T": {"type": "string"}"#,
    );
    schema(&text)["properties"]["p"].clone()
}

#[test]
fn keywords_of_3_0_mean_what_they_mean() {
    let table = [
        (
            r#"{"type": "string", "nullable": true}"#,
            json!({"type": ["string", "null"]}),
        ),
        (
            r#"{"type": "string", "nullable": true, "enum": ["a"]}"#,
            json!({"type": ["string", "null"], "enum": ["a", null]}),
        ),
        (
            r##"{"nullable": true, "allOf": [{"$ref": "#/components/schemas/T"}]}"##,
            json!({"anyOf": [{"allOf": [{"$ref": "#/$defs/T"}]}, {"type": "null"}]}),
        ),
        (
            r##"{"$ref": "#/components/schemas/T", "nullable": true, "description": "d"}"##,
            json!({"anyOf": [{"$ref": "#/$defs/T"}, {"type": "null"}], "description": "d"}),
        ),
        (
            r#"{"type": "integer", "minimum": 1, "exclusiveMinimum": true, "maximum": 9, "exclusiveMaximum": false}"#,
            json!({"type": "integer", "exclusiveMinimum": 1, "maximum": 9}),
        ),
        (
            r#"{"type": "string", "example": "x", "xml": {}, "x-a": 1, "deprecated": true}"#,
            json!({"type": "string", "deprecated": true}),
        ),
    ];
    for (given, expected) in table {
        assert_eq!(property(given), expected, "{given}");
    }
}

#[test]
fn wrong_keywords_cost_the_keyword() {
    let table = [
        (
            r#"{"type": "string", "minLength": "3"}"#,
            json!({"type": "string"}),
        ),
        (
            r#"{"type": "object", "required": true}"#,
            json!({"type": "object"}),
        ),
        (r#"{"type": "any"}"#, json!({})),
        (r#"{"type": "file"}"#, json!({"type": "string"})),
        (
            r#"{"type": "string", "enum": {}}"#,
            json!({"type": "string"}),
        ),
        (
            r#"{"type": "array", "items": 7}"#,
            json!({"type": "array", "items": {}}),
        ),
        (r##"{"$ref": "#/components/schemas/None"}"##, json!({})),
        (r#"{"$ref": "other.json#/T"}"#, json!({})),
        ("7", json!({})),
    ];
    for (given, expected) in table {
        assert_eq!(property(given), expected, "{given}");
    }
}

#[test]
fn recursion_is_a_definition() {
    let tree = r##""Tree": {"type": "object", "properties": {"name": {"type": "string"}, "children": {"type": "array", "items": {"$ref": "#/components/schemas/Tree"}}}}"##;
    let text = with_schemas(r##"{"$ref": "#/components/schemas/Tree"}"##, tree);
    let seen = schema(&text);
    assert_eq!(
        seen["properties"]["children"]["items"],
        json!({"$ref": "#/$defs/Tree"})
    );
    assert_eq!(
        seen["$defs"]["Tree"]["properties"]["children"]["items"],
        json!({"$ref": "#/$defs/Tree"})
    );
    let arguments = r#"{"name":"a","children":[{"name":"b","children":[]}]}"#;
    assert_eq!(body(&sent(&text, arguments).unwrap()), arguments);
    assert!(sent(&text, r#"{"children": [{"name": 7}]}"#).is_err());
    // References that lead to each other alone admit anything.
    let circle =
        r##""A": {"$ref": "#/components/schemas/B"}, "B": {"$ref": "#/components/schemas/A"}"##;
    let text = with_schemas(
        r##"{"type": "object", "properties": {"p": {"$ref": "#/components/schemas/A"}}}"##,
        circle,
    );
    assert_eq!(schema(&text)["properties"]["p"], json!({}));
}

const PETS: &str = r##""Pet": {"type": "object", "required": ["kind"], "discriminator": {"propertyName": "kind"}, "properties": {"kind": {"type": "string"}, "name": {"type": "string"}}},
    "Cat": {"allOf": [{"$ref": "#/components/schemas/Pet"}, {"type": "object", "required": ["lives"], "properties": {"lives": {"type": "integer"}}}]},
    "Dog": {"allOf": [{"$ref": "#/components/schemas/Pet"}, {"type": "object", "properties": {"tricks": {"type": "array", "items": {"type": "string"}}}}]},
    "Puppy": {"x-ms-discriminator-value": "young_dog", "allOf": [{"$ref": "#/components/schemas/Dog"}, {"type": "object", "properties": {"weeks": {"type": "integer"}}}]}"##;

/// 2,939 subtypes of the directory stand behind a discriminator without a union, and were lost.
#[test]
fn a_discriminator_without_a_union_becomes_one() {
    let text = with_schemas(
        r##"{"type": "object", "properties": {"pet": {"$ref": "#/components/schemas/Pet"}}}"##,
        PETS,
    );
    let seen = schema(&text);
    assert_eq!(
        seen["properties"]["pet"],
        json!({"$ref": "#/$defs/Pet_any"})
    );
    let arms = seen["$defs"]["Pet_any"]["anyOf"].as_array().unwrap();
    let tags: Vec<_> = arms
        .iter()
        .map(|arm| &arm["properties"]["kind"]["enum"][0])
        .collect();
    assert_eq!(tags, ["Cat", "Dog", "young_dog"]);
    let arguments = r#"{"pet":{"kind":"young_dog","name":"a","tricks":["sit"],"weeks":3}}"#;
    assert_eq!(body(&sent(&text, arguments).unwrap()), arguments);
    assert!(sent(&text, r#"{"pet": {"kind": "Cat", "name": "a"}}"#).is_err());
    assert!(sent(&text, r#"{"pet": {"kind": "Cow", "name": "a"}}"#).is_err());
    // As a whole body, too.
    let text = with_schemas(r##"{"$ref": "#/components/schemas/Pet"}"##, PETS);
    assert_eq!(
        body(&sent(&text, r#"{"body": {"kind": "Cat", "lives": 9}}"#).unwrap()),
        r#"{"kind":"Cat","lives":9}"#
    );
    // A subtype refers to its base as it is.
    let text = with_schemas(r##"{"$ref": "#/components/schemas/Cat"}"##, PETS);
    assert_eq!(
        body(&sent(&text, r#"{"kind": "Cat", "lives": 9}"#).unwrap()),
        r#"{"kind":"Cat","lives":9}"#
    );
}

#[test]
fn a_document_of_3_1_is_json_schema() {
    let text = r##"{"openapi": "3.1.0", "info": {"title": "T", "version": "1"}, "servers": [{"url": "https://api.example.com"}],
        "paths": {"/a": {"$ref": "#/components/pathItems/A"}},
        "components": {"pathItems": {"A": {"post": {"operationId": "run", "requestBody": {"required": true, "content": {"application/json": {"schema": {
            "type": "object", "properties": {"a": {"type": ["string", "null"]}, "b": {"const": 7}, "c": {"$ref": "#/components/schemas/C", "description": "here"},
            "d": {"type": "array", "prefixItems": [{"type": "string"}], "items": false}, "e": true}}}}}}}},
        "schemas": {"C": {"type": "integer", "exclusiveMinimum": 0}}}}"##;
    let seen = schema(text);
    assert_eq!(seen["properties"]["a"], json!({"type": ["string", "null"]}));
    assert_eq!(
        seen["properties"]["c"],
        json!({"$ref": "#/$defs/C", "description": "here"})
    );
    let arguments = r#"{"a":null,"b":7,"c":1,"d":["x"],"e":{}}"#;
    assert_eq!(body(&sent(text, arguments).unwrap()), arguments);
    for wrong in [
        r#"{"a": 1}"#,
        r#"{"b": 8}"#,
        r#"{"c": 0}"#,
        r#"{"d": ["x", "y"]}"#,
    ] {
        assert!(sent(text, wrong).is_err(), "{wrong}");
    }
}

#[test]
fn a_document_of_3_2_has_more_methods_and_whole_queries() {
    let text = r#"{"openapi": "3.2.0", "info": {"title": "T", "version": "1"}, "servers": [{"url": "https://api.example.com"}],
        "paths": {"/a": {
            "query": {"operationId": "look", "requestBody": {"required": true, "content": {"application/json": {"schema": {"type": "object", "properties": {"q": {"type": "string"}}}}}}},
            "additionalOperations": {"LINK": {"operationId": "link"}},
            "get": {"operationId": "run", "parameters": [{"name": "all", "in": "querystring", "content": {"application/x-www-form-urlencoded": {"schema": {"type": "object", "properties": {"a": {"type": "string"}, "b": {"type": "array", "items": {"type": "integer"}}}}}}}]}}}}"#;
    let tools = OpenApi::parse(text).unwrap().toolset().unwrap();
    let hints = |name: &str| tools.get(name).unwrap().def().options.annotations;
    assert_eq!(hints("look").read_only, Some(true));
    assert_eq!(
        (hints("link").read_only, hints("link").destructive),
        (Some(false), Some(true))
    );
    assert_eq!(
        sent(text, r#"{"all": {"a": "x&y"}}"#).unwrap().url,
        "https://api.example.com/a?a=x%26y"
    );
    assert!(sent(text, r#"{"all": {"_method": "DELETE"}}"#).is_err());
}

#[test]
fn other_documents_are_given_and_never_fetched() {
    let text = document(
        &operation(
            "/a",
            "post",
            r#""requestBody": {"required": true, "content": {"application/json": {"schema": {"$ref": "models/order.json#/Order"}}}}"#,
        ),
        "",
    );
    let api = OpenApi::parse(&text).unwrap();
    assert!(
        api.notices()
            .iter()
            .any(|notice| notice.kind == NoticeKind::Loosened
                && notice.message.contains("nothing is fetched"))
    );
    let other = r##"{"Order": {"type": "object", "required": ["line"], "properties": {"line": {"$ref": "#/Line"}}}, "Line": {"type": "string"}}"##;
    let api = api.document("models/order.json", other).unwrap();
    let tools = api.toolset().unwrap();
    let seen = tools.get("run").unwrap().def().input.to_value();
    let line = seen["properties"]["line"]["$ref"].as_str().unwrap();
    assert!(line.starts_with("#/$defs/Line_"), "{line}");
    assert_eq!(seen.pointer(&line[1..]), Some(&json!({"type": "string"})));
}

#[test]
fn a_long_schema_is_cut_with_a_notice() {
    let many: Vec<_> = (0..200).map(|n| format!(r##""S{n}": {{"type": "object", "properties": {{"next": {{"$ref": "#/components/schemas/S{}"}}, "text": {{"type": "string", "description": "{}"}}}}}}"##, n + 1, "x".repeat(200))).collect();
    let text = with_schemas(r##"{"$ref": "#/components/schemas/S0"}"##, &many.join(","));
    let (tools, notices) = OpenApi::parse(&text)
        .unwrap()
        .max_schema_bytes(8 << 10)
        .import()
        .unwrap();
    assert!(tools.get("run").unwrap().def().input.as_json().len() < 12 << 10);
    assert_eq!(
        notices
            .iter()
            .filter(|notice| notice.message.contains("cut here"))
            .count(),
        1
    );
}

#[cfg(feature = "yaml")]
#[test]
fn yaml_is_the_same_document() {
    let yaml = "openapi: 3.0.3\ninfo: {title: T, version: '1'}\nservers: [{url: 'https://api.example.com'}]\npaths:\n  /a/{z}:\n    get:\n      operationId: run\n      parameters:\n        - {name: z, in: path, required: true, schema: {type: string}}\n        - {name: b, in: query, schema: {type: number, default: 1.50}}\n      responses:\n        200: {description: ok}\n";
    let tools = OpenApi::parse_yaml(yaml).unwrap().toolset().unwrap();
    let seen = tools.get("run").unwrap().def().input.as_json().to_owned();
    assert_eq!(
        seen,
        r#"{"type":"object","properties":{"z":{"type":"string"},"b":{"type":"number","default":1.5}},"required":["z"],"additionalProperties":false}"#
    );
    assert!(OpenApi::parse_yaml("a: [").is_err());
}

#[cfg(feature = "yaml")]
#[test]
fn yaml_has_the_scalars_of_its_version_1_2() {
    let yaml = |more: &str| {
        format!(
            "openapi: 3.1.0\ninfo: {{title: T, version: '1'}}\nservers: [{{url: 'https://api.example.com'}}]\npaths:\n  /a:\n    get:\n      operationId: run\n      parameters:\n        - {{name: z, in: query, schema: {{enum: [no, yes, on, off, true]}}}}\n{more}"
        )
    };
    let seen = |text: &str| {
        let tools = OpenApi::parse_yaml(text).unwrap().toolset().unwrap();
        tools.get("run").unwrap().def().input.to_value()
    };
    assert_eq!(
        seen(&yaml(""))["properties"]["z"]["enum"],
        serde_json::json!(["no", "yes", "on", "off", true])
    );
    // The first of two equal keys counts, as in JSON. A number that JSON does not have is lost alone.
    let odd = yaml(
        "        - {name: n, in: query, schema: {type: number, type: string, maximum: .inf}}\n",
    );
    let schema = seen(&odd)["properties"]["n"].clone();
    assert_eq!(schema, serde_json::json!({"type": "number"}));
    // A large document with many aliases.
    let aliases = "*a ,".repeat(51_000);
    let nodes = "0,".repeat(200_000);
    let large = yaml("") + &format!("x-a: &a 1\nx-many: [{aliases}]\nx-long: [{nodes}]\n");
    assert_eq!(seen(&large), seen(&yaml("")));
    let bomb: Vec<_> = (1..30)
        .map(|at| format!("x-{at}: &a{at} [*a{0}, *a{0}, *a{0}]\n", at - 1))
        .collect();
    let bomb = bomb.concat();
    let bomb = OpenApi::parse_yaml(&(yaml("x-0: &a0 [1]\n") + &bomb));
    assert!(bomb.is_err());
}

/// Each level names the next one twice: 2^40 parts, if all were visited.
#[test]
fn parts_that_double_do_not_hang_the_import() {
    let part = |n: usize| format!(r##"{{"$ref": "#/components/schemas/S{n}"}}"##);
    let level = |n: usize| format!(r#""S{n}": {{"allOf": [{0}, {0}]}}"#, part(n + 1));
    let mut levels: Vec<_> = (0..40).map(level).collect();
    levels.push(r#""S40": {"type": "object", "properties": {"a": {"type": "string"}}}"#.to_owned());
    let text = with_schemas(&part(0), &levels.join(","));
    assert!(schema(&text)["properties"].get("a").is_some());
    let inner = format!(
        r#"{{"type": "object", "properties": {{"it": {}}}}}"#,
        part(0)
    );
    let text = with_schemas(&inner, &levels.join(","));
    // Whoever reads the schema would take as long, so the operation is left out.
    let error = OpenApi::parse(&text).unwrap().toolset().unwrap_err();
    assert!(
        matches!(&error, ImportError::Empty(notices) if notices.last().is_some_and(|it| it.kind == NoticeKind::LeftOut)),
        "{error}"
    );
}

const TAGGED: &str = r##""Pet": {"type": "object", "required": ["kind"], "discriminator": {"propertyName": "kind"}, "properties": {"kind": {"type": "string"}}},
    "Dog": {"allOf": [{"$ref": "#/components/schemas/Pet"}, {"type": "object", "properties": {"kind": {"type": "string", "enum": ["dog"]}, "tail": {"type": "string"}}}]},
    "Cat": {"allOf": [{"$ref": "#/components/schemas/Pet"}], "type": "object", "properties": {"lives": {"type": "integer"}}}"##;

#[test]
fn the_constant_of_a_subtype_is_its_tag() {
    let text = with_schemas(r##"{"$ref": "#/components/schemas/Pet"}"##, TAGGED);
    let seen = schema(&text).to_string();
    assert!(
        seen.contains(r#""enum":["dog"]"#) && seen.contains(r#""enum":["Cat"]"#),
        "{seen}"
    );
    assert!(!seen.contains(r#"["Dog"]"#), "{seen}");
}

#[test]
fn a_base_in_a_part_has_its_subtypes() {
    for inner in [
        r##"{"type": "object", "properties": {"pet": {"allOf": [{"$ref": "#/components/schemas/Pet"}], "description": "the pet"}}}"##,
        r##"{"allOf": [{"$ref": "#/components/schemas/Pet"}], "description": "the pet"}"##,
    ] {
        let seen = schema(&with_schemas(inner, TAGGED)).to_string();
        assert!(seen.contains("tail") && seen.contains("lives"), "{seen}");
    }
    let dog = schema(&with_schemas(
        r##"{"$ref": "#/components/schemas/Dog"}"##,
        TAGGED,
    ))
    .to_string();
    assert!(dog.contains("tail") && !dog.contains("lives"), "{dog}");
}

/// Whether a union fits had depended on the operations before.
#[test]
fn equal_operations_have_equal_schemas_whatever_stands_before() {
    let kinds: Vec<_> = (0..8)
        .map(|n| format!(r##""K{n}": {{"allOf": [{{"$ref": "#/components/schemas/Base"}}, {{"type": "object", "properties": {{"p{n}": {{"type": "string", "description": "{}"}}, "q": {{"$ref": "#/components/schemas/Q{n}"}}}}}}]}}, "Q{n}": {{"type": "string"}}"##, "x".repeat(300)))
        .collect();
    let schemas = format!(
        r#""components": {{"schemas": {{"Base": {{"type": "object", "discriminator": {{"propertyName": "kind"}}, "properties": {{"kind": {{"type": "string"}}}}}}, {}}}}}"#,
        kinds.join(",")
    );
    let operation = |id: &str| {
        format!(
            r##""/{id}": {{"post": {{"operationId": "{id}", "requestBody": {{"required": true, "content": {{"application/json": {{"schema": {{"$ref": "#/components/schemas/Base"}}}}}}}}}}}}"##
        )
    };
    let text = crate::document(
        &format!("{}, {}", operation("one"), operation("two")),
        &schemas,
    );
    for most in (1_000..6_000).step_by(50) {
        let tools = OpenApi::parse(&text)
            .unwrap()
            .max_schema_bytes(most)
            .toolset()
            .unwrap();
        let seen = |name: &str| tools.get(name).unwrap().def().input.as_json().to_owned();
        assert_eq!(seen("one"), seen("two"), "{most}");
    }
}

/// The alternatives do not say their own tags, so a model had to guess them.
#[test]
fn the_mapping_of_a_union_is_its_tags() {
    let arms = r##""Cat": {"type": "object", "required": ["kind"], "properties": {"kind": {"type": "string"}, "lives": {"type": "integer"}}},
        "Dog": {"type": "object", "properties": {"kind": {"type": "string", "enum": ["dog"]}}},
        "Cow": {"type": "object", "properties": {"kind": {"type": "string"}, "mate": {"$ref": "#/components/schemas/Pet"}}},
        "Pet": {"oneOf": [{"$ref": "#/components/schemas/Cat"}, {"$ref": "#/components/schemas/Dog"}, {"$ref": "#/components/schemas/Cow"}],
            "discriminator": {"propertyName": "kind", "mapping": {"c": "#/components/schemas/Cat", "kitten": "Cat", "dog": "Dog"}}}"##;
    let text = with_schemas(r##"{"$ref": "#/components/schemas/Pet"}"##, arms);
    let seen = schema(&text);
    let pet = &seen["$defs"]["Pet"]["anyOf"];
    assert_eq!(
        pet[0]["allOf"][0]["properties"]["kind"]["enum"],
        json!(["c", "kitten"])
    );
    assert_eq!(pet[1], json!({"$ref": "#/$defs/Dog"}));
    assert_eq!(pet[2], json!({"$ref": "#/$defs/Cow"}));
    let arguments = r#"{"body":{"kind":"kitten","lives":9}}"#;
    let sent_body = body(&sent(&text, arguments).unwrap());
    assert_eq!(sent_body, r#"{"kind":"kitten","lives":9}"#);
    let cats = text.replace(r##", {"$ref": "#/components/schemas/Cow"}]"##, "]");
    assert!(sent(&cats, r#"{"body": {"kind": "tiger", "lives": 9}}"#).is_err());
}
