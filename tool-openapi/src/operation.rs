//! Operations of a document, with their parameters and bodies.

use std::collections::{HashMap, HashSet};

use toolwright::json::Value;

use crate::body::{FORM, essence};
use crate::document::{At, Documents, MOST_KEY};
use crate::notice::{Notice, NoticeKind};
use crate::style::Style;
use crate::text::is_token;

/// Methods that have a key of their own in a path item; `query` since `OpenAPI` 3.2.
const METHODS: [&str; 9] = [
    "get", "put", "post", "delete", "options", "head", "patch", "trace", "query",
];

/// An operation of a document, for settings that choose by it.
#[derive(Debug)]
pub struct Operation<'a> {
    pub(crate) method: &'a str,
    pub(crate) path: &'a str,
    pub(crate) id: Option<&'a str>,
    pub(crate) tags: Vec<&'a str>,
    pub(crate) summary: Option<&'a str>,
    pub(crate) is_deprecated: bool,
}

impl Operation<'_> {
    /// Returns the method, in capital letters.
    pub fn method(&self) -> &str {
        self.method
    }

    /// Returns the path template, such as `/orders/{id}`.
    pub fn path(&self) -> &str {
        self.path
    }

    /// Returns the `operationId`.
    pub fn id(&self) -> Option<&str> {
        self.id
    }

    /// Returns the tags, in order.
    pub fn tags(&self) -> &[&str] {
        &self.tags
    }

    /// Returns true if the operation has this tag.
    pub fn has_tag(&self, tag: &str) -> bool {
        self.tags.contains(&tag)
    }

    /// Returns the summary.
    pub fn summary(&self) -> Option<&str> {
        self.summary
    }

    /// Returns true for a deprecated operation.
    pub fn deprecated(&self) -> bool {
        self.is_deprecated
    }
}

/// A parameter of an operation, or a property of its body, for settings that choose by it.
#[derive(Debug, Clone, Copy)]
#[non_exhaustive]
pub struct Parameter<'a> {
    /// The name in the document.
    pub name: &'a str,
    /// The part of the request that it is written to.
    pub place: Place,
    /// True if a request needs it.
    pub required: bool,
    /// The operation.
    pub operation: &'a Operation<'a>,
}

/// Part of a request that a parameter is written to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Place {
    /// The path.
    Path,
    /// The query.
    Query,
    /// A header.
    Header,
    /// A cookie.
    Cookie,
    /// The body.
    Body,
}

impl Place {
    pub(crate) const fn as_str(self) -> &'static str {
        match self {
            Self::Path => "path",
            Self::Query => "query",
            Self::Header => "header",
            Self::Cookie => "cookie",
            Self::Body => "body",
        }
    }
}

/// An operation as it stands in a document.
pub(crate) struct Found<'a, 't> {
    pub(crate) operation: Operation<'a>,
    item: At<'a, 't>,
    pub(crate) at: At<'a, 't>,
}

/// A parameter as it stands in a document.
pub(crate) struct FoundParameter<'a, 't> {
    pub(crate) name: &'a str,
    pub(crate) place: Place,
    pub(crate) required: bool,
    pub(crate) description: Option<&'a str>,
    pub(crate) schema: Option<At<'a, 't>>,
    /// The media type, if the value is written as text of one.
    pub(crate) media: Option<&'a str>,
    pub(crate) style: Style,
    pub(crate) explode: bool,
    /// The whole query is written from it (`OpenAPI` 3.2).
    pub(crate) is_whole_query: bool,
    pub(crate) at: At<'a, 't>,
}

/// Reason why an operation is not a tool: a place, and words.
pub(crate) type Refusal = (String, String);

/// Returns all operations of the first document, in its order, and notices of what cannot be one.
pub(crate) fn operations<'a, 't>(
    documents: &'a Documents<'t>,
) -> (Vec<Found<'a, 't>>, Vec<Notice>) {
    let (mut found, mut notices) = (Vec::new(), Vec::new());
    let paths = documents.root().and_then(|root| root.get("paths"));
    let mut seen = HashSet::new();
    let names = paths.iter().flat_map(|paths| paths.value.entries());
    for (path, _) in names.filter(|(path, _)| path.len() > MOST_KEY) {
        notices.push(Notice {
            operation: path.chars().take(60).collect(),
            pointer: "/paths".to_owned(),
            kind: NoticeKind::LeftOut,
            message: format!("the path has more than {MOST_KEY} bytes"),
        });
    }
    for (path, at) in paths.iter().flat_map(At::entries) {
        if path.starts_with("x-") {
            continue;
        }
        let mut refuse = |operation: String, at: &At<'_, '_>, message: &str| {
            let pointer = documents.place(at.document, &at.pointer);
            notices.push(Notice {
                operation,
                pointer,
                kind: NoticeKind::LeftOut,
                message: message.to_owned(),
            });
        };
        let item = match documents.follow(at.clone()) {
            Ok(item) => item,
            Err(why) => {
                refuse(path.to_owned(), &at, &why);
                continue;
            }
        };
        if !matches!(item.value, Value::Object(_)) {
            refuse(
                path.to_owned(),
                &item,
                "this is not an object of operations",
            );
            continue;
        }
        let own = item.entries().filter(|(key, _)| METHODS.contains(key));
        let additional = item.get("additionalOperations");
        let additional: Vec<_> = additional.iter().flat_map(At::entries).collect();
        for (method, at) in own.chain(additional) {
            let is_method = !method.is_empty()
                && method
                    .bytes()
                    .all(|byte| byte.is_ascii_alphabetic() || byte == b'-');
            let name = format!("{} {path}", method.to_uppercase());
            if !is_method || matches!(&*method.to_uppercase(), "TRACE" | "CONNECT") {
                refuse(name, &at, "no tool has this method");
            } else if !matches!(at.value, Value::Object(_)) {
                refuse(name, &at, "this is not an operation");
            } else if !path.starts_with('/') {
                refuse(name, &at, "the path does not start with a slash");
            } else if !seen.insert(name.clone()) {
                refuse(
                    name,
                    &at,
                    "the operation stands there twice; the first counts",
                );
            } else {
                found.push(Found {
                    operation: header(method, path, &at),
                    item: item.clone(),
                    at,
                });
            }
        }
    }
    (found, notices)
}

fn header<'a>(method: &'a str, path: &'a str, at: &At<'a, '_>) -> Operation<'a> {
    const UPPER: [&str; 9] = [
        "GET", "PUT", "POST", "DELETE", "OPTIONS", "HEAD", "PATCH", "TRACE", "QUERY",
    ];
    let upper = UPPER
        .iter()
        .find(|upper| upper.eq_ignore_ascii_case(method));
    let words = |key| at.text(key).map(str::trim).filter(|text| !text.is_empty());
    Operation {
        method: upper.copied().unwrap_or(method),
        path,
        id: words("operationId"),
        tags: at
            .value
            .get("tags")
            .map_or(&[][..], Value::items)
            .iter()
            .filter_map(Value::as_str)
            .collect(),
        summary: words("summary"),
        is_deprecated: at.is("deprecated"),
    }
}

impl<'a, 't> Found<'a, 't> {
    /// Returns the operation as people read it, `GET /orders/{id}`.
    pub(crate) fn name(&self) -> String {
        format!("{} {}", self.operation.method, self.operation.path)
    }

    /// Creates a notice about the operation.
    pub(crate) fn notice(&self, kind: NoticeKind, pointer: String, message: String) -> Notice {
        Notice {
            operation: self.name(),
            pointer,
            kind,
            message,
        }
    }

    /// Returns the servers of the operation or of its path, if they have any of their own.
    pub(crate) fn servers(&self) -> Option<At<'a, 't>> {
        let own = |at: &At<'a, 't>| {
            at.get("servers")
                .filter(|all| !all.value.items().is_empty())
        };
        own(&self.at).or_else(|| own(&self.item))
    }

    /// Returns the parameters: those of the path that the operation does not replace, then its own.
    pub(crate) fn parameters(
        &self,
        documents: &'a Documents<'t>,
    ) -> Result<Vec<FoundParameter<'a, 't>>, Refusal> {
        let mut all: Vec<FoundParameter<'a, 't>> = Vec::new();
        let mut places = HashMap::new();
        for list in [self.item.get("parameters"), self.at.get("parameters")]
            .into_iter()
            .flatten()
        {
            if !matches!(list.value, Value::Array(_) | Value::Null) {
                return Err((
                    documents.place(list.document, &list.pointer),
                    "this is not an array".to_owned(),
                ));
            }
            for at in list.items() {
                let place = documents.place(at.document, &at.pointer);
                let read = documents.follow(at).and_then(|at| parameter(documents, at));
                let parameter = read.map_err(|why| (place, why))?;
                let key = (parameter.name, parameter.place);
                let index = *places.entry(key).or_insert(all.len());
                match all.get_mut(index) {
                    Some(known) => *known = parameter,
                    None => all.push(parameter),
                }
            }
        }
        Ok(all)
    }
}

fn parameter<'a, 't>(
    documents: &'a Documents<'t>,
    at: At<'a, 't>,
) -> Result<FoundParameter<'a, 't>, String> {
    let Some(name) = at.text("name").filter(|name| !name.is_empty()) else {
        return Err("the parameter has no name".to_owned());
    };
    let (place, is_whole_query) = match at.text("in") {
        Some("path") => (Place::Path, false),
        Some("query") => (Place::Query, false),
        Some("querystring") => (Place::Query, true),
        Some("header") => (Place::Header, false),
        Some("cookie") => (Place::Cookie, false),
        Some(other) => {
            return Err(format!(
                "the parameter `{name}` is in `{other}`, which OpenAPI 3 does not have"
            ));
        }
        None => return Err(format!("the parameter `{name}` has no place")),
    };
    if place == Place::Header && !is_token(name) {
        return Err(format!("`{name}` is not the name of a header"));
    }
    let (mut schema, mut media) = (at.get("schema"), None);
    if let (None, Some((kind, content))) = (
        &schema,
        at.get("content").iter().flat_map(At::entries).next(),
    ) {
        schema = documents.follow(content)?.get("schema");
        media = Some(kind);
    }
    if let Some(kind) = media.filter(|kind| is_whole_query && essence(kind) != FORM) {
        return Err(format!(
            "`{name}` is a whole query of {kind}, which cannot be written"
        ));
    }
    let default = match place {
        Place::Path | Place::Header => Style::Simple,
        _ => Style::Form,
    };
    let style = match at.text("style") {
        None => default,
        Some(named) => {
            Style::named(named).ok_or_else(|| format!("the style `{named}` is not known"))?
        }
    };
    let fits = match place {
        Place::Path => matches!(style, Style::Simple | Style::Label | Style::Matrix),
        Place::Header => style == Style::Simple,
        Place::Cookie => matches!(style, Style::Form | Style::Cookie),
        _ => !matches!(
            style,
            Style::Simple | Style::Label | Style::Matrix | Style::Cookie
        ),
    };
    let style = if fits { style } else { default };
    let explode = match at.value.get("explode") {
        Some(Value::Bool(explode)) => *explode,
        _ => matches!(style, Style::Form | Style::Cookie),
    };
    Ok(FoundParameter {
        name,
        place,
        required: place == Place::Path || at.is("required"),
        description: at.text("description"),
        schema,
        media,
        style,
        explode,
        is_whole_query,
        at,
    })
}
