use std::fmt;

use toolwright_runtime::Printable;

/// What became of a tool of a server's on its way into the toolset, if it was not taken as it is.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Notice {
    /// The tool: its name in the toolset, which it would have there if another tool has that; else as
    /// the server calls it.
    pub tool: String,
    /// What became of it.
    pub kind: NoticeKind,
    /// Why.
    pub message: String,
}

/// What can become of a server's tool.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum NoticeKind {
    /// It is not in the toolset: its name is taken, its definition cannot be read, arguments cannot be
    /// checked against its schema, the schema holds characters that nobody sees, or it runs as a task
    /// alone.
    Refused,
    /// It has another name here than the server's, which providers refuse.
    Renamed,
    /// So many characters that a model reads and a person does not see were taken out of its words.
    HiddenRemoved(usize),
}

impl fmt::Display for Notice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let what = match self.kind {
            NoticeKind::Refused => "refused",
            NoticeKind::Renamed => "renamed",
            NoticeKind::HiddenRemoved(_) => "changed",
        };
        // Of whoever wrote the list.
        let (tool, why) = (
            Printable::new(&self.tool).one_line(),
            Printable::new(&self.message),
        );
        write!(f, "tool `{tool}` {what}: {why}")
    }
}
