//! The pages name the versions that are compared, and show every output.

use std::fs;
use std::path::Path;

/// Each page, with the package that it names and the file that pins its version.
const PAGES: [(&str, &str, &str); 7] = [
    ("by-hand.md", "schemars", "Cargo.lock"),
    (
        "fastmcp.md",
        "fastmcp",
        "tests/outside/requirements_migrations.txt",
    ),
    ("llm-tool.md", "llm-tool", "Cargo.lock"),
    (
        "pydantic-ai.md",
        "pydantic-ai-slim",
        "tests/outside/requirements_migrations.txt",
    ),
    ("rig.md", "rig-core", "Cargo.lock"),
    ("rmcp.md", "rmcp", "Cargo.lock"),
    ("swiftide.md", "swiftide", "Cargo.lock"),
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
        let locked = lock
            .split(&lines)
            .skip(1)
            .map(|rest| rest.split('"').next());
        let required = lock
            .lines()
            .map(|line| line.strip_prefix(&format!("{package}==")));
        // Of two versions in the lock file, one is this page's.
        let versions: Vec<_> = locked.chain(required).flatten().collect();
        let text = page(name).split_whitespace().collect::<Vec<_>>().join(" ");
        let is_shown =
            |version: &&str| text.contains(&format!("Compared with `{package}` {version}"));
        assert!(
            versions.iter().any(is_shown),
            "{name}: {package} {versions:?}"
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
