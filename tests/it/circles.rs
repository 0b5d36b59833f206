//! Circles of files: files of a crate that reach each other by paths from `crate`, `super` and `self`. A re-export leads to
//! the file of its item. The test prints the biggest circle of each crate (`--nocapture`).
// A test that finds less than it expects has failed.
#![allow(clippy::unwrap_used, clippy::indexing_slicing)]

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

use crate::rooms::files;

/// Each crate with the number of files in its biggest circle. The numbers only fall.
const BIGGEST: [(&str, usize); 4] = [
    ("macros", 4),
    ("schema", 16),
    ("provider", 6),
    ("runtime", 6),
];

#[test]
fn circles_of_files_do_not_grow() {
    for (package, most) in BIGGEST {
        let circle = biggest_circle(package);
        println!("{package} {}: {}", circle.len(), circle.join(", "));
        assert_eq!(
            circle.len(),
            most,
            "{package}: if it fell, lower the number"
        );
    }
}

/// The paths in a file, and its re-exports by their names.
struct Uses {
    imports: Vec<Vec<String>>,
    exports: BTreeMap<String, Vec<String>>,
}

fn biggest_circle(package: &str) -> Vec<String> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("tool-{package}/src"));
    let mut modules = BTreeMap::new();
    for file in files(&root) {
        let name = file.strip_prefix(&root).unwrap().to_str().unwrap();
        let name = name.trim_end_matches(".rs").replace(['\\', '/'], "::");
        let name = name.trim_end_matches("::mod").to_owned();
        if name != "lib" && !name.ends_with("tests") && name != "snapshots" {
            let text = fs::read_to_string(&file).unwrap();
            modules.insert(name.clone(), uses(&name, &text));
        }
    }
    let near: BTreeMap<&str, BTreeSet<&str>> = modules
        .iter()
        .map(|(name, uses)| {
            let owners = uses.imports.iter().filter_map(|path| owner(&modules, path));
            (name.as_str(), owners.collect())
        })
        .collect();
    let reached: BTreeMap<&str, BTreeSet<&str>> = near
        .keys()
        .map(|from| {
            let (mut seen, mut open) = (BTreeSet::new(), vec![*from]);
            while let Some(at) = open.pop() {
                open.extend(near[at].iter().copied().filter(|next| seen.insert(*next)));
            }
            (*from, seen)
        })
        .collect();
    let circle = |from: &str| {
        let back = |to: &&&str| reached[**to].contains(from);
        let both = reached[from].iter().filter(back);
        both.map(|to| (*to).to_owned()).collect::<Vec<_>>()
    };
    let circles = near.keys().map(|from| circle(from));
    circles.max_by_key(Vec::len).unwrap()
}

/// The module whose file has the item of a path.
fn owner<'m>(modules: &'m BTreeMap<String, Uses>, path: &[String]) -> Option<&'m str> {
    let (len, (name, uses)) = (1..=path.len()).rev().find_map(|len| {
        let module = modules.get_key_value(&path[..len].join("::"))?;
        Some((len, module))
    })?;
    let exported = path.get(len).and_then(|item| uses.exports.get(item));
    match exported {
        Some(target) if target != path => {
            owner(modules, &[target.as_slice(), &path[len + 1..]].concat())
        }
        _ => Some(name),
    }
}

fn uses(module: &str, text: &str) -> Uses {
    let code = text.split("mod tests {").next().unwrap();
    let code: String = code
        .lines()
        .filter(|line| !line.trim_start().starts_with("//"))
        .flat_map(|line| [line, "\n"])
        .collect();
    let mut found = Uses {
        imports: Vec::new(),
        exports: BTreeMap::new(),
    };
    let is_word = |c: char| c.is_alphanumeric() || c == '_' || c == ':';
    let mut at = 0;
    while let Some(start) = ["crate::", "super::", "self::"]
        .iter()
        .filter_map(|root| code[at..].find(root))
        .min()
    {
        at += start;
        let before = &code[..at];
        let is_start = !before.ends_with(is_word) && !before.ends_with("pub(in ");
        let line = before.rsplit('\n').next().unwrap().trim_start();
        let is_export = line.starts_with("pub") && line.ends_with("use ");
        let mut paths = Vec::new();
        at += tree(&code[at..], "", &mut paths).max(1);
        for (path, name) in paths.into_iter().filter(|_| is_start) {
            let path = absolute(module, &path);
            if is_export {
                found.exports.insert(name, path);
            } else {
                found.imports.push(path);
            }
        }
    }
    found
}

/// Reads a path, also with braces; returns its length. A path has the name that it brings.
fn tree(code: &str, before: &str, paths: &mut Vec<(String, String)>) -> usize {
    let is_word = |c: char| c.is_alphanumeric() || c == '_' || c == ':';
    let len = code.find(|c| !is_word(c)).unwrap_or(code.len());
    let path = format!("{before}{}", &code[..len]);
    if !code[len..].starts_with('{') || !path.ends_with("::") {
        let alias = code[len..]
            .strip_prefix(" as ")
            .and_then(|rest| rest.split([',', ';', '}']).next());
        let path = path.trim_end_matches("::self").to_owned();
        let name = alias.map_or_else(
            || path.rsplit("::").next().unwrap().to_owned(),
            str::to_owned,
        );
        paths.push((path, name));
        return len + alias.map_or(0, |alias| alias.len() + 4);
    }
    let mut at = len + 1;
    loop {
        at += code[at..]
            .find(|c: char| !c.is_whitespace() && c != ',')
            .unwrap();
        if code[at..].starts_with('}') {
            return at + 1;
        }
        at += tree(&code[at..], &path, paths).max(1);
    }
}

fn absolute(module: &str, path: &str) -> Vec<String> {
    let mut base: Vec<String> = module.split("::").map(str::to_owned).collect();
    let mut rest = path.split("::").peekable();
    match rest.next() {
        Some("crate") => base.clear(),
        Some("super") => _ = base.pop(),
        _ => {}
    }
    while rest.next_if_eq(&"super").is_some() {
        base.pop();
    }
    base.extend(rest.map(str::to_owned));
    base
}
