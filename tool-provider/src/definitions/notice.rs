//! Notices of tools that were left out, or that are not sent or offered as they were written.

use std::fmt;

use super::{Definitions, DefinitionsError};
use crate::dialect::{LowerError, NoteKind};
use toolwright_schema::text::Printable;

/// A tool that was left out, or a part of one that was changed.
///
/// Toolsets, definitions, agents and clients of MCP give the same notices. A host can make each kind an error:
/// [`DefinitionOptions::deny`](super::DefinitionOptions::deny).
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Notice {
    /// Name of the tool in the toolset, or its owner's name for it if it is left out for another reason than its name.
    pub tool: String,
    /// Kind of the notice.
    pub kind: NoticeKind,
    /// Place in the tool's arguments, as in [`LowerError::path`](crate::dialect::LowerError::path); `None` for the whole tool.
    pub path: Option<String>,
    /// Reason of the change or omission.
    pub message: String,
}

toolwright_json::named_enum! {
    /// Kind of a [`Notice`].
    #[non_exhaustive]
    pub enum NoticeKind {
        /// The tool is left out: of a request, since its provider refuses the schema or the schema holds invisible characters;
        /// of a toolset, since its name is taken, its definition is unreadable, its schema cannot be checked, or it runs only as
        /// a task; of a server's list, since its arguments are not an object.
        Refused = "refused",
        /// The tool is left out of a server's list, since it differs from the lock file.
        LockMismatch = "lock_mismatch",
        /// The tool has another name here, since providers refuse its own.
        Renamed = "renamed",
        /// The tool is sent without strictness.
        Loosened = "loosened",
        /// Invisible characters were removed from the tool's texts.
        HiddenRemoved = "hidden_removed",
        /// A hint about the tool's effects has a wrong type and counts as absent.
        HintIgnored = "hint_ignored",
        /// Half of a surrogate pair, which no text can hold, was replaced by U+FFFD in the tool's definition.
        Mended = "mended",
    }
}

impl Notice {
    /// Creates a notice of a whole tool.
    #[doc(hidden)]
    pub fn new(tool: impl Into<String>, kind: NoticeKind, message: impl Into<String>) -> Self {
        Self {
            tool: tool.into(),
            kind,
            path: None,
            message: message.into(),
        }
    }

    /// Creates a notice from a dialect's rejection.
    #[doc(hidden)]
    pub fn of_rejected(tool: impl Into<String>, kind: NoticeKind, reject: &LowerError) -> Self {
        let LowerError { code, path, help } = reject;
        Self {
            path: Some(path.clone()),
            ..Self::new(tool, kind, format!("{code}: {help}"))
        }
    }

    /// Returns the message, with the place in front.
    fn words(&self) -> String {
        match &self.path {
            Some(path) => format!("{path}: {}", self.message),
            None => self.message.clone(),
        }
    }
}

impl fmt::Display for Notice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let what = match self.kind {
            NoticeKind::Refused => "refused",
            NoticeKind::LockMismatch => "left out",
            NoticeKind::Renamed => "renamed",
            NoticeKind::Loosened => "loosened",
            NoticeKind::HiddenRemoved | NoticeKind::HintIgnored | NoticeKind::Mended => "changed",
        };
        // Text of the tool's author.
        let tool = Printable::new(&self.tool).one_line();
        write!(f, "tool `{tool}` {what}: {}", Printable::new(&self.words()))
    }
}

impl Definitions {
    /// Returns notices of tools that are left out ([`NoticeKind::Refused`]), then of tools that are sent without
    /// strictness ([`NoticeKind::Loosened`]) or without invisible characters ([`NoticeKind::HiddenRemoved`]).
    pub fn notices(&self) -> impl Iterator<Item = Notice> {
        let loosened = self.0.non_strict.iter();
        let loosened = loosened.map(|(tool, why)| why.to_notice(tool));
        let hidden = self
            .notes()
            .filter(|(_, note)| note.kind == NoteKind::HiddenRemoved);
        let hidden = hidden.map(|(tool, note)| {
            let words = format!("{} characters that nobody sees were taken out", note.value);
            Notice::new(tool, NoticeKind::HiddenRemoved, words)
        });
        self.0
            .left_out
            .iter()
            .cloned()
            .chain(loosened)
            .chain(hidden)
    }

    /// Returns the notices of these kinds, as an error.
    pub(super) fn denied(&self, kinds: &[NoticeKind]) -> DefinitionsError {
        let mut denied = DefinitionsError::default();
        // Most requests deny nothing, and are made again and again.
        if !kinds.is_empty() {
            let notices = self.notices();
            for notice in notices.filter(|notice| kinds.contains(&notice.kind)) {
                denied.note(&notice.tool, notice.words());
            }
        }
        denied
    }
}
