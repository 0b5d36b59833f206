//! The runtime's modules import in one direction. The order is that of `ARCHITECTURE.md`.
// A test that finds less than it expects has failed.
#![allow(clippy::unwrap_used, clippy::indexing_slicing)]

use std::fs;
use std::path::{Path, PathBuf};

/// The rooms of `tool-runtime/src`. Each imports only from those before it.
const ROOMS: [&str; 17] = [
    "sync",
    "text",
    "panics",
    "schema::format",
    "schema::shape",
    "schema::read",
    "schema::decode",
    "schema::render",
    "tool",
    "provider::dialect",
    "provider::wire",
    "toolset",
    "dyn_tool",
    "executor",
    "layers",
    "__private",
    "testing",
];

#[test]
fn rooms_import_only_from_rooms_before_them() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("tool-runtime/src");
    let mut wrong = Vec::new();
    let mut arrows = 0;
    for file in files(&root) {
        let name = file.strip_prefix(&root).unwrap().to_str().unwrap();
        let name = name.replace('\\', "/");
        if name == "lib.rs" {
            continue;
        }
        let module = name.trim_end_matches(".rs").replace('/', "::");
        let Some(own) = room(&module) else {
            // What only holds rooms.
            assert!(
                ["schema::mod", "provider::mod"].contains(&&*module),
                "{name} is in no room"
            );
            continue;
        };
        let text = fs::read_to_string(&file).unwrap();
        let code = text.lines().filter(|line| {
            let line = line.trim_start();
            !line.starts_with("//") && !line.contains("doc = ")
        });
        let code: String = code.flat_map(|line| [line, "\n"]).collect();
        let inside = module[ROOMS[own].len()..].matches("::").count();
        if code.contains(&format!("\nuse {}", "super::".repeat(inside + 1))) {
            wrong.push(format!("{name} leaves its room by `super`"));
        }
        for path in code.split("crate::").skip(1) {
            let end = path.find(|c: char| !c.is_alphanumeric() && c != '_' && c != ':');
            let path = &path[..end.unwrap_or(path.len())];
            if path.starts_with(char::is_uppercase) {
                wrong.push(format!(
                    "{name} names `crate::{path}` and not where it lives"
                ));
            }
            let Some(other) = room(path) else { continue };
            arrows += 1;
            if other <= own {
                continue;
            }
            wrong.push(format!(
                "{name}: `{}` imports from `{}`",
                ROOMS[own], ROOMS[other]
            ));
        }
    }
    assert!(arrows > 300, "only {arrows} imports were found");
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// The place in the order of the room that a module or a path lies in.
fn room(path: &str) -> Option<usize> {
    ROOMS.iter().position(|room| {
        let rest = path.strip_prefix(room);
        rest.is_some_and(|rest| rest.is_empty() || rest.starts_with("::"))
    })
}

fn files(folder: &Path) -> Vec<PathBuf> {
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
