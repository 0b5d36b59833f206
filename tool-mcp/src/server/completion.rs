//! `completion/complete`: what an argument of a prompt or a template may be.

use std::collections::HashMap;
use std::fmt;
use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;

use toolwright_json::{ObjectWriter, Value, list, quoted};
use toolwright_provider::call::ToolDef;
use toolwright_runtime::tool::Context;

use super::Shared;
use super::caller::Caller;
use super::catalog::uri;
use super::dispatch::Answered;
use super::running::AbortOnDrop;
use crate::protocol::{Fields, RpcError, code};

/// So many values are sent.
const MOST: usize = 100;

/// An argument that is being typed: see [`McpServer::completion`](super::McpServer::completion).
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Completing {
    /// The value so far.
    pub value: String,
    /// The values of other arguments that are known already.
    pub arguments: HashMap<String, String>,
    /// The context of the request.
    pub context: Context,
}

type Complete =
    dyn Fn(Completing) -> Pin<Box<dyn Future<Output = Vec<String>> + Send>> + Send + Sync;

/// The host's functions, by prompt or resource and argument.
#[derive(Clone, Default)]
pub(super) struct Completions(HashMap<(String, String), Arc<Complete>>);

impl Completions {
    pub(super) fn add<F, R>(&mut self, name: String, argument: String, complete: F)
    where
        F: Fn(Completing) -> R + Send + Sync + 'static,
        R: Future<Output = Vec<String>> + Send + 'static,
    {
        let complete = Arc::new(move |completing| Box::pin(complete(completing)) as _);
        self.0.insert((name, argument), complete);
    }
}

impl fmt::Debug for Completions {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_set().entries(self.0.keys()).finish()
    }
}

/// A request for completions.
struct CompletionRequest {
    completing: Completing,
    own: Option<Arc<Complete>>,
    /// The values of its type, if it has few.
    values: Vec<String>,
}

impl CompletionRequest {
    fn read(shared: &Shared, caller: &Caller, params: &Fields<'_>) -> Result<Self, RpcError> {
        let wrong = |why: &str| {
            let words = format!("these are not parameters of `completion/complete`: {why}");
            RpcError::invalid_params(words)
        };
        let of = params
            .object("ref")
            .ok_or_else(|| wrong("there is no `ref`"))?;
        let argument = params
            .object("argument")
            .ok_or_else(|| wrong("there is no `argument`"))?;
        let name = argument
            .text("name")
            .ok_or_else(|| wrong("the argument has no `name`"))?;
        let value = argument
            .text("value")
            .ok_or_else(|| wrong("the argument has no `value`"))?;
        let (catalog, key, what) = match of.text("type").as_deref() {
            Some("ref/prompt") => (&shared.prompts, of.text("name"), "prompt"),
            Some("ref/resource") => (&shared.resources, of.text("uri"), "resource"),
            _ => return Err(wrong("`ref` is of neither a prompt nor a resource")),
        };
        let key = key.unwrap_or_default();
        let tools = catalog
            .as_ref()
            .map(|catalog| catalog.executor.tools(&caller.cx));
        let tools = tools.unwrap_or_default();
        let is_it = |def: &&ToolDef| match what {
            "prompt" => def.name == *key,
            _ => uri(def) == Some(&*key),
        };
        let Some(def) = tools.definitions().find(is_it) else {
            return Err(RpcError::invalid_params(format!("unknown {what} `{key}`")));
        };
        let schema = Value::parse(def.input.as_json()).unwrap_or_default();
        let Some(property) = schema.get("properties").and_then(|all| all.get(&name)) else {
            let words = format!("the {what} `{key}` has no argument `{name}`");
            return Err(RpcError::invalid_params(words));
        };
        let mut values = Vec::new();
        few(property, &schema, &mut values);
        let known = params
            .object("context")
            .and_then(|context| context.object("arguments"));
        let known = known.unwrap_or_default();
        let known = known.iter().filter_map(|(name, json)| {
            let value = crate::protocol::string(json)?;
            Some((name.to_owned(), value.into_owned()))
        });
        let own = (def.name.to_string(), name.into_owned());
        Ok(Self {
            own: shared.completions.0.get(&own).cloned(),
            completing: Completing {
                value: value.into_owned(),
                arguments: known.collect(),
                context: caller.cx.clone(),
            },
            values,
        })
    }
}

/// Answers the request.
pub(super) fn complete(
    shared: &Shared,
    caller: &Caller,
    params: &Fields<'_>,
) -> Result<impl Future<Output = Answered> + Send + use<>, RpcError> {
    let wanted = CompletionRequest::read(shared, caller, params)?;
    let start = super::start(caller.version);
    Ok(async move {
        let values = match wanted.own {
            // A panic of the host's ends this request alone.
            Some(own) => {
                let values = AbortOnDrop::start(async move { own(wanted.completing).await });
                values.await.map_err(|_| {
                    let words = "the function that completes this argument failed";
                    RpcError::new(code::INTERNAL_ERROR, words)
                })?
            }
            None => {
                let written = wanted.completing.value.to_lowercase();
                let mut values = wanted.values;
                values.retain(|value| value.to_lowercase().starts_with(&written));
                values
            }
        };
        let sent = values.iter().take(MOST).map(|value| quoted(value));
        let more = if values.len() > MOST { "true" } else { "false" };
        let completion = ObjectWriter::new()
            .json("values", &list(sent))
            .json("total", &values.len().to_string())
            .json("hasMore", more);
        Ok(start.json("completion", &completion.end()).end())
    })
}

/// The values of a type that has few, by its schema.
fn few(schema: &Value<'_>, root: &Value<'_>, values: &mut Vec<String>) {
    let reference = schema.get("$ref").and_then(Value::as_str);
    if let Some(name) = reference.and_then(|path| path.strip_prefix("#/$defs/")) {
        // A recursive type has more than a few values.
        let target = root.get("$defs").and_then(|defs| defs.get(name));
        if let Some(target) = target.filter(|target| target.get("enum").is_some()) {
            few(target, root, values);
        }
    }
    if schema.get("type").and_then(Value::as_str) == Some("boolean") {
        values.extend(["true".to_owned(), "false".to_owned()]);
    }
    let all = schema.get("enum").map(Value::items).unwrap_or_default();
    let texts = all.iter().chain(schema.get("const"));
    values.extend(texts.filter_map(Value::as_str).map(str::to_owned));
    for key in ["anyOf", "oneOf"] {
        for one in schema.get(key).map(Value::items).unwrap_or_default() {
            few(one, root, values);
        }
    }
}
