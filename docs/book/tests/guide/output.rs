//! What the guide's programs print, and the files that hold it.

use std::path::Path;
use std::sync::{Mutex, PoisonError};
use std::{env, fmt, fs};

static PRINTED: Mutex<String> = Mutex::new(String::new());
static RUNNING: Mutex<()> = Mutex::new(());

/// Stands in for the standard library's in the modules below, so that a program's output is seen.
macro_rules! println {
    ($($arg:tt)*) => { $crate::output::line(format_args!($($arg)*)) };
}

pub fn line(line: fmt::Arguments<'_>) {
    let mut printed = PRINTED.lock().unwrap_or_else(PoisonError::into_inner);
    printed.push_str(&line.to_string());
    printed.push('\n');
}

/// What `program` prints. One runs at a time.
pub fn of<T>(program: impl FnOnce() -> T) -> String {
    let _running = RUNNING.lock().unwrap_or_else(PoisonError::into_inner);
    take();
    program();
    take()
}

fn take() -> String {
    std::mem::take(&mut PRINTED.lock().unwrap_or_else(PoisonError::into_inner))
}

/// Compares `text` with the file of that name in `outputs/`, which a page shows.
#[track_caller]
pub fn shown(name: &str, text: &str) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("tests/guide/outputs")
        .join(name);
    let text = format!("{}\n", text.trim_end());
    if env::var_os("BLESS").is_some() {
        fs::write(&path, &text).expect("the folder is there");
    }
    let expected = fs::read_to_string(&path).unwrap_or_default();
    assert!(
        text == expected,
        "{name} shows\n{expected}and the program printed\n{text}"
    );
}

/// The same of JSON, with indentation, its keys in their order.
#[track_caller]
pub fn shown_json(name: &str, json: &str) {
    shown(name, &indented(json));
}

/// The same, with each object and list that fits on one line.
#[track_caller]
pub fn shown_schema(name: &str, json: &str) {
    let pretty = indented(json);
    let lines: Vec<&str> = pretty.lines().collect();
    shown(name, &folded(&lines).join("\n"));
}

fn indented(json: &str) -> String {
    let mut pretty = Vec::new();
    let mut reader = serde_json::Deserializer::from_str(json);
    let mut writer = serde_json::Serializer::pretty(&mut pretty);
    serde_transcode::transcode(&mut reader, &mut writer).expect("it is JSON");
    String::from_utf8(pretty).expect("JSON is text")
}

/// Joins the lines of each object and list that fits into 100 columns.
fn folded(lines: &[&str]) -> Vec<String> {
    let mut folded = Vec::new();
    let mut rest = lines;
    while let [first, after @ ..] = rest {
        rest = after;
        if !first.ends_with(['{', '[']) {
            folded.push((*first).to_owned());
            continue;
        }
        let indent = first.len() - first.trim_start().len();
        let is_end = |line: &&str| {
            line.trim_start().starts_with(['}', ']'])
                && line.len() - line.trim_start().len() == indent
        };
        let len = after.iter().position(is_end).expect("it is closed");
        let (inner, end) = (self::folded(&after[..len]), after[len]);
        rest = &after[len + 1..];
        let words: Vec<&str> = inner.iter().map(|line| line.trim()).collect();
        let line = format!("{first}{}{}", words.join(" "), end.trim());
        if line.len() <= 100 {
            folded.push(line);
        } else {
            folded.push((*first).to_owned());
            folded.extend(inner);
            folded.push(end.to_owned());
        }
    }
    folded
}
