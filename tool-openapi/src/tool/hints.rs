//! What a method, a name and a description say about a tool.

use toolwright::ToolOptions;
use toolwright::text::portable_name;

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
            "GET" | "HEAD" | "OPTIONS" | "QUERY" => match acts(operation) {
                Some(word) => {
                    let method = operation.method;
                    notice = Some(format!(
                        "it is a {method} whose name says `{word}`, so it does not count as reading"
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

/// Returns the word by which a reading method says that it changes something.
fn acts(operation: &Operation<'_>) -> Option<&'static str> {
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
    // Any word may be its verb: `/users/{id}/hardDelete`, `adminUsersDelete`.
    let id = operation.id.map(words);
    let segments = operation
        .path
        .split(['/', '.', ':', '#', '='])
        .filter(|part| !part.starts_with('{'))
        .map(words);
    let mut verbs = id.into_iter().chain(segments).flatten();
    verbs.find_map(|word| ACTS.into_iter().find(|act| *act == word))
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
    let mut text = text.map_or_else(|| found.name(), str::to_owned);
    if operation.is_deprecated {
        text = format!("Deprecated. {text}");
    }
    cut(text)
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
