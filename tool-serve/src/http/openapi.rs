//! The `OpenAPI` document (3.1), built from the schemas of the tools.

use std::borrow::Cow;

use toolwright_json::{ObjectWriter, Value, list, object, quoted};
use toolwright_provider::call::{Annotations, ToolDef};
use toolwright_provider::definitions::sent_definitions;
use toolwright_runtime::toolset::Toolset;
use toolwright_schema::read::change_references;

/// Schemas of all answers beside a tool's own value. A later version may add keys without breaking clients.
const ANSWERS: &str = r##"{
"Asks":{"description":"The tool ended with a question to a person.","type":"object","properties":{"status":{"const":"ask_user"},"id":{"type":"string","description":"The answer goes to `/calls/{id}`, as `{\"answer\": …}`, and is the result of the call. Missing if the tool reads the answer in another call."},"question":{"type":"string"},"options":{"type":"object","description":"What a front end may want to know beside it."},"repairs":{"$ref":"#/components/schemas/Repairs"},"duration_ms":{"type":"integer","minimum":0}},"required":["status","question","options","duration_ms"]},
"Open":{"description":"The work goes on, and the host takes its result later.","type":"object","properties":{"status":{"const":"open"},"key":{"type":"string"},"note":{"type":"string"},"repairs":{"$ref":"#/components/schemas/Repairs"},"duration_ms":{"type":"integer","minimum":0}},"required":["status","key","note","duration_ms"]},
"Waits":{"description":"The call waits for a person or the host. It did not run, unless the reason is `outcome_unknown`.","type":"object","properties":{"status":{"const":"pending"},"id":{"type":"string","description":"A decision about it goes to `/calls/{id}`."},"reason":{"enum":["manual_tool","manual_mode","decision","outcome_unknown","not_run"]},"path":{"type":"array","items":{"type":"integer","minimum":0},"description":"The place of the call: 0."},"tool":{"type":"string","description":"The name of the tool."},"arguments":{"type":["string","null"],"description":"JSON, without secrets. `null` if the tool is not known any more."},"ask":{"description":"What to show to who decides."},"repairs":{"$ref":"#/components/schemas/Repairs"}},"required":["status","id","path","tool","reason","arguments"]},
"Waiting":{"description":"A call that waits. A decision about it goes to `/calls/{id}`.","type":"object","properties":{"id":{"type":"string"},"reason":{"enum":["manual_tool","manual_mode","decision","outcome_unknown","not_run","question"]},"path":{"type":"array","items":{"type":"integer","minimum":0},"description":"The place of the call: 0."},"tool":{"type":"string","description":"The name of the tool."},"arguments":{"type":["string","null"],"description":"JSON, without secrets. `null` if the tool is not known any more."},"ask":{"description":"What to show to who decides, or the question."}},"required":["id","path","tool","reason","arguments"]},
"Decision":{"description":"What is said to a call that waits: it runs as it was shown or with other arguments, or does not run, and this is why, or its result. A question takes `answer` and `reject`.","anyOf":[{"const":"approve"},{"type":"object","properties":{"edit":{"type":"object"}},"required":["edit"],"additionalProperties":false},{"type":"object","properties":{"reject":{"type":"string"}},"required":["reject"],"additionalProperties":false},{"type":"object","properties":{"answer":{}},"required":["answer"],"additionalProperties":false}]},
"Failed":{"description":"Why there is no value.","type":"object","properties":{"status":{"const":"failed"},"error":{"type":"object","properties":{"kind":{"type":"string","description":"`invalid_args`, `failed`, `unknown_tool`, `rejected`, `timeout`, `cancelled`, `panicked`, …"},"messages":{"type":"array","items":{"type":"string"},"minItems":1},"faults":{"type":"array","items":{"$ref":"#/components/schemas/Fault"}},"data":{"description":"Data of the tool's own."},"permanent":{"type":"boolean","description":"True if the same call would fail again."},"outcome_unknown":{"type":"boolean","description":"True if the call may have taken effect."}},"required":["kind","messages"]},"repairs":{"$ref":"#/components/schemas/Repairs"},"duration_ms":{"type":"integer","minimum":0}},"required":["status","error"]},
"Fault":{"description":"One thing that is wrong with the arguments.","type":"object","properties":{"path":{"type":"string","description":"Where, such as `lines[2].qty`; empty for all of them."},"code":{"enum":["invalid_json","not_object","duplicate_key","unknown_argument","missing_argument","wrong_type","out_of_range","bound","too_deep","too_large"]},"message":{"type":"string"}},"required":["path","code","message"]},
"Repairs":{"description":"How the arguments were repaired before they were read.","type":"array","items":{"type":"object","properties":{"path":{"type":"string"},"kind":{"type":"string"},"from":{"type":"string"},"to":{"type":"string"}},"required":["path","kind","from","to"]}},
"Tools":{"type":"object","properties":{"tools":{"type":"array","items":{"type":"object","properties":{"name":{"type":"string"},"title":{"type":"string"},"description":{"type":"string"},"input_schema":{"type":["object","boolean"],"description":"A JSON Schema; `writeOnly` marks secrets."},"output_schema":{"type":["object","boolean"]},"examples":{"type":"array","description":"Calls as a model should make them.","items":{"type":"object","properties":{"arguments":{"type":"object"},"shows":{"type":"string"}},"required":["arguments"]}},"annotations":{"type":"object"},"namespace":{"type":"string","description":"The group of a deferred tool."},"manual":{"type":"boolean"},"requires_approval":{"type":"boolean","description":"Every call of it waits for a person."},"tokens":{"type":"integer","minimum":0,"description":"At most so many tokens of a request are its definition."}},"required":["name","description","input_schema","tokens"]}},"tokens":{"type":"integer","minimum":0,"description":"Of all definitions that a request has."},"tokenizer":{"type":"string","description":"What counted the tokens."}},"required":["tools","tokens","tokenizer"]},
"Definitions":{"description":"What each provider would get of a tool, by the wire's name.","type":"object","additionalProperties":{"type":"object","properties":{"dialect":{"type":"string"},"tools":{"description":"The value that a request has of it."},"notes":{"description":"What the schema no longer says; the decoder enforces all of it.","type":"array","items":{"type":"string"}},"refused":{"description":"Why the provider would not take it.","type":"array","items":{"type":"string"},"minItems":1}},"required":["dialect"],"oneOf":[{"required":["tools","notes"]},{"required":["refused"]}]}}
}"##;

/// Responses of failed calls, by status.
const FAILURES: [(&str, &str); 12] = [
    ("400", "The body is not JSON."),
    (
        "403",
        "A person or a policy said no, or the host or origin is not allowed.",
    ),
    (
        "404",
        "The tool is not there any more, and near names are told; or no call waits under this id.",
    ),
    ("408", "The body did not come in time."),
    ("409", "The tool failed, and says why."),
    ("413", "The arguments are too long."),
    ("415", "The body is not `application/json`, or is encoded."),
    ("422", "The arguments do not fit, with their faults."),
    ("500", "The tool broke."),
    ("501", "Nothing here runs the tool."),
    ("503", "The call was cancelled: the server ends."),
    ("504", "The call took too long."),
];

/// Responses of requests that the guard refuses.
const REFUSALS: [(&str, &str); 1] = [("403", "The host or origin is not allowed.")];

/// Responses of requests about a tool that is not there.
const NO_TOOL: [(&str, &str); 3] = [
    ("400", "The name is not UTF-8."),
    REFUSALS[0],
    ("404", "There is no such tool, and near names are told."),
];

const NO_TOKEN: (&str, &str) = ("401", "The token is missing or wrong.");

/// Returns the document. Equal tools give equal bytes.
pub(super) fn document(
    tools: &Toolset,
    name: &str,
    version: &str,
    is_guarded: bool,
    mount: &str,
) -> String {
    // Operations of tools have the tools' names, so other ids have to differ from them.
    let free = |id: &str| {
        let mut id = id.to_owned();
        while tools.get(&id).is_some() {
            id.push('_');
        }
        id
    };
    let mut paths = vec![
        (
            Cow::from("/health"),
            get(&free("health"), "Whether it serves", HEALTH, false),
        ),
        (
            "/tools".into(),
            get(&free("list_tools"), "The tools", TOOLS, is_guarded),
        ),
        (
            "/openapi.json".into(),
            get(&free("document"), "This document", DOCUMENT, is_guarded),
        ),
        (
            "/calls".into(),
            get(
                &free("list_calls"),
                "The caller's calls that wait",
                CALLS,
                is_guarded,
            ),
        ),
        ("/calls/{id}".into(), decide(&free("decide"), is_guarded)),
        (
            "/tools/{name}/definitions".into(),
            definitions(&free("definitions"), tools, is_guarded),
        ),
    ];
    let mut schemas = match Value::parse(ANSWERS) {
        Ok(Value::Object(entries)) => entries,
        _ => Vec::new(),
    };
    paths.extend(operations(tools, is_guarded, &mut schemas));
    let token = r#"{"token":{"type":"http","scheme":"bearer"}}"#;
    let schemas = Value::Object(schemas).to_json();
    let servers = (!mount.is_empty()).then(|| list([object([("url", quoted(mount))])]));
    ObjectWriter::new()
        .text("openapi", "3.1.0")
        .object("info", |info| {
            info.text("title", name).text("version", version)
        })
        .maybe_json("servers", servers.as_deref())
        .json("paths", &object(paths))
        .object("components", |components| {
            components
                .json("schemas", &schemas)
                .maybe_json("securitySchemes", is_guarded.then_some(token))
        })
        .end()
}

/// Returns the operations of the tools by path, and adds the schemas that they name.
fn operations(
    tools: &Toolset,
    is_guarded: bool,
    schemas: &mut Vec<(Cow<'static, str>, Value<'static>)>,
) -> Vec<(Cow<'static, str>, String)> {
    let tools = sent_definitions(tools).enumerate();
    let operations = tools.map(|(place, def)| {
        let key = key(&def.name, place);
        let arguments = format!("{key}.arguments");
        schemas.push((
            arguments.clone().into(),
            moved(&def.input.to_marked_json(), &arguments),
        ));
        let value = def.output.as_ref().map(|output| {
            let value = format!("{key}.value");
            schemas.push((
                value.clone().into(),
                moved(&output.to_marked_json(), &value),
            ));
            value
        });
        let path = format!("/tools/{}", encoded(&def.name));
        let operation = operation(def, &arguments, value.as_deref(), is_guarded);
        (path.into(), operation)
    });
    operations.collect()
}

const HEALTH: &str =
    r#"{"type":"object","properties":{"status":{"const":"ok"}},"required":["status"]}"#;
const TOOLS: &str = r##"{"$ref":"#/components/schemas/Tools"}"##;
const CALLS: &str = r##"{"type":"object","properties":{"calls":{"type":"array","items":{"$ref":"#/components/schemas/Waiting"}}},"required":["calls"]}"##;
const DOCUMENT: &str = r#"{"type":"object"}"#;

fn get(id: &str, summary: &str, schema: &str, is_guarded: bool) -> String {
    get_of(id, summary, schema, None, &REFUSALS, is_guarded)
}

fn get_of(
    id: &str,
    summary: &str,
    schema: &str,
    parameters: Option<&str>,
    refusals: &[(&'static str, &'static str)],
    is_guarded: bool,
) -> String {
    let mut responses = vec![("200", response("It is there.", schema))];
    responses.extend(failures(refusals, is_guarded));
    let get = ObjectWriter::new()
        .text("operationId", id)
        .text("summary", summary)
        .maybe_json("parameters", parameters)
        .json("responses", &object(responses))
        .maybe_json("security", security(is_guarded));
    object([("get", get.end())])
}

fn definitions(id: &str, tools: &Toolset, is_guarded: bool) -> String {
    let names = list(tools.definitions().map(|def| quoted(&def.name)));
    let name = ObjectWriter::new()
        .text("name", "name")
        .text("in", "path")
        .json("required", "true")
        .object("schema", |schema| schema.json("enum", &names))
        .end();
    let summary = "What each provider would get of a tool";
    let (schema, parameters) = (reference("Definitions"), list([name]));
    get_of(
        id,
        summary,
        &schema,
        Some(&parameters),
        &NO_TOOL,
        is_guarded,
    )
}

fn decide(id: &str, is_guarded: bool) -> String {
    let post = ObjectWriter::new()
        .text("operationId", id)
        .text("summary", "Decides about a call that waits, for a person")
        // Importers of Toolwright make no tool of it, by which a model would approve its own calls.
        .json("x-toolwright-decision", "true")
        .json("parameters", ID);
    object([("post", exchange(post, "Decision", None, is_guarded))])
}

const ID: &str = r#"[{"name":"id","in":"path","required":true,"description":"What the call was answered with.","schema":{"type":"string"}}]"#;

/// Returns an operation with the request body and the responses of a route that runs calls.
fn exchange(operation: ObjectWriter, sent: &str, value: Option<&str>, is_guarded: bool) -> String {
    let mut responses = vec![
        ("200", done(value)),
        ("202", response("The call waits.", &reference("Waits"))),
    ];
    responses.extend(failures(&FAILURES, is_guarded));
    let content = content(&[("application/json", &reference(sent))]);
    operation
        .object("requestBody", |body| {
            body.json("required", "true").json("content", &content)
        })
        .json("responses", &object(responses))
        .maybe_json("security", security(is_guarded))
        .end()
}

fn operation(def: &ToolDef, arguments: &str, value: Option<&str>, is_guarded: bool) -> String {
    let hints = def.options.annotations;
    let hints = (hints != Annotations::NONE).then(|| serde_json::to_string(&hints).ok());
    let post = ObjectWriter::new()
        .text("operationId", &def.name)
        .maybe_text("summary", def.title.as_deref())
        .text("description", &def.description)
        .json("parameters", PREFER)
        .maybe_json("x-annotations", hints.flatten().as_deref());
    object([("post", exchange(post, arguments, value, is_guarded))])
}

/// Header parameter that switches repairs off.
const PREFER: &str = r#"[{"name":"Prefer","in":"header","required":false,"description":"With `handling=strict` the arguments are read as they stand; else values are repaired where their meaning is certain, and keys never.","schema":{"type":"string"}}]"#;

/// Response of a call that ran: a value, content, or a question.
fn done(value: Option<&str>) -> String {
    let value = value.map_or_else(|| "{}".to_owned(), reference);
    let direct = r#"{"const":true,"description":"The value goes to the user as it is."}"#;
    let halt = r#"{"type":"string","description":"Why the conversation ends here."}"#;
    let schema = ObjectWriter::new()
        .text("type", "object")
        .object("properties", |properties| {
            properties
                .json("status", r#"{"const":"done"}"#)
                .json("value", &value)
                .json("content", CONTENT)
                .json("direct", direct)
                .json("halt", halt)
                .json("repairs", &reference("Repairs"))
                .json("duration_ms", r#"{"type":"integer","minimum":0}"#)
        })
        .json("required", r#"["status","duration_ms"]"#)
        .end();
    let all = list([schema, reference("Asks"), reference("Open")]);
    let either = object([("anyOf", all)]);
    described(
        "What the call came to.",
        &[("application/json", &either), ("text/event-stream", EVENTS)],
    )
}

const CONTENT: &str = r#"{"type":"array","items":{"type":"object","properties":{"type":{"type":"string"}},"required":["type"]}}"#;
const EVENTS: &str = r#"{"type":"string","description":"Events: `progress` with `done`, `total`, `message` and `item`, and at the end `answer` with what the body would have been, whatever it is."}"#;

fn failures(of: &[(&'static str, &'static str)], is_guarded: bool) -> Vec<(&'static str, String)> {
    let all = is_guarded.then_some(&NO_TOKEN).into_iter().chain(of);
    let failed = reference("Failed");
    all.map(|(status, words)| (*status, response(words, &failed)))
        .collect()
}

fn security(is_guarded: bool) -> Option<&'static str> {
    is_guarded.then_some(r#"[{"token":[]}]"#)
}

fn response(words: &str, schema: &str) -> String {
    described(words, &[("application/json", schema)])
}

fn described(words: &str, kinds: &[(&str, &str)]) -> String {
    ObjectWriter::new()
        .text("description", words)
        .json("content", &content(kinds))
        .end()
}

fn content(kinds: &[(&str, &str)]) -> String {
    let kinds = kinds.iter();
    object(kinds.map(|(kind, schema)| (*kind, object([("schema", schema)]))))
}

fn reference(key: &str) -> String {
    object([("$ref", quoted(&format!("#/components/schemas/{key}")))])
}

/// Returns the component key of a tool: its name, or its place if the name is not allowed there.
fn key(name: &str, place: usize) -> String {
    let fits = |char: char| char.is_ascii_alphanumeric() || "._-".contains(char);
    if name.chars().all(fits) {
        name.to_owned()
    } else {
        format!("tool-{place}")
    }
}

/// Percent-encodes a name as a path segment.
fn encoded(name: &str) -> String {
    name.bytes()
        .map(|byte| {
            if byte.is_ascii_alphanumeric() || b"-._~".contains(&byte) {
                char::from(byte).to_string()
            } else {
                format!("%{byte:02X}")
            }
        })
        .collect()
}

/// A schema as a component: what refers to its own root refers to the component.
fn moved(schema: &str, key: &str) -> Value<'static> {
    let schema = Value::parse(schema).map(Value::into_owned);
    let mut schema = schema.unwrap_or_else(|_| Value::empty());
    change_references(&mut schema, &mut |target| {
        if let Some(inner) = target.strip_prefix('#') {
            *target = format!("#/components/schemas/{key}{inner}").into();
        }
    });
    schema
}
