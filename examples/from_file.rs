//! Tools from files: each `TOOL.json` names a tool, its parameters, and the command that it runs.
//!
//! `cargo run -p toolwright --example from_file -- DIRECTORY` lists those that it finds there.
//!
//! ```json
//! {
//!   "name": "count_lines", "description": "Counts the lines of a file.",
//!   "parameters": {"type": "object", "properties": {"path": {"type": "string"}}, "required": ["path"]},
//!   "command": "wc -l -- {{path}}"
//! }
//! ```
//!
//! # What is safe
//!
//! A command with placeholders is split into words, and the program runs without a shell. `'…'`, `"…"` and
//! `\` group words as in a shell; anything else that means something to a shell alone (`|`, `>`, `$`, `*`)
//! is refused when the file is loaded. A placeholder fills a word or a part of one, whatever its value
//! holds: quotes, spaces, `$(…)`. A value never becomes the program, a second word, or an option: where a
//! placeholder starts a word, a value that begins with `-` is refused, unless a word `--` stands before it, and
//! in a word that begins with `-` a placeholder stands behind `=` alone (`--name={{name}}`, and not `-{{n}}`).
//! A placeholder without an argument is empty, and an unquoted word of nothing else is left out.
//!
//! A command without placeholders is a line for `sh`: it holds nothing that a model wrote. A script with
//! arguments takes them as its own, `sh -c 'wc -l < "$1"' sh {{path}}`. A placeholder is refused inside the script, right
//! behind an option such as `-c` of any program or in its value (`--command={{path}}`), and as the script of a program whose name ends with `sh` or `shell`.
//!
//! # What is not
//!
//! - Which file `{{path}}` names: any that the program may open, through `..` and symbolic links too. Give
//!   the program a folder of its own, by the operating system.
//! - Programs that read an argument as code or as a command: `awk`, `sed`, `find -exec`, `env`, `xargs`, `ssh`,
//!   `python -c`, `eval` in a script. Write no placeholder there.
//! - Programs that do not know `--`: test what they make of `--help` as a value.
//! - The command inherits the environment and the working directory, and its output goes to the model.

use std::path::Path;
use std::process::Command;
use std::sync::Arc;
use std::{fmt, fs, io};

use serde::Deserialize;
use serde_json::{Map, Value};
use toolwright::{
    DynTool, Outcome, Tool, ToolError, ToolOptions, Toolset, call::Payload, schema::SchemaDoc,
    text::Printable, toolset::BuildError,
};

#[derive(Deserialize)]
struct File {
    name: String,
    description: String,
    parameters: Option<SchemaDoc>,
    command: String,
}

/// Why a file is not a tool.
#[derive(Debug)]
pub(crate) enum LoadError {
    /// It cannot be read.
    Read(io::Error),
    /// It is not of the form.
    Form(serde_json::Error),
    /// Its command cannot run as it is written.
    Command(String),
    /// What it says is not a tool.
    Tool(BuildError),
}

impl fmt::Display for LoadError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Read(error) => error.fmt(f),
            Self::Form(error) => error.fmt(f),
            Self::Command(why) => write!(f, "`command`: {why}"),
            Self::Tool(error) => error.fmt(f),
        }
    }
}

/// The tool of a file.
pub(crate) fn from_file(path: &Path) -> Result<Arc<dyn Tool>, LoadError> {
    let text = fs::read_to_string(path).map_err(LoadError::Read)?;
    let file: File = serde_json::from_str(&text).map_err(LoadError::Form)?;
    let template = Template::read(&file.command).map_err(LoadError::Command)?;
    let mut builder = DynTool::builder()
        .name(file.name)
        .description(file.description)
        .options(ToolOptions::new().blocking(true))
        .handler_sync(move |arguments: Map<String, Value>, _| run(template.filled(&arguments)?));
    if let Some(parameters) = file.parameters {
        builder = builder.parameters(parameters);
    }
    builder.build().map_err(LoadError::Tool)
}

/// The tools of all folders in a folder, by name; and of each file that is none, why. Of two tools
/// of one name the later counts.
pub(crate) fn load_all(folder: &Path) -> io::Result<(Toolset, Vec<String>)> {
    let (mut tools, mut skipped) = (Toolset::default(), Vec::new());
    let mut paths = Vec::new();
    for entry in fs::read_dir(folder)? {
        paths.push(entry?.path().join("TOOL.json"));
    }
    paths.sort();
    for path in paths.into_iter().filter(|path| path.exists()) {
        match from_file(&path) {
            Ok(tool) => tools = tools.with(tool),
            Err(error) => skipped.push(format!("{}: {error}", path.display())),
        }
    }
    Ok((tools, skipped))
}

/// A command, with places for arguments.
#[derive(Debug, PartialEq)]
struct Template(Vec<Word>);

/// A word of a command.
#[derive(Debug, Default, PartialEq)]
struct Word {
    pieces: Vec<Piece>,
    is_quoted: bool,
}

#[derive(Debug, PartialEq)]
enum Piece {
    Text(String),
    Argument(String),
}

/// Characters that mean something to a shell, and would stand for themselves here.
const FOR_A_SHELL: &str = "|&;<>()$`*?[\n";

impl Template {
    fn read(command: &str) -> Result<Self, String> {
        if !command.contains("{{") {
            let words = ["sh", "-c", command].map(Word::of);
            return Ok(Self(words.into()));
        }
        let mut words = Vec::new();
        let mut word: Option<Word> = None;
        let mut quote = None;
        let mut rest = command;
        while let Some(char) = rest.chars().next() {
            if let Some((name, after)) = rest.strip_prefix("{{").and_then(|at| at.split_once("}}"))
            {
                let word = word.get_or_insert_default();
                word.pieces.push(Piece::Argument(name.trim().to_owned()));
                rest = after;
                continue;
            }
            rest = rest.get(char.len_utf8()..).unwrap_or_default();
            match (quote, char) {
                (Some(open), _) if open == char => quote = None,
                (None, '\'' | '"') => {
                    quote = Some(char);
                    word.get_or_insert_default().is_quoted = true;
                }
                (None | Some('"'), '\\') => {
                    let next = rest.chars().next().ok_or("a `\\` ends it")?;
                    rest = rest.get(next.len_utf8()..).unwrap_or_default();
                    let word = word.get_or_insert_default();
                    if quote.is_some() && !"\"\\$`".contains(next) {
                        word.push('\\');
                    }
                    word.push(next);
                }
                (None, ' ' | '\t') => words.extend(word.take()),
                (None, char) if FOR_A_SHELL.contains(char) => return Err(needs_a_shell(char)),
                (None, '#' | '~') if word.is_none() => return Err(needs_a_shell(char)),
                (Some('"'), '$' | '`') => return Err(needs_a_shell(char)),
                _ => word.get_or_insert_default().push(char),
            }
        }
        if quote.is_some() {
            return Err("a quote is not closed".into());
        }
        words.extend(word);
        Self(words).checked()
    }

    /// No argument says which program runs, or what code a shell reads.
    fn checked(self) -> Result<Self, String> {
        if self.0.first().is_none_or(Word::has_argument) {
            return Err("a placeholder says which program runs".into());
        }
        let mut words = self.0.iter().skip_while(|word| !word.is_shell());
        let mut before = words.next();
        for word in words {
            if word.has_argument() {
                return Err(
                    "a placeholder stands in a script; write it behind, as an argument of the \
                     script: sh -c 'wc -l < \"$1\"' sh {{path}}"
                        .into(),
                );
            }
            // The name of one of the shell's settings is not a script.
            let is_name = before.is_some_and(|before| before.is_one_of(&["-o", "+o", "-O", "+O"]));
            if !word.starts_with(&['-', '+']) && !is_name {
                break;
            }
            before = Some(word);
        }
        let mut pairs = self.0.iter().zip(self.0.iter().skip(1));
        if pairs.any(|(option, word)| option.takes_code() && word.has_argument()) {
            return Err("a placeholder stands behind an option for code, such as `-c`".into());
        }
        if self.0.iter().any(Word::has_code_in_an_option) {
            return Err("a placeholder stands in an option for code, such as `--command=`".into());
        }
        let mut words = self.0.iter().take_while(|word| !word.is_one_of(&["--"]));
        if words.any(Word::has_argument_in_an_option) {
            return Err(
                "a placeholder says which option; write it behind `=`, or as a word of its own"
                    .into(),
            );
        }
        Ok(self)
    }

    /// The words, with these arguments.
    fn filled(&self, arguments: &Map<String, Value>) -> Result<Vec<String>, ToolError> {
        let mut filled = Vec::new();
        let mut is_behind_options = false;
        for word in &self.0 {
            let Some(text) = word.filled(arguments) else {
                continue;
            };
            let refused = |why| {
                let name = word.argument().unwrap_or_default();
                Err(ToolError::failed(format!("{name}: {why}")))
            };
            if text.contains('\0') {
                return refused("must not hold the character NUL");
            }
            if text.starts_with('-') && !word.starts_with(&['-']) && !is_behind_options {
                return refused("must not begin with `-`");
            }
            is_behind_options |= word.is_one_of(&["--"]);
            filled.push(text);
        }
        Ok(filled)
    }
}

fn needs_a_shell(char: char) -> String {
    format!(
        "`{}` is for a shell, and a command with placeholders runs without one",
        char.escape_debug()
    )
}

impl Word {
    fn of(text: &str) -> Self {
        Self {
            pieces: vec![Piece::Text(text.to_owned())],
            is_quoted: true,
        }
    }

    fn push(&mut self, char: char) {
        match self.pieces.last_mut() {
            Some(Piece::Text(text)) => text.push(char),
            _ => self.pieces.push(Piece::Text(char.to_string())),
        }
    }

    /// The first argument that stands in it.
    fn argument(&self) -> Option<&str> {
        self.pieces.iter().find_map(|piece| match piece {
            Piece::Argument(name) => Some(name.as_str()),
            Piece::Text(_) => None,
        })
    }

    fn has_argument(&self) -> bool {
        self.argument().is_some()
    }

    /// How it begins, whatever its arguments are.
    fn starts_with(&self, chars: &[char]) -> bool {
        matches!(self.pieces.first(), Some(Piece::Text(text)) if text.starts_with(chars))
    }

    /// Whether a value could make another option of it.
    fn has_argument_in_an_option(&self) -> bool {
        self.starts_with(&['-'])
            && self.has_argument()
            && !matches!(self.pieces.first(), Some(Piece::Text(text)) if text.contains('='))
    }

    fn is_one_of(&self, texts: &[&str]) -> bool {
        matches!(self.pieces.as_slice(), [Piece::Text(text)] if texts.contains(&text.as_str()))
    }

    /// Returns true for a program whose first argument that is not an option is code: `bash`, `rbash`, `pwsh.exe`. A list of names
    /// would lack some.
    fn is_shell(&self) -> bool {
        let [Piece::Text(text)] = self.pieces.as_slice() else {
            return false;
        };
        let name = text.rsplit(['/', '\\']).next().unwrap_or_default();
        let name = name.to_ascii_lowercase();
        let name = name.strip_suffix(".exe").unwrap_or(&name);
        name.ends_with("sh") || name.ends_with("shell")
    }

    /// Returns true for an option whose value, the next word, is code.
    fn takes_code(&self) -> bool {
        matches!(self.pieces.as_slice(), [Piece::Text(text)] if is_for_code(text))
    }

    /// Returns true if a value is a part of the code of an option: `--command={{name}}`.
    fn has_code_in_an_option(&self) -> bool {
        let Some(Piece::Text(text)) = self.pieces.first() else {
            return false;
        };
        self.has_argument()
            && text
                .split_once('=')
                .is_some_and(|(option, _)| is_for_code(option))
    }

    /// Its text; nothing where arguments are missing and there is nothing else.
    fn filled(&self, arguments: &Map<String, Value>) -> Option<String> {
        let mut text = self.is_quoted.then(String::new);
        for piece in &self.pieces {
            match piece {
                Piece::Text(own) => text.get_or_insert_default().push_str(own),
                Piece::Argument(name) => match arguments.get(name) {
                    None | Some(Value::Null) => {}
                    Some(Value::String(given)) => text.get_or_insert_default().push_str(given),
                    Some(given) => text.get_or_insert_default().push_str(&given.to_string()),
                },
            }
        }
        text
    }
}

/// Returns true for an option whose value is code or a command: `-c`, `-lc`, `/c`, `-Command`, `-exec`.
fn is_for_code(option: &str) -> bool {
    let name = option.trim_start_matches(['-', '/']).to_ascii_lowercase();
    let is_option =
        name.len() < option.len() && name.bytes().all(|byte| byte.is_ascii_alphabetic());
    is_option && (name.len() <= 4 && name.ends_with('c') || name.starts_with("com"))
}

fn run(words: Vec<String>) -> Result<Outcome, ToolError> {
    let mut words = words.into_iter();
    let mut command = Command::new(words.next().unwrap_or_default());
    let output = command.args(words).output().map_err(|error| {
        ToolError::failed("the command could not be started").with_source(error)
    })?;
    if output.status.success() {
        return Ok(Outcome::Value(Payload::from_bytes(output.stdout)));
    }
    let said = String::from_utf8_lossy(&output.stderr).trim().to_owned();
    Err(ToolError::failed(format!("{}: {said}", output.status)))
}

#[allow(dead_code)]
fn main() -> io::Result<()> {
    let folder = std::env::args().nth(1).unwrap_or_else(|| ".".into());
    let (tools, skipped) = load_all(Path::new(&folder))?;
    for def in tools.definitions() {
        println!("{}: {}", def.name, Printable::new(&def.description));
    }
    for why in skipped {
        eprintln!("skipped {}", Printable::new(&why));
    }
    Ok(())
}
