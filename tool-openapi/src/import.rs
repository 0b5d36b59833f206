//! The import: from documents and settings to a toolset.

use std::cell::RefCell;
use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use toolwright::Toolset;
use url::Url;

use crate::api_tool::{Shared, build};
use crate::auth::{Auth, Credential, Scheme, SchemePlace};
use crate::client::DefaultClient;
use crate::document::At;
use crate::groups::{free_name, grouped};
use crate::notice::{ImportError, Notice, NoticeKind};
use crate::operation::{Found, Operation, operations};
use crate::schema::{Answers, Bases};
use crate::secrets::spellings;
use crate::server::{Servers, documented};
use crate::settings::OpenApi;
use crate::style::scalar;
use crate::text::{is_framing_header, is_token};
use crate::tool::{Maker, is_secret, requirement, tool_name};

impl OpenApi<'_> {
    /// Returns the notices about the document, under the settings so far. Without a base URL, servers are not checked.
    pub fn notices(&self) -> Vec<Notice> {
        let base = self.base.clone();
        let base = base.or_else(|| documented(&self.documents).ok());
        self.drafts(base.as_ref()).1
    }

    /// Makes the tools, all at once. An operation takes about 0.1 ms, and one with a long schema 0.3 ms: GitHub's document with 844
    /// operations takes 50 ms, and the largest one of 2,639 documents, with 22,361 operations in 47 MB, takes 5 s and 480 MB.
    /// [`filter`](Self::filter) makes fewer.
    ///
    /// # Errors
    /// Fails if a setting is invalid, if no base URL is known, or if no operation is a tool. After [`strict`](Self::strict),
    /// also if there are notices.
    pub fn toolset(self) -> Result<Toolset, ImportError> {
        self.import().map(|(tools, _)| tools)
    }

    /// Makes the tools, and returns the notices beside them.
    ///
    /// # Errors
    /// See [`toolset`](Self::toolset).
    pub fn import(mut self) -> Result<(Toolset, Vec<Notice>), ImportError> {
        let base = match self.base.take() {
            Some(base) => base,
            None => documented(&self.documents)?,
        };
        let schemes = self.schemes();
        self.add_keys(&schemes)?;
        let (drafts, mut notices) = self.drafts(Some(&base));
        let mut secrets = Vec::new();
        for (name, value) in &self.settings.presets {
            if is_secret(name, &schemes) {
                let text = scalar(value).unwrap_or_default();
                // A header may hold several cookies.
                let values = text.split("; ").filter_map(|pair| pair.split_once('='));
                secrets.extend(values.flat_map(|(_, value)| spellings(value)));
                Credential::header(name.as_str(), text).secrets(&mut secrets);
            }
        }
        let shared = Arc::new(Shared {
            client: self
                .client
                .take()
                .unwrap_or_else(|| Arc::new(DefaultClient::default())),
            auth: std::mem::take(&mut self.auth),
            schemes,
            timeout: self.settings.timeout,
            max_bytes: self.settings.max_bytes,
            trim: self.settings.trim,
            secrets,
        });
        let mut tools = Vec::new();
        for made in drafts {
            let (draft, operation, pointer) = (made.draft, made.operation, made.pointer);
            let group = draft.group.clone();
            match build(draft, made.has_credentials, &shared) {
                Ok(tool) => tools.push((group, tool)),
                Err(message) => notices.push(Notice {
                    operation,
                    pointer,
                    kind: NoticeKind::LeftOut,
                    message,
                }),
            }
        }
        #[cfg(feature = "lock")]
        if let Some(file) = &self.settings.lock {
            crate::lock::hold(file, &mut tools, &mut notices)?;
        }
        if self.settings.is_strict && !notices.is_empty() {
            return Err(ImportError::Strict(notices));
        }
        if tools.is_empty() {
            return Err(ImportError::Empty(notices));
        }
        let set = if tools.len() > self.settings.defer_above {
            grouped(tools)
        } else {
            Toolset::new(tools.into_iter().map(|(_, tool)| tool)).map_err(|error| error.to_string())
        };
        let set = set.map_err(ImportError::Setting)?;
        Ok((set, notices))
    }

    /// Reads where the API keys are sent.
    fn add_keys(&mut self, schemes: &[(String, Scheme)]) -> Result<(), ImportError> {
        for (scheme, key) in std::mem::take(&mut self.keys) {
            let Some((_, Scheme::Key(place, name))) =
                schemes.iter().find(|(name, _)| *name == scheme)
            else {
                let keys = schemes.iter().filter_map(|(name, scheme)| match scheme {
                    Scheme::Key(..) => Some(format!("`{name}`")),
                    _ => None,
                });
                let keys = match keys.collect::<Vec<_>>().join(", ") {
                    none if none.is_empty() => "none".to_owned(),
                    keys => keys,
                };
                let words = format!("the document has no API key scheme `{scheme}`; it has {keys}");
                return Err(ImportError::Setting(words));
            };
            let is_sendable = match place {
                SchemePlace::Header => is_token(name) && !is_framing_header(name),
                SchemePlace::Cookie => is_token(name),
                SchemePlace::Query => true,
            };
            if !is_sendable {
                let words = format!("the key of `{scheme}` cannot be sent as `{name}`");
                return Err(ImportError::Setting(words));
            }
            self.auth.keys.push((scheme, Auth::key(name, *place, &key)));
        }
        Ok(())
    }

    fn schemes(&self) -> Vec<(String, Scheme)> {
        let components = self
            .documents
            .root()
            .and_then(|root| root.get("components"));
        let schemes = components.and_then(|components| components.get("securitySchemes"));
        let schemes = schemes.iter().flat_map(At::entries);
        let read = schemes
            .filter_map(|(name, at)| Some((name.to_owned(), self.documents.follow(at).ok()?)));
        read.map(|(name, at)| (name, Scheme::read(at.value)))
            .collect()
    }

    fn drafts(&self, base: Option<&Url>) -> (Vec<Made>, Vec<Notice>) {
        let documents = &self.documents;
        let schemes = self.schemes();
        let bases = Bases::new(documents);
        let required = documents.root().and_then(|root| requirement(&root));
        let maker = Maker {
            documents,
            bases: &bases,
            settings: &self.settings,
            schemes: &schemes,
            required,
            met: RefCell::default(),
            with_slashes: RefCell::default(),
            bodies: RefCell::default(),
            answers: RefCell::new(Answers::new(documents, &bases)),
        };
        let servers = Servers {
            base,
            allowed: &self.allowed,
        };
        let (found, mut notices) = operations(documents);
        let keeps = |found: &Found<'_, '_>| {
            let mut filters = self.settings.filters.iter();
            filters.all(|keeps| keeps(&found.operation))
        };
        // Names are those among the operations that are kept.
        let found: Vec<_> = found.into_iter().filter(keeps).collect();
        let wanted = |operation: &Operation<'_>| tool_name(operation, &self.settings.prefix);
        let mut counts: HashMap<String, usize> = HashMap::new();
        for found in &found {
            *counts.entry(wanted(&found.operation)).or_default() += 1;
        }
        let mut names = HashSet::new();
        let mut made = Vec::new();
        for found in found {
            let operation = &found.operation;
            let pointer = documents.place(found.at.document, &found.at.pointer);
            let name = wanted(operation);
            let is_wanted_twice = counts.get(&name).is_some_and(|count| *count > 1);
            let name = free_name(name, &found.name(), is_wanted_twice, &mut names);
            let server = if found.at.is("x-toolwright-decision") {
                let words = "by it a person decides about a call that waits, and no model";
                Err((pointer.clone(), words.to_owned()))
            } else {
                servers.of(documents, &found)
            };
            let draft = server.and_then(|(base, has_credentials)| {
                let mut own = Vec::new();
                let draft = maker.draft(&found, (base, has_credentials), name.clone(), &mut own)?;
                notices.append(&mut own);
                Ok((draft, has_credentials))
            });
            match draft {
                Ok((draft, has_credentials)) => {
                    let own = operation
                        .id
                        .map(|id| format!("{}{id}", self.settings.prefix));
                    if own.as_ref().is_some_and(|own| *own != name) {
                        let message = format!("the tool is `{name}`");
                        notices.push(found.notice(NoticeKind::Renamed, pointer.clone(), message));
                    }
                    made.push(Made {
                        draft,
                        has_credentials,
                        operation: found.name(),
                        pointer,
                    });
                }
                Err((pointer, message)) => {
                    notices.push(found.notice(NoticeKind::LeftOut, pointer, message));
                }
            }
        }
        self.unmet(&maker.met.take(), &maker.with_slashes.take(), &mut notices);
        (made, notices)
    }

    /// Adds notices of the presets that met no parameter, and of the `slashes` that met none.
    fn unmet(
        &self,
        met: &HashSet<usize>,
        with_slashes: &HashSet<usize>,
        notices: &mut Vec<Notice>,
    ) {
        let presets = self.settings.presets.iter().enumerate();
        let presets = presets.filter(|(index, _)| !met.contains(index));
        let presets = presets
            .map(|(_, (name, _))| format!("no parameter has the name of the preset `{name}`"));
        let slashes = self.settings.slashes.iter().enumerate();
        let slashes = slashes.filter(|(index, _)| !with_slashes.contains(index));
        let slashes = slashes.map(|(_, (operation, name))| {
            format!("no operation `{operation}` has a `{name}` in its path, which `slashes` names")
        });
        notices.extend(presets.chain(slashes).map(|message| Notice {
            operation: String::new(),
            pointer: String::new(),
            kind: NoticeKind::Ignored,
            message,
        }));
    }
}

/// A draft, with the operation that it is of.
struct Made {
    draft: crate::tool::Draft,
    has_credentials: bool,
    operation: String,
    pointer: String,
}
