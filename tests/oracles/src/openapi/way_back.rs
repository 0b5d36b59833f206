//! Shows that calls come back: values of the schema, written in a dialect's form by code that does not lower, are the same values
//! again; and what the schema refuses of a dialect's values, a note of that tool says.

use std::collections::BTreeMap;

use toolwright::args::FaultCode;
use toolwright::dialect::{Lowered, NoteKind};
use toolwright::schema::SchemaDoc;
use toolwright::{Dialect, DynTool, ToolDef, ToolError, Toolset};

use crate::json::{CheckText, Json};
use crate::obedient::Obedient;
use crate::samples::Samples;

/// Values of one schema, and values of one lowered schema.
const VALUES: u64 = 3;

/// Keywords that only say which keys there are. Notes of all others bound values.
const OF_KEYS: [&str; 9] = [
    "additionalProperties",
    "unevaluatedProperties",
    "patternProperties",
    "propertyNames",
    "required",
    "dependentRequired",
    "minProperties",
    "maxProperties",
    "discriminator",
];

/// What was found so far.
#[derive(Default)]
pub(crate) struct WayBack {
    /// Values of the schemas that came back, those that a dialect's form has no place for, and those that came back as others.
    same: usize,
    unwritten: usize,
    other: Vec<String>,
    /// Values of lowered schemas that the schema admits; those that it refuses, with a note, by their faults; and those without a note.
    admitted: usize,
    noted: BTreeMap<&'static str, usize>,
    without_note: Vec<String>,
}

/// A tool with this schema; `None` if it is none.
fn tool(schema: &SchemaDoc) -> Option<Toolset> {
    let mut def = ToolDef::new("operation", "Calls an operation.");
    def.input = schema.clone();
    def.strip_hidden();
    let tool = DynTool::builder()
        .def(def)
        .handler_sync(|_: serde_json::Value, _| Ok::<_, ToolError>("done"))
        .build();
    Toolset::new([tool.ok()?]).ok()
}

/// The value without `null`, by which a dialect says that a key is missing.
fn without_null(value: &Json) -> Json {
    match value {
        Json::Object(entries) => {
            let is_there =
                |(_, value): &&(String, Json)| *value != Json::Leaf(serde_json::Value::Null);
            let entries = entries.iter().filter(is_there);
            let entries = entries.map(|(key, value)| (key.clone(), without_null(value)));
            Json::Object(entries.collect())
        }
        Json::Array(items) => Json::Array(items.iter().map(without_null).collect()),
        leaf => leaf.clone(),
    }
}

impl WayBack {
    pub(crate) fn add(
        &mut self,
        name: &str,
        schema: &SchemaDoc,
        all: &[(Dialect, Lowered)],
        seed: u64,
    ) {
        let Some(tools) = tool(schema) else {
            return;
        };
        let own = Json::read(schema.as_json());
        let mut samples = Samples::new(&own, seed);
        let drawn = (0..VALUES).filter_map(|_| samples.draw());
        let is_admitted = |value: &Json| tools.check_text("operation", value.to_string()).is_ok();
        let drawn: Vec<_> = drawn.filter(is_admitted).collect();
        for (at, (dialect, lowered)) in all.iter().enumerate() {
            let Some(text) = &lowered.schema else {
                continue;
            };
            let sent = Json::read(text);
            let model = Obedient {
                lowered,
                schema: &sent,
                closes: dialect.non_strict() != *dialect || text.contains("nullable"),
            };
            for value in &drawn {
                let Some(written) = model.write(value, &sent, "") else {
                    self.unwritten += 1;
                    continue;
                };
                let back = lowered
                    .inverse
                    .restore(&written.to_string())
                    .map(|back| Json::read(&back));
                match back {
                    Ok(back)
                        if without_null(&back).unordered() == without_null(value).unordered() =>
                    {
                        self.same += 1
                    }
                    back => self.other.push(format!(
                        "{dialect}: {name}\n  own  {value}\n  sent {written}\n  back {back:?}"
                    )),
                }
            }
            // Each dialect has its turn.
            if seed % 4 == at as u64 % 4 {
                self.add_sent(&format!("{dialect}: {name}"), &tools, lowered, seed);
            }
        }
    }

    /// Values that a lowered schema admits.
    fn add_sent(&mut self, name: &str, tools: &Toolset, lowered: &Lowered, seed: u64) {
        let text = lowered.schema.as_deref().unwrap_or_default();
        let sent = Json::read(text);
        let mut checks = None;
        let mut samples = Samples::new(&sent, seed);
        for value in (0..VALUES).filter_map(|_| samples.draw()) {
            let written = value.to_string();
            let error = match lowered.inverse.restore(&written) {
                Ok(back) => tools.check_text("operation", &*back).err(),
                Err(faults)
                    if faults
                        .iter()
                        .all(|fault| fault.code == FaultCode::DuplicateKey) =>
                {
                    // A list of entries has a key once; no dialect says that.
                    *self.noted.entry("duplicate_key").or_default() += 1;
                    continue;
                }
                Err(faults) => Some(ToolError::failed(format!("{faults:?}"))),
            };
            let Some(error) = error else {
                self.admitted += 1;
                continue;
            };
            let checks = checks.get_or_insert_with(|| {
                SchemaDoc::parse(text).ok().and_then(|schema| tool(&schema))
            });
            let is_sent = |checks: &Toolset| checks.check_text("operation", &written).is_ok();
            if !checks.as_ref().is_some_and(is_sent) {
                continue;
            }
            match error
                .faults()
                .iter()
                .find(|fault| !is_noted(fault.code, lowered))
            {
                None if !error.faults().is_empty() => {
                    for fault in error.faults() {
                        *self.noted.entry(fault.code.as_str()).or_default() += 1;
                    }
                }
                _ => self
                    .without_note
                    .push(format!("{name}\n  sent {written}\n  {error}")),
            }
        }
    }

    /// Prints the counts, and returns what must not be.
    pub(crate) fn print(&self) -> Vec<String> {
        let Self {
            same,
            unwritten,
            other,
            admitted,
            noted,
            without_note,
        } = self;
        println!(
            "{same} values came back, {} as others; {unwritten} have no place in a dialect's form",
            other.len()
        );
        println!(
            "{admitted} values of dialects are admitted; refused with a note: {noted:?}; without one: {}",
            without_note.len()
        );
        let wrong = other
            .iter()
            .take(5)
            .chain(without_note.iter().take(5))
            .cloned();
        let mut wrong: Vec<_> = wrong.collect();
        if same < &(5 * unwritten) || *same == 0 {
            wrong.push("too few values were written".to_owned());
        }
        wrong
    }
}

/// Returns true if a note of the tool says what may be refused so.
fn is_noted(code: FaultCode, lowered: &Lowered) -> bool {
    lowered.notes.iter().any(|note| {
        let is_of_keys = OF_KEYS.contains(&&*note.keyword);
        // These stand for a whole schema.
        let is_whole = note.kind == NoteKind::AsText
            || matches!(
                &*note.keyword,
                "anyOf" | "oneOf" | "allOf" | "if" | "dependentSchemas" | "not" | "enum"
            );
        match code {
            FaultCode::UnknownArgument | FaultCode::MissingArgument => is_whole || is_of_keys,
            _ => {
                is_whole
                    || !is_of_keys
                    || matches!(
                        &*note.keyword,
                        "minProperties"
                            | "maxProperties"
                            | "propertyNames"
                            | "patternProperties"
                            | "additionalProperties"
                    )
            }
        }
    })
}
