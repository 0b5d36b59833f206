use std::fmt;

use toolwright_schema::text::Printable;

/// Change or refusal of a server's tool.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Notice {
    /// Name of the tool in the toolset, or the server's name for it if it is refused for another reason than its name.
    pub tool: String,
    /// Kind of the notice.
    pub kind: NoticeKind,
    /// Reason of the change or refusal.
    pub message: String,
}

/// Kind of a [`Notice`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum NoticeKind {
    /// The tool is not in the toolset. Its name is taken, its definition is unreadable, its schema cannot be checked or
    /// contains invisible characters, or it runs only as a task.
    Refused,
    /// The tool has another name here, since providers refuse the server's name for it.
    Renamed,
    /// Invisible characters were removed from the tool's texts. Holds their number.
    HiddenRemoved(usize),
    /// A hint about the tool's effects has a wrong type and counts as absent.
    HintIgnored,
}

impl fmt::Display for Notice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let what = match self.kind {
            NoticeKind::Refused => "refused",
            NoticeKind::Renamed => "renamed",
            NoticeKind::HiddenRemoved(_) | NoticeKind::HintIgnored => "changed",
        };
        // Of whoever wrote the list.
        let (tool, why) = (
            Printable::new(&self.tool).one_line(),
            Printable::new(&self.message),
        );
        write!(f, "tool `{tool}` {what}: {why}")
    }
}
