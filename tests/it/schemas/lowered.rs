//! Each type in each dialect: what its tool takes, it takes behind a plan too.

use crate::json::CheckText;
use toolwright::{
    Dialect,
    dialect::{Lowered, lower},
    schema::SchemaDoc,
};

use crate::json::Json;
use crate::schemas::obedient::Obedient;
use crate::schemas::row::call;

/// A model that knows the type better than the schema that it was sent: it writes a map as a map,
/// and a tuple as an array.
#[test]
fn arguments_in_the_form_before_the_lowering_are_taken() {
    let mut wrong = Vec::new();
    let mut count = 0;
    for row in crate::schemas::rows() {
        let tools = (row.tools)();
        let def = tools.definitions().next().unwrap();
        for dialect in Dialect::ALL {
            let Ok(lowered) = lower(&def.input, dialect) else {
                continue;
            };
            for sample in row.good() {
                let sent = format!(r#"{{"value":{sample}}}"#);
                count += 1;
                let fault = match lowered.inverse.restore(&sent) {
                    Err(faults) => faults.first().map(ToString::to_string),
                    Ok(undone) => {
                        let value = undone.strip_prefix(r#"{"value":"#).map(str::trim);
                        match value.and_then(|value| value.strip_suffix('}')) {
                            Some(value) => call(&tools, value).map(|error| format!("{error:?}")),
                            // The key is gone: `null` said that it is not there.
                            None => (sample != "null").then(|| undone.to_string()),
                        }
                    }
                };
                if let Some(fault) = fault {
                    wrong.push(format!("{} in {dialect}: {sent}: {fault}", row.name));
                }
            }
        }
    }
    assert!(count > 1000, "{count} samples");
    crate::schemas::none(wrong);
}

/// What a model that writes what it is asked for makes of the type's samples, but for numbers that
/// it cannot write, and forms that are taken beside the schema's.
fn sent(samples: Vec<String>, lowered: &Lowered, schema: &Json) -> Vec<(String, Json)> {
    let model = Obedient {
        lowered,
        schema,
        closes: true,
    };
    let samples = samples.into_iter();
    let sent = samples.filter_map(|sample| {
        let arguments = Json::read(&format!(r#"{{"value":{sample}}}"#));
        let sent = model.write(&arguments, schema, "")?;
        Some((sample, sent))
    });
    sent.collect()
}

#[test]
fn arguments_in_the_form_that_a_dialect_asks_for_are_taken() {
    let mut wrong = Vec::new();
    let mut count = 0;
    for row in crate::schemas::rows() {
        let tools = (row.tools)();
        let def = tools.definitions().next().unwrap();
        for dialect in Dialect::ALL {
            let Ok(lowered) = lower(&def.input, dialect) else {
                continue;
            };
            let schema = Json::read(lowered.schema.as_deref().unwrap_or("{}"));
            for (_, sent) in sent(row.good(), &lowered, &schema) {
                count += 1;
                let sent = sent.to_string();
                let undone = lowered
                    .inverse
                    .restore(&sent)
                    .map_err(|faults| format!("{faults:?}"));
                let problem = match &undone {
                    Err(faults) => Some(faults.clone()),
                    Ok(text) => tools
                        .check_text("hold", &**text)
                        .err()
                        .map(|error| format!("{text}: {error:?}")),
                };
                if let Some(problem) = problem {
                    wrong.push(format!("{} in {dialect}: {sent}: {problem}", row.name));
                }
            }
        }
    }
    assert!(count > 1000, "{count} samples");
    crate::schemas::none(wrong);
}

/// A plan brings values back that the type refuses, and it refuses them all the same: also what only words told the model.
#[test]
fn what_a_type_refuses_is_refused_in_the_form_that_a_dialect_asks_for() {
    let mut wrong = Vec::new();
    let mut refused = 0;
    for row in crate::schemas::rows() {
        let tools = (row.tools)();
        let def = tools.definitions().next().unwrap();
        for dialect in Dialect::ALL {
            let Ok(lowered) = lower(&def.input, dialect) else {
                continue;
            };
            let schema = Json::read(lowered.schema.as_deref().unwrap_or("{}"));
            for (sample, sent) in sent(row.bad(), &lowered, &schema) {
                let sent = sent.to_string();
                let Ok(undone) = lowered.inverse.restore(&sent) else {
                    refused += 1;
                    continue;
                };
                // A key that is missing is written as `null`, which may be a good value.
                let arguments = Json::read(&format!(r#"{{"value":{sample}}}"#));
                if Json::read(&undone).unordered() != arguments.unordered() {
                    continue;
                }
                match tools.check_text("hold", &*undone) {
                    Err(_) => refused += 1,
                    Ok(()) => wrong.push(format!("{} in {dialect}: {sample}: {sent}", row.name)),
                }
            }
        }
    }
    assert!(refused > 1000, "{refused}");
    crate::schemas::none(wrong);
}

/// Keywords that no type of ours has: in schemas that arrive at run time.
const KEYWORDS: [&str; 22] = [
    r#"{"type":"string","pattern":"^a$","minLength":1,"maxLength":9}"#,
    r#"{"type":"string","format":"uuid","maxLength":36}"#,
    r#"{"type":"string","format":"uri-reference"}"#,
    r#"{"type":"string","pattern":"(?=a)b","description":"Looks ahead"}"#,
    r#"{"type":"string","pattern":"(?<!a)b"}"#,
    r#"{"type":"string","pattern":"\\bword\\b"}"#,
    r#"{"type":"string","pattern":"(a)\\1"}"#,
    r#"{"type":"string","contentEncoding":"base64","contentMediaType":"text/plain"}"#,
    r#"{"type":"integer","multipleOf":3,"exclusiveMinimum":0,"exclusiveMaximum":1000000000000000000}"#,
    r#"{"type":"number","minimum":-3.4028235e38,"maximum":3.4028235e38}"#,
    r#"{"type":"integer","maximum":340282366920938463463374607431768211455}"#,
    r#"{"type":["string","integer"],"not":{"const":0}}"#,
    r#"{"type":"string","if":{"maxLength":3},"then":{"pattern":"a"},"else":{"pattern":"b"}}"#,
    r#"{"type":"array","items":{"type":"integer"},"contains":{"const":1},"minContains":1,"uniqueItems":true}"#,
    r#"{"type":"array","prefixItems":[{"type":"integer"}],"unevaluatedItems":false}"#,
    r#"{"type":"object","properties":{"a":{"type":"null"}},"patternProperties":{"^x":{"type":"string"}},"additionalProperties":false}"#,
    r#"{"type":"object","properties":{"a":{"type":"null"}},"patternProperties":{"^x":{"type":"string"}}}"#,
    r#"{"type":"object","propertyNames":{"pattern":"^x","maxLength":3},"additionalProperties":{"type":"string"}}"#,
    r#"{"type":"object","properties":{"a":{"type":"null"},"b":{"type":"null"}},"dependentRequired":{"a":["b"]},"minProperties":1}"#,
    r#"{"type":"object","properties":{"a":{"type":"null"}},"unevaluatedProperties":false}"#,
    r#"{"allOf":[{"type":"string","minLength":1},{"type":"string","pattern":"a"}]}"#,
    r#"{"type":"boolean","default":true,"deprecated":true,"x-own":1}"#,
];

/// Every type in every dialect, as an argument that is needed, and out of a stored definition as one
/// that is not: how wide numbers are is said there. The keywords above; the cases of
/// `dialects.json`. A line each in the file that `TOOLWRIGHT_LOWERED` names, for
/// `tests/outside/lowered.sh`, which shows them to the code of others.
#[test]
fn what_is_lowered_is_json() {
    let mut lines = Vec::new();
    let mut all = |name: &str, schema: &SchemaDoc, row: Option<&crate::schemas::row::Row>| {
        for dialect in Dialect::ALL {
            let Ok(lowered) = lower(schema, dialect) else {
                continue;
            };
            // A tool without arguments may be sent without one.
            let Some(text) = lowered.schema.as_deref() else {
                continue;
            };
            let sent = row.map(|row| sent(row.good(), &lowered, &Json::read(text)));
            let sent = sent.iter().flatten().map(|(_, sent)| sent.to_string());
            let sent: Vec<_> = sent.collect();
            let sent = sent.join(",");
            let line = format!(
                r#"{{"name":{name:?},"dialect":"{dialect}","schema":{text},"sent":[{sent}]}}"#
            );
            serde_json::from_str::<serde_json::Value>(&line).expect(&line);
            lines.push(line);
        }
    };
    let doc = |schema: &str| SchemaDoc::parse(schema).unwrap();
    let argument =
        |schema: &str| format!(r#"{{"type":"object","properties":{{"value":{schema}}}}}"#);
    for row in crate::schemas::rows() {
        let tools = (row.tools)();
        let needed = &tools.definitions().next().unwrap().input;
        all(row.name, needed, Some(&row));
        let text = needed.as_json();
        let optional = text.replacen(r#","required":["value"]"#, "", 1);
        all(&format!("{}, stored", row.name), &doc(&optional), None);
    }
    for schema in KEYWORDS {
        all(schema, &doc(&argument(schema)), None);
    }
    let table = Json::read(include_str!("../dialects/dialects.json"));
    for test in table.get("tests").unwrap().items() {
        let schema = test.get("schema").unwrap().to_string();
        all(test.text("id"), &doc(&schema), None);
    }
    assert!(lines.len() > 2000, "{} lines", lines.len());
    if let Some(file) = std::env::var_os("TOOLWRIGHT_LOWERED") {
        std::fs::write(file, lines.join("\n")).unwrap();
    }
}

/// Schemas that admit more than they declare, and values that they admit.
const OPEN: [(&str, &str); 43] = [
    ("{}", r#"[1,"x",[1],{"a":1},null]"#),
    ("true", r#"[1,"x",[1],{"a":1},null]"#),
    (r#"{"description":"Anything"}"#, r#"[1,{"a":1}]"#),
    (r#"{"not":{"type":"string"}}"#, r#"[1,{"a":1}]"#),
    (
        r#"{"properties":{"a":{"type":"integer"}}}"#,
        r#"["x",{"a":1},{"b":1}]"#,
    ),
    (
        r#"{"type":"object"}"#,
        r#"[{"a":1},{},{"a":{"b":[1]},"c":null}]"#,
    ),
    (
        r#"{"type":"object","description":"Any record"}"#,
        r#"[{"a":1}]"#,
    ),
    (
        r#"{"type":"object","additionalProperties":true}"#,
        r#"[{"a":1}]"#,
    ),
    (
        r#"{"type":"object","additionalProperties":{}}"#,
        r#"[{"a":1}]"#,
    ),
    (
        r#"{"type":"object","additionalProperties":{"type":"integer"}}"#,
        r#"[{"a":1}]"#,
    ),
    (
        r#"{"type":"object","additionalProperties":{"type":"object"}}"#,
        r#"[{"a":{"b":1}}]"#,
    ),
    (
        r#"{"type":"object","unevaluatedProperties":true}"#,
        r#"[{"a":1}]"#,
    ),
    (
        r#"{"type":"object","unevaluatedProperties":{"type":"integer"}}"#,
        r#"[{"a":1}]"#,
    ),
    (
        r#"{"type":"object","patternProperties":{"^x":{"type":"integer"}}}"#,
        r#"[{"x":1},{"y":"z"}]"#,
    ),
    (
        r#"{"type":"object","patternProperties":{"^x":{"type":"integer"}},"additionalProperties":false}"#,
        r#"[{"x":1}]"#,
    ),
    (
        r#"{"type":"object","propertyNames":{"pattern":"^x"}}"#,
        r#"[{"x":1}]"#,
    ),
    (r#"{"type":"object","required":["a"]}"#, r#"[{"a":1}]"#),
    (r#"{"type":"object","minProperties":1}"#, r#"[{"a":1}]"#),
    (r#"{"type":"object","maxProperties":2}"#, r#"[{"a":1}]"#),
    (
        r#"{"type":"object","dependentRequired":{"a":["b"]}}"#,
        r#"[{"a":1,"b":1}]"#,
    ),
    (
        r#"{"type":"object","dependentSchemas":{"a":{"required":["b"]}}}"#,
        r#"[{"a":1,"b":1}]"#,
    ),
    (
        r#"{"type":"object","if":{"required":["a"]},"then":{"required":["b"]}}"#,
        r#"[{"a":1,"b":1}]"#,
    ),
    (
        r#"{"type":"object","properties":{"b":{"type":"integer"}},"required":["a"]}"#,
        r#"[{"a":1,"b":1}]"#,
    ),
    (
        r#"{"type":"object","properties":{"b":{"type":"integer"}},"minProperties":2}"#,
        r#"[{"a":1,"b":1}]"#,
    ),
    (
        r#"{"type":"object","properties":{"b":{"type":"integer"}},"additionalProperties":true}"#,
        r#"[{"a":1,"b":1}]"#,
    ),
    (
        r#"{"type":"object","properties":{"b":{"type":"integer"}},"unevaluatedProperties":true}"#,
        r#"[{"a":1,"b":1}]"#,
    ),
    (
        r#"{"type":"object","properties":{"b":{"type":"integer"}},"unevaluatedProperties":{"type":"integer"}}"#,
        r#"[{"a":1,"b":1}]"#,
    ),
    (
        r#"{"type":"object","properties":{"b":{"type":"integer"}},"patternProperties":{"^a":{"type":"integer"}}}"#,
        r#"[{"a":1,"b":1}]"#,
    ),
    (r#"{"type":["object","null"]}"#, r#"[{"a":1},null]"#),
    (r#"{"type":["object","string"]}"#, r#"[{"a":1},"x"]"#),
    (r#"{"enum":[{"a":1},"x"]}"#, r#"[{"a":1},"x"]"#),
    (r#"{"const":{"a":1}}"#, r#"[{"a":1}]"#),
    (
        r#"{"anyOf":[{"type":"object"},{"type":"string"}]}"#,
        r#"[{"a":1},"x"]"#,
    ),
    (r#"{"allOf":[{"type":"object"}]}"#, r#"[{"a":1}]"#),
    (
        r#"{"allOf":[{"type":"object"},{"minProperties":1}]}"#,
        r#"[{"a":1}]"#,
    ),
    (
        r#"{"allOf":[{"type":["object","null"]},{"type":["object","null"],"minProperties":1}]}"#,
        r#"[{"a":1}]"#,
    ),
    (r#"{"type":"array"}"#, r#"[[1,"x",{"a":1}]]"#),
    (r#"{"type":"array","items":true}"#, r#"[[1,"x",{"a":1}]]"#),
    (
        r#"{"type":"array","items":{"type":"object"}}"#,
        r#"[[{"a":1}]]"#,
    ),
    (
        r#"{"type":"array","prefixItems":[{"type":"integer"}]}"#,
        r#"[[1,"x"]]"#,
    ),
    (
        r#"{"type":"array","prefixItems":[{"type":"object"},{"type":"integer"}],"items":false,"minItems":2}"#,
        r#"[[{"a":1},1]]"#,
    ),
    (
        r#"{"type":"array","items":[{"type":"integer"}]}"#,
        r#"[[1,"x"]]"#,
    ),
    (
        r#"{"type":"array","contains":{"type":"integer"}}"#,
        r#"[[1,"x"]]"#,
    ),
];

/// Where such a schema may stand, and a value there; `@` is the schema, or the value.
const PLACES: [(&str, &str); 9] = [
    (
        r#"{"type":"object","properties":{"v":@},"required":["v"]}"#,
        r#"{"v":@}"#,
    ),
    (r#"{"type":"object","properties":{"v":@}}"#, r#"{"v":@}"#),
    (
        r##"{"type":"object","properties":{"v":{"$ref":"#/$defs/a"}},"required":["v"],"$defs":{"a":@}}"##,
        r#"{"v":@}"#,
    ),
    (
        r#"{"type":"object","properties":{"v":{"type":"array","items":@}},"required":["v"]}"#,
        r#"{"v":[@]}"#,
    ),
    (
        r#"{"type":"object","properties":{"v":{"type":"object","additionalProperties":@}},"required":["v"]}"#,
        r#"{"v":{"k":@}}"#,
    ),
    (
        r#"{"type":"object","properties":{"v":{"type":"object","properties":{"w":@},"additionalProperties":false}},"required":["v"]}"#,
        r#"{"v":{"w":@}}"#,
    ),
    (
        r#"{"type":"object","properties":{"v":{"anyOf":[{"type":"boolean"},@]}},"required":["v"]}"#,
        r#"{"v":@}"#,
    ),
    (
        r#"{"type":"object","properties":{"v":{"anyOf":[@,{"type":"null"}]}},"required":["v"]}"#,
        r#"{"v":@}"#,
    ),
    (
        r##"{"type":"object","properties":{"v":{"$ref":"#/$defs/n"}},"required":["v"],"$defs":{"n":{"type":"object","properties":{"next":{"$ref":"#/$defs/n"},"w":@}}}}"##,
        r#"{"v":{"next":{"w":@}}}"#,
    ),
];

fn without_nulls(value: Json) -> Json {
    match value {
        Json::Object(mut entries) => {
            entries.retain(|(_, value)| !value.is_null());
            let entries = entries.into_iter();
            Json::Object(
                entries
                    .map(|(key, value)| (key, without_nulls(value)))
                    .collect(),
            )
        }
        Json::Array(items) => Json::Array(items.into_iter().map(without_nulls).collect()),
        leaf @ Json::Leaf(_) => leaf,
    }
}

/// What was lost, if a model that writes what it is asked for cannot write the arguments, and no
/// note says so.
fn narrowed(schema: &str, arguments: &str, dialect: Dialect) -> Option<String> {
    let lowered = lower(&SchemaDoc::parse(schema).unwrap(), dialect).ok()?;
    let text = lowered.schema.as_deref().unwrap_or(r#"{"type":"object"}"#);
    let sent = Obedient {
        lowered: &lowered,
        schema: &Json::read(text),
        closes: lowered.strict || matches!(dialect, Dialect::GeminiOpenApi | Dialect::Ollama),
    };
    let arguments = Json::read(arguments);
    let written = sent.write(&arguments, sent.schema, "");
    let written = written.or_else(|| {
        let arguments = without_nulls(arguments.clone());
        sent.write(&arguments, sent.schema, "")
    });
    let undone = written.and_then(|sent| {
        let sent = sent.to_string();
        let undone = lowered.inverse.restore(&sent).ok()?;
        Some(Json::read(&undone).unordered())
    });
    // A key that may be missing or `null` is sent as `null` in both cases, or in neither.
    if undone.map(without_nulls) == Some(without_nulls(arguments.unordered())) {
        return None;
    }
    const STRUCTURAL: [&str; 8] = [
        "additionalProperties",
        "anyOf",
        "patternProperties",
        "prefixItems",
        "properties",
        "required",
        "type",
        "unevaluatedProperties",
    ];
    let is_said = |note: &toolwright::dialect::Note| STRUCTURAL.contains(&note.keyword.as_str());
    let is_told = lowered.notes.iter().any(is_said);
    (!is_told).then(|| format!("{schema} in {dialect}: {arguments}: {text}"))
}

#[test]
fn what_a_schema_admits_can_be_written_in_every_dialect_or_is_told_to_be_lost() {
    let mut wrong = Vec::new();
    let mut count = 0;
    for (open, values) in OPEN {
        for value in Json::read(values).items() {
            for (place, at) in PLACES {
                let schema = place.replace('@', open);
                let arguments = at.replace('@', &value.to_string());
                for dialect in Dialect::ALL {
                    count += 1;
                    wrong.extend(narrowed(&schema, &arguments, dialect));
                }
            }
            // As the whole of the arguments.
            if open.starts_with(r#"{"type":"object""#) {
                for dialect in Dialect::ALL {
                    wrong.extend(narrowed(open, &value.to_string(), dialect));
                }
            }
        }
    }
    assert!(count > 5000, "{count}");
    crate::schemas::none(wrong);
}
