//! Modules import in one direction.
// A test that finds less than it expects has failed.
#![allow(clippy::unwrap_used, clippy::indexing_slicing)]

use std::fs;
use std::path::{Path, PathBuf};

/// The packages that a tool is made of, and the rooms of each. A room imports only from those before
/// it, in its own package or in one above it in this list.
const PACKAGES: [(&str, &[&str]); 4] = [
    (
        "macros",
        &[
            "span",
            "ctxt",
            "name",
            "cfg",
            "invisible_chars",
            "ty",
            "handle",
            "generics",
            "pattern",
            "bounds",
            "model",
            "parse",
            "check",
            "emit",
            "schema",
            "list",
            "instructions",
            "provide",
            "group",
            "item",
            "snapshots",
        ],
    ),
    (
        "schema",
        &[
            "text", "panics", "span", "format", "keyword", "shape", "read", "decode", "render",
            "derived", "tokens",
        ],
    ),
    ("provider", &["call", "dialect", "wire", "definitions"]),
    (
        "runtime",
        &[
            "sync",
            "tool",
            "toolset",
            "dyn_tool",
            "executor",
            "layers",
            "__private",
        ],
    ),
];

#[test]
fn rooms_import_only_from_rooms_before_them() {
    let mut wrong = Vec::new();
    let mut arrows = 0;
    for (package, rooms) in PACKAGES {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("tool-{package}/src"));
        for file in files(&root) {
            let name = file.strip_prefix(&root).unwrap().to_str().unwrap();
            let name = name.replace('\\', "/");
            if name == "lib.rs" {
                continue;
            }
            let module = name.trim_end_matches(".rs").replace('/', "::");
            let name = format!("tool-{package}/src/{name}");
            let Some(own) = room(rooms, &module) else {
                wrong.push(format!("{name} is in no room"));
                continue;
            };
            let text = fs::read_to_string(&file).unwrap();
            let code = text.lines().filter(|line| {
                let line = line.trim_start();
                !line.starts_with("//") && !line.contains("doc = ")
            });
            let code: String = code.flat_map(|line| [line, "\n"]).collect();
            let inside = module[rooms[own].len()..].matches("::").count();
            if code.contains(&format!("\nuse {}", "super::".repeat(inside + 1))) {
                wrong.push(format!("{name} leaves its room by `super`"));
            }
            for path in paths(&code, "crate::") {
                if path.starts_with(char::is_uppercase) {
                    wrong.push(format!(
                        "{name} names `crate::{path}` and not where it lives"
                    ));
                }
                let Some(other) = room(rooms, path) else {
                    continue;
                };
                arrows += 1;
                if other > own {
                    wrong.push(format!(
                        "{name}: `{}` imports from `{}`",
                        rooms[own], rooms[other]
                    ));
                }
            }
            // That packages have an order, cargo holds.
            for (package, rooms) in PACKAGES {
                for path in paths(&code, &format!("toolwright_{package}::")) {
                    arrows += 1;
                    if room(rooms, path).is_none() {
                        wrong.push(format!(
                            "{name} names `{package}::{path}`, which is in no room"
                        ));
                    }
                }
            }
        }
    }
    assert!(arrows > 500, "only {arrows} imports were found");
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// The paths behind a prefix, also those in braces.
fn paths<'c>(code: &'c str, prefix: &'c str) -> impl Iterator<Item = &'c str> {
    code.split(prefix).skip(1).flat_map(|path| {
        let listed = path
            .strip_prefix('{')
            .and_then(|list| list.split('}').next());
        let listed = listed.map_or_else(|| vec![path], |list| list.split(',').collect());
        listed.into_iter().map(|path| {
            let path = path.trim_start();
            let end = path.find(|c: char| !c.is_alphanumeric() && c != '_' && c != ':');
            &path[..end.unwrap_or(path.len())]
        })
    })
}

/// The place in the order of the room that a module or a path lies in.
fn room(rooms: &[&str], path: &str) -> Option<usize> {
    rooms.iter().position(|room| {
        let rest = path.strip_prefix(room);
        rest.is_some_and(|rest| rest.is_empty() || rest.starts_with("::"))
    })
}

pub(crate) fn files(folder: &Path) -> Vec<PathBuf> {
    let mut all = Vec::new();
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            all.extend(files(&path));
        } else if path.extension().is_some_and(|ext| ext == "rs") {
            all.push(path);
        }
    }
    all
}
