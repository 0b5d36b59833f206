//! Rules that hold for all pages.

use std::fs;
use std::path::{Path, PathBuf};

fn pages() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("pages")
}

/// Every page but the summary, and its text.
fn texts() -> Vec<(PathBuf, String)> {
    let mut found = Vec::new();
    let mut folders = vec![pages()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|it| it == "md") && !path.ends_with("SUMMARY.md")
            {
                let text = fs::read_to_string(&path).unwrap();
                found.push((path, text));
            }
        }
    }
    assert!(found.len() > 20, "the pages are here");
    found
}

/// The blocks of code of a page: their language, and their lines.
fn blocks(text: &str) -> Vec<(&str, Vec<&str>)> {
    let mut blocks = Vec::new();
    let mut open: Option<(&str, Vec<&str>)> = None;
    for line in text.lines() {
        match (line.strip_prefix("```"), open.as_mut()) {
            (Some(language), None) => open = Some((language, Vec::new())),
            (Some(_), Some(_)) => blocks.extend(open.take()),
            (None, Some((_, lines))) => lines.push(line),
            (None, None) => {}
        }
    }
    assert!(open.is_none(), "a block has no end:\n{text}");
    blocks
}

/// The file and the anchor of a line such as `{{#include ../tests/guide/x.rs:anchor}}`.
fn included(line: &str) -> Option<(&str, Option<&str>)> {
    let inner = line
        .trim()
        .strip_prefix("{{#include ")?
        .strip_suffix("}}")?;
    Some(match inner.split_once(':') {
        Some((file, lines)) if lines.starts_with(|it: char| it.is_ascii_digit()) => (file, None),
        Some((file, anchor)) => (file, Some(anchor)),
        None => (inner, None),
    })
}

#[test]
fn code_and_outputs_are_included_from_files_that_are_tested() {
    let mut seen = 0;
    for (path, text) in texts() {
        for (language, lines) in blocks(&text) {
            let language = language.split(',').next().unwrap_or_default();
            // Commands and manifests, which no test runs.
            if ["sh", "toml", "yaml"].contains(&language) {
                continue;
            }
            let at = path.display();
            assert!(
                ["rust", "json", "text", "python"].contains(&language),
                "{at}: `{language}`"
            );
            for line in lines {
                assert!(
                    included(line).is_some(),
                    "{at}: `{line}` is not included from a file"
                );
                seen += 1;
            }
        }
    }
    assert!(seen > 40, "{seen} blocks");
}

#[test]
fn what_is_included_is_there() {
    for (path, text) in texts() {
        for line in text.lines() {
            let Some((file, anchor)) = included(line) else {
                continue;
            };
            let at = path.display();
            let file = path.parent().unwrap().join(file);
            let content = fs::read_to_string(&file);
            let content = content.unwrap_or_else(|_| panic!("{at}: {} is missing", file.display()));
            if let Some(anchor) = anchor {
                let start = format!("ANCHOR: {anchor}");
                let starts = content.lines().filter(|line| {
                    let line = line.trim_start_matches(['/', '#', '<', '!', '-', ' ']);
                    line.trim_end_matches(['-', '>', ' ']) == start
                });
                assert_eq!(
                    starts.count(),
                    1,
                    "{at}: the anchor `{anchor}` of {}",
                    file.display()
                );
                assert!(
                    content.contains(&format!("ANCHOR_END: {anchor}")),
                    "{at}: `{anchor}` has no end"
                );
            }
        }
    }
}

#[test]
fn every_output_is_shown() {
    let texts = texts();
    for entry in
        fs::read_dir(Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/guide/outputs")).unwrap()
    {
        let name = entry.unwrap().file_name().into_string().unwrap();
        let shown = texts
            .iter()
            .any(|(_, text)| text.contains(&format!("/outputs/{name}}}}}")));
        assert!(shown, "no page shows outputs/{name}");
    }
}

#[test]
fn every_page_is_in_the_summary_and_every_link_leads_to_a_page() {
    let summary = fs::read_to_string(pages().join("SUMMARY.md")).unwrap();
    for (path, text) in texts() {
        let name = path.strip_prefix(pages()).unwrap().to_str().unwrap();
        assert!(
            summary.contains(&format!("({name})")),
            "{name} is not in the summary"
        );
        for link in text
            .split("](")
            .skip(1)
            .filter_map(|rest| rest.split(')').next())
        {
            let file = link.split('#').next().unwrap_or_default();
            if file.starts_with("http") || file.is_empty() {
                continue;
            }
            let target = path.parent().unwrap().join(file);
            assert!(target.is_file(), "{name}: the link `{link}` leads nowhere");
            if let Some((_, heading)) = link.split_once('#') {
                let there = fs::read_to_string(&target).unwrap();
                let mut headings = there.lines().filter(|line| line.starts_with('#')).map(id);
                assert!(
                    headings.any(|id| id == heading),
                    "{name}: `{link}` has no such heading"
                );
            }
        }
    }
}

/// The id that mdBook gives a heading.
fn id(heading: &str) -> String {
    let words = heading.trim_start_matches('#').trim().to_lowercase();
    let kept = words
        .chars()
        .filter(|it| it.is_alphanumeric() || "-_ ".contains(*it));
    kept.map(|it| if it == ' ' { '-' } else { it }).collect()
}
