use std::borrow::Cow;
use std::sync::Arc;

use serde::ser::SerializeMap;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::{Map, Value};

use super::{Example, ToolOptions};
use toolwright_schema::decode::{RefusedDefault, faults, refused_examples};
use toolwright_schema::render::SchemaDoc;

/// Definition of a tool: pure data, without the code that runs it.
///
/// It can be stored and read back; a tool's code is found again by its name
/// (`Toolset::attach`). Providers' own forms are made and read by
/// [`Wire`](crate::wire::Wire).
///
/// ```
/// use toolwright::ToolDef;
///
/// let def: ToolDef = serde_json::from_str(r#"{"name": "ping", "description": "Answers."}"#).unwrap();
/// assert_eq!(def.input.as_json(), r#"{"type":"object","properties":{},"additionalProperties":false}"#);
/// assert!(!def.options.manual);
/// ```
///
/// ```
/// use toolwright::{tool, tools};
///
/// /// Adds two numbers.
/// #[tool(read_only)]
/// fn add(a: i64, b: i64) -> i64 {
///     a + b
/// }
///
/// let tools = tools![add];
/// let def = tools.definitions().next().unwrap();
/// assert_eq!((&*def.name, &*def.description), ("add", "Adds two numbers."));
/// assert_eq!(def.options.annotations.read_only, Some(true));
/// ```
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct ToolDef {
    /// The name that the model calls.
    pub name: Cow<'static, str>,
    /// A name for people.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub title: Option<Cow<'static, str>>,
    /// Description for the model.
    pub description: Cow<'static, str>,
    /// Schema of the arguments; without one the tool has none.
    #[serde(
        default = "SchemaDoc::empty_object",
        deserialize_with = "null_is_empty",
        rename = "input_schema",
        alias = "parameters"
    )]
    pub input: SchemaDoc,
    /// Schema of the result, if it is known.
    #[serde(
        default,
        rename = "output_schema",
        skip_serializing_if = "Option::is_none"
    )]
    pub output: Option<SchemaDoc>,
    /// Hints about its effects, and how its calls run.
    #[serde(flatten)]
    pub options: ToolOptions,
    /// Calls as a model should make them. A provider that takes examples is sent those that the tool's own schema
    /// admits: Anthropic, as `input_examples`.
    #[serde(
        default,
        skip_serializing_if = "Vec::is_empty",
        deserialize_with = "null_is_default"
    )]
    pub examples: Vec<Example>,
    /// True if the description ends with the examples, for a provider without a field for them.
    #[serde(
        default,
        skip_serializing_if = "is_false",
        deserialize_with = "null_is_default"
    )]
    pub describe_examples: bool,
    /// Other values that the host wants to know about it; they ride on every result.
    #[serde(default, skip_serializing_if = "Meta::is_empty", alias = "extras")]
    pub meta: Meta,
    /// Keys that are added for a provider, by the name of its wire.
    #[serde(
        default,
        rename = "wire_extras",
        skip_serializing_if = "Meta::is_empty"
    )]
    pub(crate) extras: Meta,
    /// The tool as it was declared.
    #[serde(skip)]
    pub(crate) origin: Origin,
}

/// A tool as it was declared, before lists and toolsets renamed it. It is not part of the definition's meaning.
#[derive(Debug, Clone, Default)]
pub(crate) struct Origin {
    name: Option<&'static str>,
    /// True for a tool of somebody else's program.
    pub(crate) is_foreign: bool,
    /// Attributes of the tools inside this one, where they are others.
    pub(crate) inside: Vec<Meta>,
    /// Other tools in the description, in order.
    mentions: Vec<Mention>,
    /// Earlier names of the tool and its arguments.
    was: OldNames,
}

/// Names that a tool and its arguments had before. Lookup and decoder accept them, and no model is sent them.
#[doc(hidden)]
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct OldNames {
    /// Earlier names of the tool.
    pub names: Vec<Cow<'static, str>>,
    /// Earlier names of arguments, each with the one of today.
    pub arguments: Vec<(Cow<'static, str>, Cow<'static, str>)>,
}

/// Another tool in a description.
#[derive(Debug, Clone)]
struct Mention {
    /// Position of its name, in bytes.
    at: usize,
    /// The name at this position.
    told: String,
    own: &'static str,
}

impl PartialEq for Origin {
    fn eq(&self, _: &Self) -> bool {
        true
    }
}

impl OldNames {
    /// Key of `_meta` with the old names of arguments in a list of MCP: an object from old to current names.
    pub const META: &'static str = "toolwright/was";
}

impl ToolDef {
    /// A tool without parameters.
    pub fn new(
        name: impl Into<Cow<'static, str>>,
        description: impl Into<Cow<'static, str>>,
    ) -> Self {
        Self {
            name: name.into(),
            title: None,
            description: description.into(),
            input: SchemaDoc::empty_object(),
            output: None,
            options: ToolOptions::new(),
            examples: Vec::new(),
            describe_examples: false,
            meta: Meta::default(),
            extras: Meta::default(),
            origin: Origin::default(),
        }
    }

    /// Says how the tool was named where it was written.
    #[doc(hidden)]
    #[must_use]
    pub fn named_at_first(mut self, name: &'static str) -> Self {
        self.origin.name = Some(name);
        self
    }

    /// Sets the names that the tool and its arguments had before.
    #[doc(hidden)]
    pub fn set_old_names(&mut self, was: OldNames) {
        self.origin.was = was;
    }

    /// Returns the names that the tool and its arguments had before.
    #[doc(hidden)]
    pub fn old_names(&self) -> &OldNames {
        &self.origin.was
    }

    /// Returns true if the tool has this name, or had it before.
    pub fn is_called(&self, name: &str) -> bool {
        *self.name == *name || self.origin.was.names.iter().any(|old| **old == *name)
    }

    /// Says that the tool is one of somebody else's program.
    #[doc(hidden)]
    pub fn mark_foreign(&mut self) {
        self.origin.is_foreign = true;
    }

    /// Returns true if the tool is one of somebody else's program.
    #[doc(hidden)]
    pub fn is_foreign(&self) -> bool {
        self.origin.is_foreign
    }

    /// Returns true if the schema of the arguments is not from a compiled type, or the tool belongs to another program. This
    /// program's author cannot change it then.
    #[doc(hidden)]
    pub fn is_given(&self) -> bool {
        self.is_foreign() || self.input.input_shape().is_none()
    }

    /// Says where the description names other tools: each one's place and length, in bytes, and own name.
    #[doc(hidden)]
    pub fn mention(&mut self, tools: &[(usize, usize, &'static str)]) {
        let mentions = tools.iter().filter_map(|&(at, len, own)| {
            let told = self.description.get(at..at + len)?.to_owned();
            Some(Mention { at, told, own })
        });
        self.origin.mentions = mentions.collect();
        if let Some(def) = self.mentioning(|own| Some(own.to_owned())) {
            *self = def;
        }
    }

    /// Returns the own names of the other tools in the description.
    #[doc(hidden)]
    pub fn mentions(&self) -> impl Iterator<Item = &'static str> {
        self.origin.mentions.iter().map(|mention| mention.own)
    }

    /// Returns the definition with other names of the tools in its description; nothing if they stay.
    #[doc(hidden)]
    pub fn mentioning(&self, name_of: impl Fn(&str) -> Option<String>) -> Option<Self> {
        let (mut out, mut rest, mut taken) = (String::new(), &*self.description, 0);
        let mut mentions = Vec::new();
        for Mention { at, told, own } in &self.origin.mentions {
            // Where the words have become others, nothing is put into them.
            let from = at.checked_sub(taken);
            let parts = from.and_then(|at| rest.split_at_checked(at));
            let Some((before, from)) = parts else {
                continue;
            };
            let Some(behind) = from.strip_prefix(told.as_str()) else {
                continue;
            };
            let name = name_of(own).unwrap_or_else(|| told.clone());
            out.push_str(before);
            let at_now = out.len();
            out.push_str(&name);
            mentions.push(Mention {
                at: at_now,
                told: name,
                own,
            });
            (rest, taken) = (behind, at + told.len());
        }
        out.push_str(rest);
        if out == *self.description {
            return None;
        }
        let mut def = self.clone();
        def.description = out.into();
        def.origin.mentions = mentions;
        Some(def)
    }

    /// Takes over how another definition of the tool was named where it was written, and before.
    #[doc(hidden)]
    pub fn originate_from(&mut self, other: &Self) {
        self.origin.name = other.origin.name;
        self.origin.was.clone_from(&other.origin.was);
    }

    /// Returns the name that the tool was written with; its name if that is not known.
    #[doc(hidden)]
    pub fn own_name(&self) -> &str {
        self.origin.name.unwrap_or(&self.name)
    }

    /// Returns the faults of examples that the tool's own schema refuses, if the schema was known when the program
    /// compiled: of calls, without a path, and of single arguments.
    #[doc(hidden)]
    pub fn refused_examples(&self) -> Vec<RefusedDefault> {
        let Some(shape) = self.input.input_shape() else {
            return Vec::new();
        };
        let of_calls = self.examples.iter().flat_map(|example| {
            let faults = faults(shape, &example.arguments).into_iter();
            faults.map(|fault| RefusedDefault {
                path: String::new(),
                json: example.arguments.to_string(),
                fault,
            })
        });
        of_calls.chain(refused_examples(shape)).collect()
    }

    /// Returns the examples that the tool's own schema does not refuse.
    pub(crate) fn fit_examples(&self) -> impl Iterator<Item = &Example> {
        let shape = self.input.input_shape();
        self.examples.iter().filter(move |example| {
            shape.is_none_or(|shape| faults(shape, &example.arguments).is_empty())
        })
    }

    /// Returns lines that describe the examples to a model; `None` if there are none.
    #[doc(hidden)]
    pub fn examples_in_words(&self) -> String {
        let mut out = String::new();
        for Example { arguments, shows } in self.fit_examples() {
            out.push_str("\n- ");
            if !shows.is_empty() {
                out.push_str(shows);
                out.push_str(": ");
            }
            out.push_str(arguments);
        }
        if out.is_empty() {
            out
        } else {
            format!("Examples:{out}")
        }
    }
}

/// JSON values by name that belong to a tool. Cheap to clone; without values it holds nothing.
///
/// It is written with its keys sorted, so that its bytes depend on nothing but the values.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(from = "Option<Map<String, Value>>")]
pub struct Meta(Option<Arc<Map<String, Value>>>);

impl Meta {
    /// Reads them from the text of a JSON object.
    pub fn parse(json: &str) -> Self {
        match serde_json::from_str::<Map<String, Value>>(json) {
            Ok(values) => values.into(),
            Err(_) => Self::default(),
        }
    }

    /// The value under `name`.
    pub fn get(&self, name: &str) -> Option<&Value> {
        self.0.as_ref()?.get(name)
    }

    /// All values by name.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &Value)> {
        self.0
            .iter()
            .flat_map(|values| values.iter().map(|(name, value)| (name.as_str(), value)))
    }

    /// Returns true if there are no values.
    pub fn is_empty(&self) -> bool {
        self.0.is_none()
    }
}

impl Serialize for Meta {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match &self.0 {
            Some(values) => sorted(values, serializer),
            None => serializer.serialize_map(Some(0))?.end(),
        }
    }
}

impl From<Map<String, Value>> for Meta {
    fn from(values: Map<String, Value>) -> Self {
        Self((!values.is_empty()).then(|| Arc::new(values)))
    }
}

impl From<Option<Map<String, Value>>> for Meta {
    fn from(values: Option<Map<String, Value>>) -> Self {
        values.unwrap_or_default().into()
    }
}

impl From<Meta> for Map<String, Value> {
    fn from(meta: Meta) -> Self {
        meta.0.map(Arc::unwrap_or_clone).unwrap_or_default()
    }
}

// serde hands a reference.
#[allow(clippy::trivially_copy_pass_by_ref)]
pub(super) fn is_false(value: &bool) -> bool {
    !value
}

/// Reads `null` as the default: other systems store it for an absent value.
pub(super) fn null_is_default<'de, D: Deserializer<'de>, T: Deserialize<'de> + Default>(
    deserializer: D,
) -> Result<T, D::Error> {
    Ok(Option::<T>::deserialize(deserializer)?.unwrap_or_default())
}

fn null_is_empty<'de, D: Deserializer<'de>>(deserializer: D) -> Result<SchemaDoc, D::Error> {
    let schema = Option::<SchemaDoc>::deserialize(deserializer)?;
    Ok(schema.unwrap_or_else(SchemaDoc::empty_object))
}

/// A value of which every object's keys are sorted: `serde_json` writes them in another order where
/// some crate of the build switches on `preserve_order`.
pub(crate) struct SortedKeys<'a>(pub(crate) &'a Value);

impl Serialize for SortedKeys<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self.0 {
            Value::Object(values) => sorted(values, serializer),
            Value::Array(items) => serializer.collect_seq(items.iter().map(SortedKeys)),
            other => other.serialize(serializer),
        }
    }
}

fn sorted<S: Serializer>(values: &Map<String, Value>, serializer: S) -> Result<S::Ok, S::Error> {
    let mut entries: Vec<_> = values.iter().collect();
    entries.sort_unstable_by_key(|(name, _)| *name);
    serializer.collect_map(
        entries
            .iter()
            .map(|(name, value)| (name, SortedKeys(value))),
    )
}
