//! From an operation to a tool: what the model sees, and the plan of its request.

mod arguments;
mod body;
mod hints;
mod offer;

use std::cell::RefCell;
use std::collections::{HashMap, HashSet};
use std::rc::Rc;

use toolwright::ToolOptions;
use toolwright::json::Value;

use self::arguments::{Argument, keys, root};
pub(crate) use self::body::BodyNames;
use self::hints::{description, group, is_paging};
pub(crate) use self::hints::{shown, tool_name};
pub(crate) use self::offer::is_secret;
use self::offer::{ACCESS_TOKEN, Disposition, Preset};
use crate::auth::{Requirement, Scheme};
use crate::body::is_json;
use crate::document::{At, Documents};
use crate::guard::Guard;
use crate::notice::{Notice, NoticeKind};
use crate::operation::{Found, FoundParameter, Parameter, Place, Refusal};
use crate::path::{Piece, Template};
use crate::request::{Plan, Slot, Source, Writing};
use crate::schema::{Answers, Bases, Described, Schemas, Side};
use crate::settings::Settings;
use crate::style::{Style, scalar};
use crate::text::{escape, is_method_override, readings};

/// A tool, before it is one of the runtime.
pub(crate) struct Draft {
    pub(crate) name: String,
    pub(crate) description: String,
    pub(crate) schema: String,
    pub(crate) answer: Option<Described>,
    pub(crate) options: ToolOptions,
    pub(crate) plan: Plan,
    pub(crate) required: Requirement,
    pub(crate) paging: Vec<String>,
    pub(crate) group: String,
}

/// What all operations of an import share.
pub(crate) struct Maker<'a, 't> {
    pub(crate) documents: &'a Documents<'t>,
    pub(crate) bases: &'a Bases,
    pub(crate) settings: &'a Settings,
    pub(crate) schemes: &'a [(String, Scheme)],
    pub(crate) required: Requirement,
    /// Places of the presets that met a parameter.
    pub(crate) met: RefCell<HashSet<usize>>,
    /// Places of the `slashes` that met one.
    pub(crate) with_slashes: RefCell<HashSet<usize>>,
    /// Names of bodies, by the places of their schemas.
    pub(crate) bodies: RefCell<HashMap<(usize, String), Rc<BodyNames<'a, 't>>>>,
    pub(crate) answers: RefCell<Answers<'a, 't>>,
}

/// The parts of a draft, as they are found.
struct Parts<'f, 'a, 't> {
    found: &'f Found<'a, 't>,
    template: Template,
    slots: Vec<Slot>,
    arguments: Vec<Argument<'a, 't>>,
    forbidden: HashSet<String>,
    form_names: HashSet<String>,
    guard: Guard,
    /// Properties of the body that its schema does not show.
    hidden: HashSet<String>,
    /// False for an origin that gets no secrets.
    has_credentials: bool,
    /// True if the body is a form, whose fields servers often read like those of a query.
    is_form: bool,
    notices: Vec<Notice>,
}

/// Reads what a document or an operation says about security.
pub(crate) fn requirement(at: &At<'_, '_>) -> Requirement {
    let security = at.value.get("security")?;
    let Value::Array(alternatives) = security else {
        return None;
    };
    let names = |all: &Value<'_>| {
        all.entries()
            .iter()
            .map(|(name, _)| name.to_string())
            .collect()
    };
    Some(alternatives.iter().map(names).collect())
}

impl<'a, 't> Maker<'a, 't> {
    fn place(&self, at: &At<'_, '_>) -> String {
        self.documents.place(at.document, &at.pointer)
    }

    /// Makes the draft of an operation, and adds notices about its parts.
    pub(crate) fn draft(
        &self,
        found: &Found<'a, 't>,
        (base, has_credentials): (String, bool),
        name: String,
        notices: &mut Vec<Notice>,
    ) -> Result<Draft, Refusal> {
        let template = Template::new(found.operation.path);
        let mut parts = Parts {
            found,
            forbidden: self.forbidden(&template),
            template,
            slots: Vec::new(),
            arguments: Vec::new(),
            form_names: HashSet::new(),
            guard: Guard::default(),
            hidden: HashSet::new(),
            has_credentials,
            is_form: false,
            notices: Vec::new(),
        };
        if parts.template.has_dots() {
            let words = "its path has a segment `.` or `..`".to_owned();
            return Err((self.place(&found.at), words));
        }
        self.template_query(&mut parts)?;
        self.parameters(&mut parts)?;
        let parameter_count = parts.arguments.len();
        let body = self.body(&mut parts)?;
        let keys = keys(&parts.arguments);
        self.renamed(&parts, &keys, notices);
        let mut names = keys.iter();
        for slot in &mut parts.slots {
            if let Source::Argument(key, _) = &mut slot.source {
                *key = names.next().cloned().unwrap_or_default();
            }
        }
        let body_keys = keys.get(parameter_count..).unwrap_or_default();
        let body = body.map(|(format, source)| (format, source.with_keys(body_keys)));
        let mut schemas = Schemas::new(
            self.documents,
            self.bases,
            Side::Request,
            self.settings.max_schema_bytes,
        );
        schemas.hidden = std::mem::take(&mut parts.hidden);
        let format = body.as_ref().map(|(format, _)| format);
        let schema = root(&mut schemas, &parts.arguments, &keys, format);
        let (options, hint) = self.options(found);
        notices.append(&mut parts.notices);
        let notes = schemas.notes.into_iter();
        notices.extend(notes.map(|(kind, pointer, message)| found.notice(kind, pointer, message)));
        notices
            .extend(hint.map(|hint| found.notice(NoticeKind::Hint, self.place(&found.at), hint)));
        let Parts {
            template,
            slots,
            forbidden,
            form_names,
            guard,
            ..
        } = parts;
        let method = found.operation.method.to_owned();
        let (accept, answer) = self.success(found);
        Ok(Draft {
            name,
            description: description(found),
            schema,
            answer,
            options,
            required: requirement(&found.at).or_else(|| self.required.clone()),
            paging: keys
                .iter()
                .filter(|key| is_paging(key))
                .map(|key| format!("`{key}`"))
                .collect(),
            group: group(&found.operation),
            plan: Plan {
                method,
                base,
                template,
                slots,
                body,
                accept,
                forbidden,
                form_names,
                guard,
            },
        })
    }

    /// Adds notices of arguments that have another name than their parameter.
    fn renamed(&self, parts: &Parts<'_, 'a, 't>, keys: &[String], notices: &mut Vec<Notice>) {
        let found = parts.found;
        for (argument, key) in parts.arguments.iter().zip(keys) {
            if argument.name != key && !argument.name.is_empty() {
                let words = format!(
                    "the argument `{key}` is `{}` in the {}",
                    argument.name,
                    argument.place.as_str()
                );
                notices.push(found.notice(NoticeKind::Renamed, self.place(&argument.at), words));
            }
        }
    }

    /// Returns names that keys of an object must not set.
    fn forbidden(&self, template: &Template) -> HashSet<String> {
        let presets = self
            .settings
            .presets
            .iter()
            .flat_map(|(name, _)| readings(name));
        let keys = self.schemes.iter().filter_map(|(_, scheme)| match scheme {
            Scheme::Key(_, name) => Some(readings(name)),
            _ => None,
        });
        presets
            .chain(keys.flatten())
            .chain([ACCESS_TOKEN.to_owned()])
            .chain(template.query.iter().flat_map(|(name, _)| readings(name)))
            .collect()
    }

    /// Holds the rules of query parameters against the template's own query.
    fn template_query(&self, parts: &mut Parts<'_, 'a, 't>) -> Result<(), Refusal> {
        let found = parts.found;
        let pointer = self.place(&found.at);
        let mut query = Vec::new();
        for (name, pieces) in std::mem::take(&mut parts.template.query) {
            if is_method_override(&name) {
                return Err((
                    pointer,
                    format!("its path sets `{name}`, which changes the method"),
                ));
            }
            let asked = Parameter {
                name: &name,
                place: Place::Query,
                required: true,
                operation: &found.operation,
            };
            let has_parameter = pieces
                .iter()
                .any(|piece| matches!(piece, Piece::Parameter(_)));
            if !has_parameter && !self.is_credential(&name, Place::Query) {
                query.push((name, pieces));
                continue;
            }
            match self.disposition(&asked, None, parts).0 {
                Disposition::Offered => query.push((name, pieces)),
                Disposition::Sent(Source::Fixed(value)) => {
                    let text = scalar(&value).unwrap_or_default();
                    query.push((name, vec![Piece::Literal(escape(&text))]));
                }
                Disposition::Sent(_) | Disposition::Dropped => {
                    let words = format!("`{name}` of the path's query is the host's");
                    parts.notices.push(found.notice(
                        NoticeKind::NotOffered,
                        pointer.clone(),
                        words,
                    ));
                }
            }
        }
        parts.template.query = query;
        Ok(())
    }

    /// Reads the parameters into slots and arguments.
    fn parameters(&self, parts: &mut Parts<'_, 'a, 't>) -> Result<(), Refusal> {
        let found = parts.found;
        let mut parameters = found.parameters(self.documents)?;
        self.undeclared(parts, &mut parameters);
        let used: HashSet<String> = parts.template.parameters().map(str::to_owned).collect();
        parameters
            .retain(|parameter| parameter.place != Place::Path || used.contains(parameter.name));
        for parameter in parameters {
            let operation = &found.operation;
            let FoundParameter {
                name,
                place,
                required,
                ..
            } = parameter;
            let asked = Parameter {
                name,
                place,
                required,
                operation,
            };
            let (disposition, notice) = self.disposition(&asked, parameter.schema.as_ref(), parts);
            let pointer = self.place(&parameter.at);
            parts.notices.extend(
                notice.map(|words| found.notice(NoticeKind::NotOffered, pointer.clone(), words)),
            );
            if place == Place::Query && parameter.at.is("allowReserved") {
                let words = format!(
                    "reserved characters of `{name}` are sent as `%2F`, which servers read alike"
                );
                parts
                    .notices
                    .push(found.notice(NoticeKind::Ignored, pointer.clone(), words));
            }
            if matches!(place, Place::Query | Place::Cookie) {
                parts.forbidden.extend(readings(name));
                // It takes the place of the template's own pair.
                parts
                    .template
                    .query
                    .retain(|(known, _)| known != name || place == Place::Cookie);
            }
            let source = match disposition {
                Disposition::Dropped if place == Place::Path => {
                    let why = match self.preset(name, place) {
                        Some(Preset::Spelled(preset)) => {
                            format!(": the preset `{preset}` has another spelling")
                        }
                        _ => ", which is hidden and has no preset".to_owned(),
                    };
                    return Err((pointer, format!("its path needs `{name}`{why}")));
                }
                Disposition::Dropped => continue,
                Disposition::Sent(source) => source,
                Disposition::Offered => {
                    let may_lack = required && place != Place::Path;
                    self.argument(parameter.schema.as_ref(), may_lack)
                }
            };
            let writing = match place {
                _ if parameter.is_whole_query => Writing::WholeQuery,
                _ if parameter.media.is_some_and(is_json) => Writing::Json,
                Place::Path if self.has_slashes(operation, name) => Writing::Segments,
                _ => Writing::Styled(parameter.style, parameter.explode),
            };
            let mut guard = None;
            if let Source::Argument(_, default) = &source {
                if let Some(schema) = &parameter.schema {
                    guard = self.parameter_guard(parts, schema)?;
                }
                let required = required && default.is_none();
                let FoundParameter {
                    description,
                    schema,
                    at,
                    ..
                } = parameter;
                parts.arguments.push(Argument {
                    name,
                    place,
                    required,
                    description,
                    schema,
                    at,
                });
            }
            parts.slots.push(Slot {
                source,
                name: name.to_owned(),
                place,
                writing,
                guard,
            });
        }
        Ok(())
    }

    /// Adds parameters of the path that the document does not declare, as strings.
    fn undeclared(
        &self,
        parts: &mut Parts<'_, 'a, 't>,
        parameters: &mut Vec<FoundParameter<'a, 't>>,
    ) {
        let found = parts.found;
        for name in parts.template.parameters() {
            if parameters
                .iter()
                .any(|known| known.place == Place::Path && known.name == name)
            {
                continue;
            }
            // The name is part of the path's text, which lives as long as the document.
            let path = found.operation.path;
            let Some(name) = path
                .find(name)
                .and_then(|start| path.get(start..start + name.len()))
            else {
                continue;
            };
            let words = format!("the path's `{name}` is not declared, and is taken for a string");
            parts
                .notices
                .push(found.notice(NoticeKind::Ignored, self.place(&found.at), words));
            parameters.push(FoundParameter {
                name,
                place: Place::Path,
                required: true,
                description: None,
                schema: None,
                media: None,
                style: Style::Simple,
                explode: false,
                is_whole_query: false,
                at: found.at.clone(),
            });
        }
    }

    /// Returns the header `Accept`, and the schema of the answer if that is JSON.
    fn success(&self, found: &Found<'a, 't>) -> (String, Option<Described>) {
        let responses = found.at.get("responses");
        let contents = responses
            .iter()
            .flat_map(At::entries)
            .filter(|(status, _)| status.starts_with('2'))
            .filter_map(|(_, at)| self.documents.follow(at).ok()?.get("content"));
        let content = contents
            .into_iter()
            .find(|at| !at.value.entries().is_empty());
        let types: Vec<_> = content.iter().flat_map(At::entries).collect();
        let json = types
            .iter()
            .find(|(media, _)| is_json(media) && !media.contains('*'));
        let json = json.or_else(|| types.iter().find(|(media, _)| is_json(media)));
        let (media, at) = json.or(types.first()).cloned().unzip();
        let is_sendable = |media: &&str| {
            *media != "*/*" && media.bytes().all(|byte| (b' '..=b'~').contains(&byte))
        };
        let media = media.filter(is_sendable).unwrap_or("application/json");
        let schema = at.filter(|_| json.is_some()).and_then(|at| {
            let at = self.documents.follow(at).ok()?;
            at.get("schema")
        });
        let answer = schema.and_then(|schema| self.answers.borrow_mut().of(&schema));
        (format!("{media}, */*;q=0.8"), answer)
    }
}
