//! The pages name the versions that are compared, and show every output.

use std::fs;
use std::path::Path;

/// Each page, with the package that it names and the file that pins its version.
const PAGES: [(&str, &str, &str); 7] = [
    ("by-hand.md", "schemars", "docs/migrations/Cargo.lock"),
    (
        "fastmcp.md",
        "fastmcp",
        "tests/outside/requirements_migrations.txt",
    ),
    ("llm-tool.md", "llm-tool", "docs/migrations/Cargo.lock"),
    (
        "pydantic-ai.md",
        "pydantic-ai-slim",
        "tests/outside/requirements_migrations.txt",
    ),
    ("rig.md", "rig-core", "docs/migrations/Cargo.lock"),
    ("rmcp.md", "rmcp", "docs/migrations/Cargo.lock"),
    ("swiftide.md", "swiftide", "docs/migrations/Cargo.lock"),
];

fn read(file: &str) -> String {
    fs::read_to_string(
        Path::new(env!("CARGO_MANIFEST_DIR"))
            .join("../..")
            .join(file),
    )
    .unwrap()
}

fn page(name: &str) -> String {
    read(&format!("docs/book/pages/migrate/{name}"))
}

#[test]
fn versions_are_those_that_are_compared() {
    for (name, package, file) in PAGES {
        let (lock, lines) = (read(file), format!("name = \"{package}\"\nversion = \""));
        let pinned = match lock.split_once(&lines) {
            Some((_, rest)) => rest.split('"').next(),
            None => lock
                .lines()
                .find_map(|line| line.strip_prefix(&format!("{package}=="))),
        };
        let words = format!("`{package}` {}", pinned.unwrap());
        let text = page(name).split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(
            text.contains(&format!("Compared with {words}")),
            "{name}: {words}"
        );
    }
}

#[test]
fn every_output_is_shown() {
    let all: String = PAGES.iter().map(|(name, ..)| page(name)).collect();
    let all = all + &page("index.md");
    let outputs = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/it/outputs");
    let mut seen = 0;
    for entry in fs::read_dir(outputs).unwrap() {
        let name = entry.unwrap().file_name().into_string().unwrap();
        assert!(all.contains(&format!("/outputs/{name}}}}}")), "{name}");
        seen += 1;
    }
    assert_eq!(seen, 20);
}
