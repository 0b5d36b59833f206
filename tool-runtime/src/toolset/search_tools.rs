//! The tool `search_tools`: it finds tools by words or names, and loads them or prints their definitions.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use serde::Deserialize;

use super::{ToolEntry, ToolsetData};
use crate::tool::{Answer, BoxFuture, Call, Context, Tool};
use toolwright_provider::call::{Block, Content, Outcome, Payload, ToolDef, ToolError};
use toolwright_provider::wire::{Namespace, SEARCH_TOOLS};
use toolwright_schema::render::SchemaDoc;
use toolwright_schema::shape::{Field, Schema, Shape};

/// Maximum number of groups in the description.
const MOST_GROUPS: usize = 40;
/// The number of words of a query that are looked at as names.
const MOST_WORDS: usize = 100;
/// The number of tools that one search loads.
const MOST_FOUND: usize = 5;

/// The host's search for deferred tools: by embeddings, or by a service. See
/// [`LoadOptions::finder`](crate::toolset::LoadOptions::finder).
///
/// ```
/// use std::sync::Arc;
/// use toolwright::call::BoxFuture;
/// use toolwright::toolset::{FindTools, LoadOptions, Namespace, ToolQuery};
/// use toolwright::{Context, ToolCall, ToolError, tool, tools};
///
/// struct Embeddings;
///
/// impl FindTools for Embeddings {
///     fn find<'a>(&'a self, query: ToolQuery<'a>) -> BoxFuture<'a, Result<Vec<String>, ToolError>> {
///         // In place of the nearest vectors.
///         let names = query.tools.iter().map(|tool| tool.name.to_string()).collect();
///         Box::pin(async move { Ok(names) })
///     }
/// }
///
/// /// Tells the time.
/// #[tool]
/// fn now() -> String {
///     "noon".to_owned()
/// }
///
/// let finder = LoadOptions { finder: Some(Arc::new(Embeddings)), ..Default::default() };
/// let tools = tools![now].defer(Namespace::new("clock").unwrap()).loading(finder);
/// let call = ToolCall::new("1", "search_tools", r#"{"query": "what time is it"}"#);
/// # tokio::runtime::Builder::new_current_thread().build().unwrap().block_on(async {
/// let found = tools.call(&call, &Context::new()).await;
/// assert!(found.content(Default::default()).contains("now: Tells the time."));
/// # });
/// ```
pub trait FindTools: Send + Sync {
    /// Returns the names of the tools that fit, the best first. Unknown names are ignored, and so are names beyond
    /// [`most`](ToolQuery::most).
    ///
    /// # Errors
    /// The error for the model.
    fn find<'a>(&'a self, query: ToolQuery<'a>) -> BoxFuture<'a, Result<Vec<String>, ToolError>>;
}

/// A model's query.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct ToolQuery<'a> {
    /// The model's words.
    pub words: &'a str,
    /// The deferred tools that the conversation may see, in order.
    pub tools: Vec<&'a ToolDef>,
    /// The number of tools that one search loads.
    pub most: usize,
}

/// The arguments of `search_tools`.
#[derive(Deserialize)]
struct SearchArguments {
    query: String,
}

impl Schema for SearchArguments {
    const SHAPE: &'static Shape<'static> = &Shape::object(&[Field::new(
        "query",
        "What the tool should do, in a few words; or names of tools or groups",
        String::SHAPE,
    )]);
}

/// The tool `search_tools`.
pub(super) struct SearchTools {
    def: ToolDef,
    set: Arc<ToolsetData>,
    /// True if it prints definitions, since tools are not loaded.
    prints: bool,
}

impl SearchTools {
    pub(super) fn of(set: &Arc<ToolsetData>) -> Self {
        Self::new(SEARCH_TOOLS, Arc::clone(set), described(set), false)
    }

    /// A search over all tools of a set, which prints their definitions.
    pub(super) fn printing(name: &str, set: Arc<ToolsetData>) -> Self {
        let words = "Finds tools by what they do, or by their names, and tells how they are called, with all of their arguments.";
        Self::new(name, set, words.to_owned(), true)
    }

    fn new(name: &str, set: Arc<ToolsetData>, words: String, prints: bool) -> Self {
        let mut def = ToolDef::new(name.to_owned(), words);
        def.input = SchemaDoc::of::<SearchArguments>();
        def.options.annotations.read_only = Some(true);
        Self { def, set, prints }
    }

    async fn search(&self, asked: SearchArguments, cx: &Context) -> Result<Outcome, ToolError> {
        let SearchArguments { query } = asked;
        let (set, filter) = (&self.set, cx.filter());
        let scope = set.scope(&cx.scope());
        // A tool that the provider refuses would be found again and again, and never loaded.
        let is_sent = |entry: &ToolEntry| {
            cx.declared()
                .is_none_or(|(wire, dialect)| entry.refused(wire, dialect).is_none())
        };
        let is_candidate = |entry: &&ToolEntry| {
            (self.prints || entry.is_deferred())
                && entry.is_visible(&scope, filter)
                && (self.prints || is_sent(entry))
        };
        let candidate = |name: &str| set.find(name.as_bytes()).filter(is_candidate);
        let most = self.most_found(MOST_FOUND);
        let found: Vec<&ToolEntry> = match (
            self.by_name(&query, is_candidate),
            &set.inherited.loads.finder,
        ) {
            (Some(by_name), _) => by_name,
            (_, Some(finder)) => {
                let tools = set.tools.iter().filter(is_candidate);
                let names = finder.find(ToolQuery {
                    words: &query,
                    tools: tools.map(ToolEntry::def).collect(),
                    most,
                });
                let names = names.await?;
                let mut known = HashSet::new();
                let found = names.iter().filter(|name| known.insert(name.as_str()));
                let found = found.filter_map(|name| candidate(name));
                found.take(most).collect()
            }
            (_, None) => {
                let seen: Vec<bool> = set.tools.iter().map(|one| is_candidate(&one)).collect();
                let ranked = set.search_index().ranked(&query, &seen).into_iter();
                let found = ranked.filter_map(|(at, _)| set.tools.get(at));
                found.take(most).collect()
            }
        };
        if found.is_empty() {
            let is_there = |entry: &ToolEntry| {
                !entry.is_deferred() && entry.is_visible(&scope, filter) && is_sent(entry)
            };
            let there = words(&query)
                .find_map(|word| set.find(word.as_bytes()).filter(|one| is_there(one)));
            return Ok(Outcome::value(match there {
                Some(there) => format!("`{}` can be called already", there.name),
                None => "no tool fits; search with other words".to_owned(),
            }));
        }
        if self.prints {
            let told = found.into_iter().map(whole).collect::<Vec<_>>();
            return Ok(Outcome::Value(Payload::text(told.join("\n\n"))));
        }
        let content = Content::text("These tools can be called now:");
        let content = found.into_iter().fold(content, |content, entry| {
            let (def, _) = entry.visible();
            let line = def.description.trim().lines().next().unwrap_or_default();
            content.with(Block::Tool {
                name: def.name.clone().into_owned(),
                description: line.to_owned(),
            })
        });
        Ok(Outcome::Content(content))
    }

    /// Returns the tools that are named, and those of the groups that are named, if the query has nothing else.
    fn by_name(
        &self,
        query: &str,
        is_candidate: impl Fn(&&ToolEntry) -> bool,
    ) -> Option<Vec<&ToolEntry>> {
        let words: HashSet<&str> = words(query).collect();
        let mut left = words.clone();
        let mut found: Vec<(usize, &ToolEntry)> = Vec::new();
        for (at, entry) in self
            .set
            .tools
            .iter()
            .enumerate()
            .filter(|(_, one)| is_candidate(one))
        {
            let group = entry.namespace.as_ref().map_or("", Namespace::name);
            let is_named = words.contains(&*entry.name);
            if is_named || words.contains(group) {
                left.remove(&*entry.name);
                left.remove(group);
                // Named tools precede those of named groups, in the order of the words.
                found.push((if is_named { 0 } else { at + 1 }, entry));
            }
        }
        if found.is_empty() || !left.is_empty() {
            return None;
        }
        let place = |entry: &ToolEntry| query.find(&*entry.name);
        found.sort_by_key(|(at, entry)| (*at, place(entry)));
        let found = found.into_iter().map(|(_, entry)| entry);
        Some(found.take(self.most_found(usize::MAX)).collect())
    }

    /// Maximum that one search loads: half of a request's limit, so that one search does not unload its results.
    fn most_found(&self, most: usize) -> usize {
        if self.prints {
            most.min(MOST_FOUND)
        } else {
            most.min(self.set.most_loaded().div_ceil(2))
        }
    }
}

/// The words of a query that may be names.
fn words(query: &str) -> impl Iterator<Item = &str> {
    let words = query.split([' ', ',', '\n']);
    words.filter(|word| !word.is_empty()).take(MOST_WORDS)
}

impl Tool for SearchTools {
    fn def(&self) -> &ToolDef {
        &self.def
    }

    fn call<'a>(&'a self, call: Call<'a>) -> Answer<'a> {
        match call.decode::<SearchArguments>() {
            Ok(asked) => {
                let cx = call.context();
                Answer::later(async move { self.search(asked, &cx).await })
            }
            Err(error) => Answer::Ready(Err(error)),
        }
    }

    fn validate(&self, call: Call<'_>) -> Result<(), ToolError> {
        call.decode::<SearchArguments>().map(drop)
    }

    fn __may_hide(&self) -> bool {
        false
    }
}

/// All that a model has to know of a tool.
fn whole(entry: &ToolEntry) -> String {
    let (own, _) = entry.visible();
    let def = entry.tool.__whole().unwrap_or(own);
    let (name, description, schema) = (&own.name, &def.description, def.input.to_provider_json());
    let mut text = format!("{name}: {description}\narguments: {schema}");
    let examples = def.examples_in_words();
    if !examples.is_empty() {
        text.push('\n');
        text.push_str(&examples);
    }
    text
}

/// The description of the search. It depends on the set alone.
fn described(set: &ToolsetData) -> String {
    let mut groups: Vec<&Namespace> = Vec::new();
    let mut places: HashMap<&str, usize> = HashMap::new();
    for group in set
        .tools
        .iter()
        .filter_map(|entry| entry.namespace.as_ref())
    {
        let at = *places.entry(group.name()).or_insert(groups.len());
        match groups.get_mut(at) {
            Some(known) if known.description().is_empty() => *known = group,
            Some(_) => {}
            None => groups.push(group),
        }
    }
    let mut text = "Finds tools by what they do, and makes them available. There are more tools than those listed here: \
                    search before you say that something cannot be done."
        .to_owned();
    let told = groups.iter().take(MOST_GROUPS);
    let told = told.map(|group| match group.description() {
        "" => format!("\n- {}", group.name()),
        words => format!("\n- {}: {words}", group.name()),
    });
    text.push_str(" Groups:");
    text.extend(told);
    if groups.len() > MOST_GROUPS {
        text.push_str("\n- and more");
    }
    text
}
