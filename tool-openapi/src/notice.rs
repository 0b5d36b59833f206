//! Notices and errors.

use std::fmt;

use toolwright::text::Printable;

/// What an import did about a part of a document that it could not take as it is.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Notice {
    /// The operation, as `GET /orders/{id}`. Empty if the notice is about the whole document.
    pub operation: String,
    /// JSON pointer of the part, in the document that was parsed or in the one whose URI precedes `#`.
    pub pointer: String,
    /// What was done.
    pub kind: NoticeKind,
    /// The reason, for people.
    pub message: String,
}

/// What was done about a part of a document.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum NoticeKind {
    /// The operation is not a tool.
    LeftOut,
    /// The part is ignored.
    Ignored,
    /// The part of a schema admits any value: the API checks it, and nothing here does.
    Loosened,
    /// The parameter is not offered to the model.
    NotOffered,
    /// The tool has another name than the operation, or an argument another name than its parameter.
    Renamed,
    /// The tool's hints are more cautious than its method suggests.
    Hint,
    /// The tool is not as the lock file says, so it is left out.
    LockMismatch,
}

impl NoticeKind {
    /// Returns the kind as a word.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::LeftOut => "left out",
            Self::Ignored => "ignored",
            Self::Loosened => "loosened",
            Self::NotOffered => "not offered",
            Self::Renamed => "renamed",
            Self::Hint => "hint",
            Self::LockMismatch => "not as locked",
        }
    }
}

/// Writes one line. Text of the document is escaped.
impl fmt::Display for Notice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if !self.operation.is_empty() {
            write!(
                f,
                "{}: ",
                Printable::new(&self.operation).one_line().at_most(200)
            )?;
        }
        let pointer = Printable::new(&self.pointer).one_line().at_most(400);
        let message = Printable::new(&self.message).one_line().at_most(400);
        write!(f, "{}: {message} ({pointer})", self.kind.as_str())
    }
}

/// Error of a whole document, or of a setting. One operation that cannot be read is a [`Notice`].
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum ImportError {
    /// The document is not JSON, or not YAML.
    Syntax(String),
    /// The document has more bytes than allowed: the limit.
    TooLong(usize),
    /// The document is not `OpenAPI` 3.0, 3.1 or 3.2.
    Version(String),
    /// A setting is invalid.
    Setting(String),
    /// The document does not say which server to call.
    NoBaseUrl(String),
    /// No operation is a tool. The notices say why.
    Empty(Vec<Notice>),
    /// An import with `strict` has notices.
    Strict(Vec<Notice>),
}

impl fmt::Display for ImportError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let notices = |f: &mut fmt::Formatter<'_>, notices: &[Notice]| {
            notices
                .iter()
                .take(8)
                .try_for_each(|notice| write!(f, "\n{notice}"))
        };
        match self {
            Self::Syntax(error) => write!(f, "the document cannot be parsed: {error}"),
            Self::TooLong(limit) => write!(f, "the document has more than {limit} bytes"),
            Self::Version(words) | Self::Setting(words) => f.write_str(words),
            Self::NoBaseUrl(why) => write!(f, "set `base_url`: {why}"),
            Self::Empty(all) => {
                f.write_str("no operation of the document is a tool")?;
                if all.is_empty() {
                    f.write_str(": it has none, or `filter` keeps none")?;
                }
                notices(f, all)
            }
            Self::Strict(all) => {
                write!(f, "the document has {} notices", all.len())?;
                notices(f, all)
            }
        }
    }
}

impl std::error::Error for ImportError {}
