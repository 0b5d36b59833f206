//! Arguments checked against a schema that arrived at run time.
//!
//! `jsonschema` says whether they fit, and nothing else: what it collects about a failure grows with
//! two to the power of the depth where alternatives recurse, and its words are not ours. So what is
//! wrong is found by a walk of our own, which looks at schema and text side by side, asks
//! `jsonschema` about single keywords, and stops after so many steps.

mod arrays;
mod audit;
mod cost;
mod draft;
mod explain;
mod keyword;
mod limits;
mod objects;
mod plain;
mod references;
mod unions;
mod words;
mod work;

use std::collections::HashMap;

use jsonschema::{PatternOptions, Validator};
use serde_json::{Map, Value};

use self::draft::Draft;
use self::plain::Plain;
use super::{SchemaError, SchemaErrorKind};
use crate::schema::decode::{Fault, FaultCode};
use crate::schema::format;
use crate::schema::render::SchemaDoc;
use crate::tool::{Call, ToolError, decode_value_of, refused};

/// Compiling takes up to 8 KiB of stack a schema in a build without optimisation.
const COMPILE_STACK: usize = 16 * 1024 * 1024;

/// A compiled regular expression may take so many bytes, which bounds what a match costs.
const MOST_PATTERN_BYTES: usize = 256 * 1024;

/// A schema that has been found safe to check against, and what checks.
pub(super) struct Judge {
    validator: Validator,
    schema: Value,
    draft: Draft,
    targets: Targets,
    /// See [`work::weight`] and [`work::multiplies`].
    weight: u64,
    multiplies: bool,
}

/// Where each reference leads, as a JSON pointer, by the address of the reference's text: the texts
/// stay where they are for as long as the schema lives.
type Targets = HashMap<usize, String>;

impl Judge {
    pub(super) fn new(doc: &SchemaDoc) -> Result<Self, SchemaError> {
        let schema = limits::read(doc.as_json())?;
        let draft = Draft::of(&schema)?;
        draft.check(&schema)?;
        let targets = audit::audit(&schema, draft)?;
        let validator = compile_apart(draft, &schema).ok_or_else(|| SchemaError {
            kind: SchemaErrorKind::Invalid,
            at: String::new(),
            message: format!("this is no valid JSON Schema of {}", draft.name()),
        })?;
        Ok(Self {
            validator,
            weight: work::weight(&schema),
            multiplies: work::multiplies(&schema),
            schema,
            draft,
            targets,
        })
    }

    /// Every fault of the arguments, in the words of every tool here.
    pub(super) fn ask(&self, call: &Call<'_>) -> Result<(), ToolError> {
        let (Plain(value), text) = decode_value_of(call, None)?;
        if work::takes_too_long(self, &value, text) {
            return Err(refused(vec![Fault {
                path: String::new(),
                code: FaultCode::TooLarge,
                message: "the arguments take too long to check against the tool's schema; send \
                          fewer keys and elements"
                    .to_owned(),
            }]));
        }
        if self.validator.is_valid(&value) {
            return Ok(());
        }
        Err(refused(explain::explain(self, text, &value)))
    }

    /// The schema that a reference leads to.
    fn target(&self, reference: &str) -> Option<&Value> {
        let pointer = self.targets.get(&address(reference))?;
        self.schema.pointer(pointer)
    }

    /// The schema that an object of keywords refers to.
    fn referred(&self, schema: &Map<String, Value>) -> Option<&Value> {
        let names = ["$ref", "$dynamicRef", "$recursiveRef"];
        let reference = names.iter().find_map(|name| schema.get(*name)?.as_str())?;
        self.target(reference)
    }
}

fn address(text: &str) -> usize {
    text.as_ptr() as usize
}

/// What checks against a schema. Nothing is fetched, and patterns are matched in linear time.
fn compile(draft: Draft, schema: &Value) -> Option<Validator> {
    let patterns = PatternOptions::regex()
        .size_limit(MOST_PATTERN_BYTES)
        .dfa_size_limit(MOST_PATTERN_BYTES);
    jsonschema::options()
        .with_draft(draft.library())
        .offline()
        .should_validate_formats(true)
        // It knows them only with tables of 30 crates.
        .with_format("idn-email", format::may_be_idn_email)
        .with_format("idn-hostname", format::may_be_idn_hostname)
        .with_pattern_options(patterns)
        .build(schema)
        .ok()
}

/// The same for a schema of any size that is let through, on a stack that holds it.
fn compile_apart(draft: Draft, schema: &Value) -> Option<Validator> {
    std::thread::scope(|scope| {
        let compiler = std::thread::Builder::new()
            .stack_size(COMPILE_STACK)
            .spawn_scoped(scope, || compile(draft, schema));
        compiler.ok()?.join().ok()?
    })
}
