//! What a method, a name and a description say about a tool.

use toolwright::json::Value;
use toolwright::text::portable_name;
use toolwright::{ToolDef, ToolOptions};

use super::Maker;
use crate::operation::{Found, Operation};
use crate::text::folded;

/// Most characters of a description that a model reads.
const MOST_WORDS: usize = 1_000;

impl<'a, 't> Maker<'a, 't> {
    /// Returns the hints by the method (RFC 9110, section 9.2), and a notice if the operation's name says otherwise.
    pub(super) fn options(&self, found: &Found<'a, 't>) -> (ToolOptions, Option<String>) {
        let operation = &found.operation;
        let options = ToolOptions::new()
            .open_world(true)
            .timeout(self.settings.timeout);
        let mut notice = None;
        let mut options = match operation.method {
            "GET" | "HEAD" | "OPTIONS" | "QUERY" => match self.says_act(found) {
                Some(says) => {
                    let method = operation.method;
                    notice = Some(format!(
                        "it is a {method} whose {says}, so it does not count as reading"
                    ));
                    options.read_only(false).destructive(true)
                }
                None => options.read_only(true).destructive(false),
            },
            "PUT" | "DELETE" => options.read_only(false).destructive(true).idempotent(true),
            _ => options.read_only(false).destructive(true),
        };
        for annotate in &self.settings.annotates {
            options = annotate(operation, options);
        }
        (options, notice)
    }

    /// Returns how a reading method says that it changes something: by its name, or by a parameter that chooses what it does.
    fn says_act(&self, found: &Found<'a, 't>) -> Option<String> {
        const CHOOSES: [&str; 8] = [
            "action",
            "act",
            "command",
            "cmd",
            "do",
            "op",
            "operation",
            "task",
        ];
        if let Some(act) = acts(&found.operation) {
            return Some(format!("name says `{act}`"));
        }
        let parameters = found.parameters(self.documents).ok()?;
        let mut choosing = parameters
            .into_iter()
            .filter(|parameter| CHOOSES.contains(&&*folded(parameter.name)));
        choosing.find_map(|parameter| {
            let schema = self.documents.follow(parameter.schema?).ok()?;
            let values = schema.value.get("enum").map_or(&[][..], Value::items);
            let texts = values.iter().filter_map(Value::as_str);
            let act = texts.flat_map(words).find_map(|word| act(&word))?;
            Some(format!("parameter `{}` may say `{act}`", parameter.name))
        })
    }
}

/// Returns the words of a name: `sendMail`, `send_mail`, `/send-mail`.
fn words(text: &str) -> Vec<String> {
    let mut words = vec![String::new()];
    let mut was_lower = false;
    for char in text.chars() {
        let starts = !char.is_ascii_alphabetic() || char.is_ascii_uppercase() && was_lower;
        if starts && words.last().is_some_and(|word| !word.is_empty()) {
            words.push(String::new());
        }
        was_lower = char.is_ascii_lowercase();
        if let (true, Some(word)) = (char.is_ascii_alphabetic(), words.last_mut()) {
            word.push(char.to_ascii_lowercase());
        }
    }
    words
}

/// Returns the verb of a word that says that something is changed.
fn act(word: &str) -> Option<&'static str> {
    // Verbs that start no other words, so that they are seen in `/deleteuser`, and not in `deleted` or `updates`.
    const STARTS: [&str; 7] = [
        "create",
        "delete",
        "destroy",
        "disable",
        "remove",
        "terminate",
        "update",
    ];
    const ACTS: [&str; 55] = [
        "delete",
        "remove",
        "send",
        "create",
        "add",
        "update",
        "set",
        "reset",
        "cancel",
        "destroy",
        "purge",
        "revoke",
        "start",
        "stop",
        "restart",
        "reboot",
        "terminate",
        "put",
        "insert",
        "write",
        "approve",
        "reject",
        "disable",
        "enable",
        "install",
        "uninstall",
        "execute",
        "publish",
        "transfer",
        "logout",
        "unsubscribe",
        "subscribe",
        "activate",
        "deactivate",
        "kill",
        "clear",
        "archive",
        "unarchive",
        "invite",
        "upload",
        "trigger",
        "run",
        "refund",
        "pay",
        "rotate",
        "save",
        "edit",
        "modify",
        "move",
        "rename",
        "post",
        "patch",
        "drop",
        "wipe",
        "erase",
    ];
    let starts = |start: &&str| word.strip_prefix(start).is_some_and(|rest| rest.len() > 2);
    let verb = ACTS.into_iter().find(|act| *act == word);
    verb.or_else(|| STARTS.into_iter().find(starts))
}

/// Returns the verb by which the name of a reading method says that it changes something.
fn acts(operation: &Operation<'_>) -> Option<&'static str> {
    // Any word may be its verb: `/users/{id}/hardDelete`, `adminUsersDelete`.
    let id = operation.id.map(words);
    let segments = operation
        .path
        .split(['/', '.', ':', '#', '='])
        .filter(|part| !part.starts_with('{'))
        .map(words);
    let mut words = id.into_iter().chain(segments).flatten();
    words.find_map(|word| act(&word))
}

pub(super) fn is_paging(key: &str) -> bool {
    const PAGING: [&str; 20] = [
        "page",
        "perpage",
        "pagesize",
        "pagetoken",
        "limit",
        "offset",
        "cursor",
        "after",
        "startingafter",
        "start",
        "skip",
        "top",
        "maxresults",
        "nexttoken",
        "marker",
        "maxitems",
        "count",
        "startindex",
        "pagenumber",
        "maxpagesize",
    ];
    PAGING.contains(&&*folded(key))
}

/// Returns the group of an operation: its first tag, or the first segment of its path.
pub(super) fn group(operation: &Operation<'_>) -> String {
    let segment = || {
        operation
            .path
            .split(['/', '?', '#'])
            .find(|part| !part.is_empty() && !part.starts_with('{'))
    };
    let tag = operation
        .tags
        .iter()
        .map(|tag| tag.trim())
        .find(|tag| !tag.is_empty());
    tag.or_else(segment).unwrap_or("other").to_owned()
}

pub(super) fn description(found: &Found<'_, '_>) -> String {
    let operation = &found.operation;
    let words = |key| {
        found
            .at
            .text(key)
            .map(str::trim)
            .filter(|text| !text.is_empty())
    };
    let text = words("summary").or_else(|| words("description"));
    let mut text = text.map(|text| shown(text.to_owned())).unwrap_or_default();
    if text.trim().is_empty() {
        text = found.name();
    }
    if operation.is_deprecated {
        text = format!("Deprecated. {text}");
    }
    cut(text)
}

/// Returns text of a document for a model: cut to a limit, without invisible characters.
pub(crate) fn shown(words: String) -> String {
    let mut def = ToolDef::new("", words);
    def.strip_hidden();
    cut(def.description.into_owned())
}

pub(super) fn cut(text: String) -> String {
    match text.char_indices().nth(MOST_WORDS) {
        Some((end, _)) => format!("{}…", text.get(..end).unwrap_or_default()),
        None => text,
    }
}

/// Returns the tool's name for an operation without an id: method and path.
pub(crate) fn tool_name(operation: &Operation<'_>, prefix: &str) -> String {
    let own = match operation.id {
        Some(id) => id.to_owned(),
        None => {
            let path = operation.path.replace(['{', '}'], "");
            let parts = path
                .split(|char: char| !char.is_ascii_alphanumeric())
                .filter(|part| !part.is_empty());
            let parts: Vec<_> = parts.collect();
            format!(
                "{}_{}",
                operation.method.to_ascii_lowercase(),
                parts.join("_")
            )
        }
    };
    portable_name(&format!("{prefix}{own}")).into_owned()
}
