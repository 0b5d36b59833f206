use std::fmt;

use toolwright::text::Printable;

/// Something of a program that its tools do not have, or have in another form.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Notice {
    /// The subcommand by its path, such as `remote add`. Of a program without subcommands, its name.
    pub command: String,
    /// The argument by its id, if the notice concerns one.
    pub argument: Option<String>,
    /// What happened.
    pub kind: NoticeKind,
    /// The reason, for people.
    pub message: String,
}

/// Kind of a [`Notice`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum NoticeKind {
    /// The subcommand, and those below it, are not tools.
    CommandLeftOut,
    /// The tool lacks the argument.
    ArgumentLeftOut,
    /// The tool takes the argument in fewer forms than the program does, or the command has subcommands that it does not
    /// declare.
    Narrowed,
    /// The tool has another name than the subcommand.
    Renamed,
}

impl Notice {
    pub(crate) fn of_command(command: &str, kind: NoticeKind, message: impl Into<String>) -> Self {
        Self {
            command: command.to_owned(),
            argument: None,
            kind,
            message: message.into(),
        }
    }
}

impl fmt::Display for Notice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let shown = |text: &str| Printable::new(text).one_line().to_string();
        let kind = match self.kind {
            NoticeKind::CommandLeftOut | NoticeKind::ArgumentLeftOut => "left out",
            NoticeKind::Narrowed => "narrowed",
            NoticeKind::Renamed => "renamed",
        };
        write!(f, "command `{}`", shown(&self.command))?;
        if let Some(argument) = &self.argument {
            write!(f, ", argument `{}`", shown(argument))?;
        }
        write!(f, " {kind}: {}", shown(&self.message))
    }
}
