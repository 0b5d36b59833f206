//! Sources of many tools of two to four arguments, written in the way of each of those that are measured.

mod style;

use std::path::Path;
use std::{env, fs, io};

pub use self::style::Style;

/// A tool to be written.
pub struct Tool {
    /// Its name.
    pub name: String,
    /// The same as the name of a type.
    pub camel: String,
    /// What it does, in a sentence.
    pub doc: String,
    /// What it takes.
    pub args: Vec<Arg>,
}

/// An argument to be written.
#[derive(Clone, Copy)]
pub struct Arg {
    /// Its name.
    pub name: &'static str,
    /// Its type.
    pub ty: &'static str,
    /// What it says.
    pub doc: &'static str,
}

const VERBS: [&str; 10] = [
    "create", "update", "find", "list", "cancel", "archive", "share", "export", "review",
    "schedule",
];

const NOUNS: [&str; 10] = [
    "invoice", "customer", "meeting", "report", "ticket", "document", "shipment", "contract",
    "campaign", "payment",
];

const fn arg(name: &'static str, ty: &'static str, doc: &'static str) -> Arg {
    Arg { name, ty, doc }
}

/// `Unit` and `Line` are types that stand beside the tools.
const MIXED: [Arg; 9] = [
    arg("name", "String", "Name, as it is printed"),
    arg("count", "i64", "How many, at most"),
    arg("urgent", "bool", "Whether it cannot wait"),
    arg("note", "Option<String>", "A word for the next reader"),
    arg("labels", "Vec<String>", "Labels, in no order"),
    arg("amount", "f64", "Amount in euros"),
    arg("limit", "Option<u32>", "Where to stop"),
    arg("unit", "Option<Unit>", "Unit of what is measured"),
    arg("line", "Line", "What it is about"),
];

const SAME: [Arg; 4] = [
    arg("name", "String", "Name, as it is printed"),
    arg("place", "String", "Where it is"),
    arg("note", "String", "A word for the next reader"),
    arg("label", "String", "Label"),
];

/// Which types the arguments have.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Types {
    /// `String` alone.
    Same,
    /// Nine types in turn, two of them of the program's own.
    Mixed,
}

/// So many tools, with two to four arguments in turn.
pub fn tools(count: usize, types: Types) -> Vec<Tool> {
    (0..count).map(|at| tool(at, types)).collect()
}

fn tool(at: usize, types: Types) -> Tool {
    let (verb, noun) = (VERBS[at / 10 % 10], NOUNS[at % 10]);
    let mut name = format!("{verb}_{noun}");
    let mut camel = format!("{}{}", capital(verb), capital(noun));
    if at >= 100 {
        let way = ["hand", "mail", "phone", "night"][at / 100 % 4];
        name = format!("{name}_by_{way}");
        camel = format!("{camel}By{}", capital(way));
    }
    let article = if noun.starts_with(['a', 'e', 'i', 'o', 'u']) {
        "an"
    } else {
        "a"
    };
    let count = 2 + at % 3;
    let args = match types {
        Types::Same => SAME[..count].to_vec(),
        Types::Mixed => (0..count)
            .map(|arg| MIXED[(at * 2 + arg * 2 + at / 10) % MIXED.len()])
            .collect(),
    };
    Tool {
        name,
        camel,
        doc: format!(
            "{} {article} {noun}, as the person in charge would.",
            capital(verb)
        ),
        args,
    }
}

fn capital(word: &str) -> String {
    let mut letters = word.chars();
    letters.next().map_or(String::new(), |first| {
        first.to_uppercase().chain(letters).collect()
    })
}

/// Writes a hundred tools to `hundred.rs` in the directory of a build script.
///
/// # Errors
/// When it cannot be written.
pub fn hundred(style: Style) -> io::Result<()> {
    println!("cargo::rerun-if-changed=build.rs");
    let directory = env::var("OUT_DIR").map_err(io::Error::other)?;
    fs::write(
        Path::new(&directory).join("hundred.rs"),
        style.module(&tools(100, Types::Mixed)),
    )
}
