//! A server's tools as tools of ours.

use std::borrow::Cow;
use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::value::RawValue;
use serde_json::{Map, Value};
use toolwright_provider::call::{Annotations, Meta, OldNames, ToolDef, ToolError};
use toolwright_provider::definitions::{Notice, NoticeKind};
use toolwright_provider::wire::SEARCH_TOOLS;
use toolwright_runtime::dyn_tool::DynTool;
use toolwright_runtime::tool::Tool;
use toolwright_runtime::toolset::Toolset;
use toolwright_schema::render::SchemaDoc;
use toolwright_schema::text::{Printable, portable_name};

use super::arguments::Arguments;
use super::link::Reconnector;
use super::settings::Settings;
use crate::protocol::headers::{self, Repeated};
use crate::protocol::replaced;

/// A tool as `tools/list` tells it.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Listed<'a> {
    name: String,
    #[serde(default)]
    title: Option<String>,
    #[serde(default)]
    description: Option<String>,
    #[serde(borrow)]
    input_schema: &'a RawValue,
    #[serde(borrow, default)]
    output_schema: Option<&'a RawValue>,
    #[serde(borrow, default)]
    annotations: Option<&'a RawValue>,
    #[serde(default)]
    icons: Option<Value>,
    #[serde(default)]
    execution: Option<Execution>,
    #[serde(rename = "_meta", default)]
    meta: Option<Map<String, Value>>,
}

/// Hints of any type: one of a wrong type counts as absent, and its tool stays.
#[derive(Deserialize, Default)]
#[serde(rename_all = "camelCase")]
struct ToolHints {
    title: Option<Value>,
    read_only_hint: Option<Value>,
    destructive_hint: Option<Value>,
    idempotent_hint: Option<Value>,
    open_world_hint: Option<Value>,
}

impl ToolHints {
    /// Returns the title and the hints that the server gave, and adds what is wrong with them.
    fn read(raw: Option<&RawValue>, wrong: &mut Vec<String>) -> (Option<String>, Annotations) {
        let mut ignored = |what: &str| wrong.push(format!("its {what} and is ignored"));
        let hints: Self = match raw.map(|raw| serde_json::from_str(raw.get())) {
            Some(Ok(hints)) => hints,
            Some(Err(_)) => {
                ignored("`annotations` is not an object of hints");
                Self::default()
            }
            None => Self::default(),
        };
        let title = match hints.title {
            Some(Value::String(title)) => Some(title),
            Some(_) => {
                ignored("title in `annotations` is not a string");
                None
            }
            None => None,
        };
        let mut flag = |name: &str, hint: Option<Value>| match hint {
            Some(Value::Bool(hint)) => Some(hint),
            Some(_) => {
                ignored(&format!("hint `{name}` is not a boolean"));
                None
            }
            None => None,
        };
        let hints = Annotations {
            read_only: flag("readOnlyHint", hints.read_only_hint),
            destructive: flag("destructiveHint", hints.destructive_hint),
            idempotent: flag("idempotentHint", hints.idempotent_hint),
            open_world: flag("openWorldHint", hints.open_world_hint),
        };
        (title, hints)
    }
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Execution {
    #[serde(default)]
    task_support: Option<String>,
}

/// All that a call needs to know of a tool.
#[derive(Debug)]
pub(super) struct Remote {
    /// The name that the server knows.
    pub(super) name: String,
    /// True if a second call does no harm, as a trusted server says.
    pub(super) is_repeatable: bool,
    /// The arguments that are repeated in headers of HTTP, as its schema says.
    pub(super) repeated: Vec<Repeated>,
}

/// A server's tools in the order of its list, with notices of what was left out or changed.
pub(super) struct ToolList {
    pub(super) tools: Toolset,
    pub(super) notices: Vec<Notice>,
    #[cfg(feature = "lock")]
    pub(super) originals: Vec<OriginalTool>,
}

/// A tool as the server alone defines it.
#[cfg(feature = "lock")]
pub(super) struct OriginalTool {
    /// The name of the tool here.
    pub(super) own: String,
    /// The server's name.
    pub(super) name: String,
    /// The definition with the server's name, made portable, and its hints.
    pub(super) def: ToolDef,
}

pub(super) fn tools(listed: &[Box<str>], settings: &Settings, link: &Arc<Reconnector>) -> ToolList {
    let (mut tools, mut notices) = (Vec::new(), Vec::new());
    #[cfg(feature = "lock")]
    let mut originals = Vec::new();
    let mut names = HashSet::new();
    for raw in listed {
        // A name with U+FFFD would be that of another tool.
        let replaced = replaced(raw, &["name"]);
        let made = match Listed::read(replaced.as_deref().unwrap_or(raw)) {
            Ok(listed) => listed.tool(settings, link),
            Err(notice) => Err(notice),
        };
        if let (Ok(Some(made)), Some(_)) = (&made, &replaced) {
            let words = "half of a surrogate pair was replaced in its texts";
            notices.push(Notice::new(
                &*made.tool.def().name,
                NoticeKind::Mended,
                words,
            ));
        }
        match made {
            // It would take the place of the search that loads the others.
            Ok(Some(Import { tool, .. }))
                if settings.deferred.is_some() && tool.def().name == SEARCH_TOOLS =>
            {
                let why = "this name loads deferred tools; give the server a prefix";
                notices.push(refused(SEARCH_TOOLS, why.to_owned()));
            }
            Ok(Some(import)) if names.insert(import.tool.def().name.clone()) => {
                #[cfg(feature = "lock")]
                originals.push(import.original);
                tools.push(import.tool);
                notices.extend(import.told);
            }
            Ok(Some(Import { tool, .. })) => {
                let why = "another tool of the server has this name, and came first";
                notices.push(refused(&tool.def().name, why.to_owned()));
            }
            // The host does not want it.
            Ok(None) => {}
            Err(notice) => notices.push(notice),
        }
    }
    // The names differ.
    let tools = Toolset::new(tools).unwrap_or_default();
    ToolList {
        tools: match &settings.deferred {
            Some(group) => tools.defer(group.clone()),
            None => tools,
        },
        notices,
        #[cfg(feature = "lock")]
        originals,
    }
}

/// A tool, and what is to be said of it if it is taken.
struct Import {
    tool: Arc<dyn Tool>,
    told: Vec<Notice>,
    #[cfg(feature = "lock")]
    original: OriginalTool,
}

impl<'a> Listed<'a> {
    fn read(raw: &'a str) -> Result<Self, Notice> {
        let listed = serde_json::from_str(raw);
        listed.map_err(|_: serde_json::Error| refused(&named(raw), unreadable(raw)))
    }

    /// The tool, if the host wants it.
    fn tool(self, settings: &Settings, link: &Arc<Reconnector>) -> Result<Option<Import>, Notice> {
        let (name, needs_task) = (self.name.clone(), self.needs_task());
        let shown = printable(&name);
        let refuse = |message: String| refused(&shown, message);
        if needs_task && !link.is_modern() {
            let why = "it is only called as a task of 2025-11-25, which is not supported";
            return Err(refuse(why.to_owned()));
        }
        let mut wrong = Vec::new();
        let mut def = self.def(settings, &mut wrong).map_err(refuse)?;
        let hints = def.options.annotations;
        def.options.annotations = hints.foreign(settings.trusts_hints);
        let stripped = def.strip_hidden();
        if let Some(place) = stripped.left.first() {
            let why = format!("{place} of a schema holds characters that nobody sees");
            return Err(refuse(why));
        }
        if def.description.trim().is_empty() {
            // A model needs one; the protocol does not.
            def.description = match &def.title {
                Some(title) if !title.trim().is_empty() => title.clone(),
                _ => format!("The tool `{shown}`; its server does not say more.").into(),
            };
        }
        if !settings.keep.is_kept(&def) {
            return Ok(None);
        }
        let own = portable_name(&format!("{}{}", settings.prefix, def.name)).into_owned();
        let note = |kind, message| Notice::new(&*own, kind, message);
        let mut told = Vec::new();
        if let removed @ 1.. = stripped.removed {
            let words = format!("{removed} characters that nobody sees were taken out");
            told.push(note(NoticeKind::HiddenRemoved, words));
        }
        if own != format!("{}{name}", settings.prefix) {
            let words = format!("the server calls it `{shown}`, which providers refuse");
            told.push(note(NoticeKind::Renamed, words));
        }
        let ignored = |words| note(NoticeKind::HintIgnored, words);
        told.extend(wrong.into_iter().map(ignored));
        #[cfg(feature = "lock")]
        let plain = portable_name(&def.name).into_owned();
        def.name = own.clone().into();
        let repeated = match headers::repeated(def.input.as_json()) {
            Ok(repeated) => repeated,
            // Over pipes there are no headers.
            Err(why) if link.is_http => return Err(refuse(why)),
            Err(_) => Vec::new(),
        };
        #[cfg(feature = "lock")]
        let original_name = name.clone();
        let remote = Arc::new(Remote {
            name,
            is_repeatable: def.options.annotations.may_repeat(),
            repeated,
        });
        let link = Arc::clone(link);
        let run = move |arguments: Arguments, cx| {
            let (remote, link) = (Arc::clone(&remote), Arc::clone(&link));
            async move {
                let outcome: Result<_, ToolError> = link.call(&remote, arguments.0, cx).await;
                outcome
            }
        };
        // The server has its own defaults.
        let mut tool = DynTool::builder().def(def).fill_defaults(false);
        if let Some(bytes) = settings.most_schema_bytes {
            tool = tool.max_schema_bytes(bytes);
        }
        if !settings.checks_arguments {
            tool = tool.unchecked();
        }
        let tool = tool.handler(run).build();
        let tool = tool.map_err(|error| refuse(error.to_string()))?;
        Ok(Some(Import {
            #[cfg(feature = "lock")]
            original: {
                let mut def = tool.def().clone();
                def.name = plain.into();
                def.options.annotations = hints.foreign(true);
                OriginalTool {
                    own,
                    name: original_name,
                    def,
                }
            },
            tool,
            told,
        }))
    }

    /// Returns true if protocol 2025-11-25 allows calls only as tasks.
    fn needs_task(&self) -> bool {
        let execution = self.execution.as_ref();
        let support = execution.and_then(|execution| execution.task_support.as_deref());
        support == Some("required")
    }

    fn def(self, settings: &Settings, wrong: &mut Vec<String>) -> Result<ToolDef, String> {
        let schema = |raw: &RawValue, which: &str| {
            SchemaDoc::parse(raw.get()).map_err(|error| format!("its {which} schema: {error}"))
        };
        let (title, hints) = ToolHints::read(self.annotations, wrong);
        let title = self.title.or(title);
        let mut def = ToolDef::new(self.name, self.description.unwrap_or_default());
        def.title = title.map(Cow::from);
        def.input = schema(self.input_schema, "input")?;
        def.output = match self.output_schema {
            Some(raw) => Some(schema(raw, "output")?),
            None => None,
        };
        def.options.annotations = hints;
        def.options.exact = hints.destructive == Some(true);
        def.options.timeout = settings.tool_timeout;
        def.mark_foreign();
        let mut meta = self.meta.unwrap_or_default();
        if let Some(Value::Object(was)) = meta.remove(OldNames::META) {
            def.set_old_names(old_names(&was, &def.input));
        }
        def.meta = attributes(meta, self.icons, settings);
        Ok(def)
    }
}

/// Most old names of a tool's arguments.
const MOST_OLD_NAMES: usize = 64;

/// Returns the old names of arguments, as far as they lead from no argument of today to one. A server says none for its tools:
/// a stored call of a tool of ours that is gone must not go to a server.
fn old_names(was: &Map<String, Value>, input: &SchemaDoc) -> OldNames {
    let schema = input.to_value();
    let properties = schema.get("properties");
    let has = |name: &str| properties.is_some_and(|all| all.get(name).is_some());
    let names = was
        .iter()
        .filter_map(|(old, new)| Some((old, new.as_str()?)));
    let names = names.filter(|(old, new)| !has(old) && has(new));
    let names = names.map(|(old, new)| (old.clone().into(), new.to_owned().into()));
    OldNames {
        names: Vec::new(),
        arguments: names.take(MOST_OLD_NAMES).collect(),
    }
}

/// Returns a tool's attributes for the host. Layers decide by keys such as `risk`: those are the host's to say, and
/// the server's stand apart, but for keys with a `/`, which name who they are of.
fn attributes(said: Map<String, Value>, icons: Option<Value>, settings: &Settings) -> Meta {
    let (mut meta, rest): (Map<_, _>, Map<_, _>) =
        said.into_iter().partition(|(key, _)| key.contains('/'));
    if !rest.is_empty() {
        meta.insert("_meta".to_owned(), rest.into());
    }
    if let Some(icons) = icons {
        meta.insert("icons".to_owned(), icons);
    }
    meta.extend(settings.meta.clone());
    meta.into()
}

fn refused(tool: &str, message: String) -> Notice {
    Notice::new(tool, NoticeKind::Refused, message)
}

/// Why a tool cannot be read.
fn unreadable(raw: &str) -> String {
    fn is<T: DeserializeOwned>(raw: &RawValue) -> bool {
        serde_json::from_str::<T>(raw.get()).is_ok()
    }
    type Is = fn(&RawValue) -> bool;
    let known: [(&str, &str, Is); 5] = [
        ("name", "a string", is::<String>),
        ("title", "a string", is::<Option<String>>),
        ("description", "a string", is::<Option<String>>),
        ("execution", "an object", is::<Option<Execution>>),
        ("_meta", "an object", is::<Option<Map<String, Value>>>),
    ];
    let Ok(keys) = serde_json::from_str::<HashMap<String, &RawValue>>(raw) else {
        return "it is not an object".to_owned();
    };
    for key in ["name", "inputSchema"] {
        if !keys.contains_key(key) {
            return format!("its `{key}` is missing");
        }
    }
    for (key, what, is) in known {
        if keys.get(key).is_some_and(|value| !is(value)) {
            return format!("its `{key}` is not {what}");
        }
    }
    "one of its keys is given more than once".to_owned()
}

/// The name of a tool that cannot be read, if it has one.
fn named(raw: &str) -> String {
    #[derive(Deserialize)]
    struct Named {
        name: String,
    }
    match serde_json::from_str::<Named>(raw) {
        Ok(Named { name }) => printable(&name),
        Err(_) => "(without a name)".to_owned(),
    }
}

/// A name that the server gave, in words of ours.
fn printable(name: &str) -> String {
    Printable::new(name).one_line().at_most(128).to_string()
}
