//! Offers of a server beside tools: prompts, and resources with their templates. Each is a tool in a set of its own.

use toolwright_json::{ObjectWriter, Value, list, object, quoted};
use toolwright_provider::call::ToolDef;
use toolwright_runtime::executor::{ExclusiveGate, Executor};
use toolwright_runtime::tool::{Context, Filter};
use toolwright_runtime::toolset::Registry;
use toolwright_schema::decode::Repairs;

use super::caller::Caller;
use super::dispatch::Answered;
use super::template;
use super::{Shared, definitions};
use crate::protocol::Fields;

/// The key among a prompt's attributes that marks it.
pub(super) const PROMPT: &str = "prompt";
/// The keys among a resource's attributes for its URI, or the template of it, and for its media type.
pub(super) const URI: &str = "uri";
pub(super) const MIME_TYPE: &str = "mime_type";

/// Returns true if a function has the attribute: `"prompt": true`, or `"uri": "…"`.
fn offers(def: &ToolDef, attribute: &str) -> bool {
    let value = def.meta.get(attribute);
    value.is_some_and(|value| value.is_string() || value.as_bool() == Some(true))
}

/// Prompts, or resources.
#[derive(Clone)]
pub(super) struct OfferSet {
    pub(super) registry: Registry,
    pub(super) executor: Executor,
}

impl OfferSet {
    /// Offers the functions that have this attribute, and no others.
    ///
    /// # Panics
    /// If the registry has others: the tools of a value instead of its prompts.
    #[track_caller]
    pub(super) fn new(registry: Registry, attribute: &'static str) -> Self {
        let all = registry.snapshot();
        let other = all.definitions().find(|def| !offers(def, attribute));
        assert!(
            other.is_none(),
            "the tool `{}` is neither a prompt nor a resource: write `#[prompt]` or `#[resource(…)]`, and \
             `..Prompts(value): Prompts<T>` or `..Resources(value): Resources<T>` for those of a value",
            other.map_or("", |def| &def.name)
        );
        let has_role = Filter::when(move |def, _| offers(def, attribute));
        let executor = crate::progress::with_progress(Executor::serial(&registry)).filter(has_role);
        Self { registry, executor }
    }

    /// The same offers, which wait for exclusive tools.
    pub(super) fn behind(self, gate: &ExclusiveGate) -> Self {
        let executor = self.executor.exclusive_across(gate);
        Self { executor, ..self }
    }

    /// The context of its calls: whoever fills arguments writes texts, of which values are read.
    pub(super) fn context(cx: Context) -> Context {
        cx.with_repairs(Repairs::Values)
    }

    /// `prompts/list`.
    pub(super) fn prompts(
        &self,
        shared: &Shared,
        caller: &Caller,
        params: &Fields<'_>,
    ) -> Answered {
        let tools = self.executor.tools(&caller.cx);
        let prompts: Vec<&ToolDef> = tools.definitions().collect();
        definitions::list_page(shared, caller, params, "prompts", &prompts, prompt)
    }

    /// `resources/list`, or `resources/templates/list`.
    pub(super) fn resources(
        &self,
        shared: &Shared,
        caller: &Caller,
        params: &Fields<'_>,
        templates: bool,
    ) -> Answered {
        let tools = self.executor.tools(&caller.cx);
        let is_listed = |def: &&ToolDef| uri(def).is_some_and(|uri| uri.contains('{') == templates);
        let resources: Vec<&ToolDef> = tools.definitions().filter(is_listed).collect();
        let (list, key) = if templates {
            ("resourceTemplates", "uriTemplate")
        } else {
            ("resources", "uri")
        };
        definitions::list_page(shared, caller, params, list, &resources, |def| {
            resource(def, key)
        })
    }

    /// The resource of this URI, and the arguments that its variables say: JSON.
    pub(super) fn find(&self, cx: &Context, asked: &str) -> Option<(String, String)> {
        let tools = self.executor.tools(cx);
        let resources = || tools.definitions().filter_map(|def| Some((def, uri(def)?)));
        if let Some((def, _)) = resources().find(|(_, uri)| *uri == asked) {
            return Some((def.name.to_string(), "{}".to_owned()));
        }
        resources().find_map(|(def, template)| {
            let variables = template::variables(template, asked)?;
            let arguments = variables.iter().map(|(name, value)| (*name, quoted(value)));
            Some((def.name.to_string(), object(arguments)))
        })
    }
}

/// The URI of a resource, or its template.
pub(super) fn uri(def: &ToolDef) -> Option<&str> {
    def.meta.get(URI)?.as_str()
}

fn prompt(def: &ToolDef) -> String {
    let schema = Value::parse(def.input.as_json()).unwrap_or_default();
    let required = schema.get("required").map(Value::items).unwrap_or_default();
    let properties = schema
        .get("properties")
        .map(Value::entries)
        .unwrap_or_default();
    let arguments = properties.iter().map(|(name, property)| {
        let description = property.get("description").and_then(Value::as_str);
        let is_required = required.iter().any(|one| one.as_str() == Some(name));
        ObjectWriter::new()
            .text("name", name)
            .maybe_text("description", description)
            .json("required", if is_required { "true" } else { "false" })
            .end()
    });
    described(ObjectWriter::new().text("name", &def.name), def)
        .json("arguments", &list(arguments))
        .end()
}

fn resource(def: &ToolDef, key: &str) -> String {
    let uri = uri(def).unwrap_or_default();
    let mime_type = def.meta.get(MIME_TYPE).and_then(|kind| kind.as_str());
    let annotations = def.meta.get("annotations").filter(|one| one.is_object());
    described(
        ObjectWriter::new().text(key, uri).text("name", &def.name),
        def,
    )
    .maybe_text("mimeType", mime_type)
    .maybe_json(
        "annotations",
        annotations.map(ToString::to_string).as_deref(),
    )
    .end()
}

fn described(start: ObjectWriter, def: &ToolDef) -> ObjectWriter {
    let description = Some(&*def.description).filter(|words| !words.is_empty());
    let icons = def.meta.get("icons").filter(|icons| icons.is_array());
    let mut meta: Vec<_> = def
        .meta
        .iter()
        .filter(|(key, _)| key.contains('/'))
        .collect();
    meta.sort_unstable_by_key(|(key, _)| *key);
    let entries = meta.iter().map(|(key, value)| (*key, value.to_string()));
    let meta = (!meta.is_empty()).then(|| object(entries));
    start
        .maybe_text("title", def.title.as_deref())
        .maybe_text("description", description)
        .maybe_json("icons", icons.map(ToString::to_string).as_deref())
        .maybe_json("_meta", meta.as_deref())
}
