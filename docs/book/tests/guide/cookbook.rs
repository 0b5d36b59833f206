//! The page `cookbook.md`: each example prints what stands at its end.

use std::fs;
use std::path::{Path, PathBuf};

use crate::output;

/// Each example as a module, with a test that runs it.
macro_rules! examples {
    ($($name:ident)*) => {
        $(mod $name {
            include!(concat!(env!("CARGO_MANIFEST_DIR"), "/../../examples/cookbook/", stringify!($name), ".rs"));

            #[test]
            fn prints_what_it_says() {
                super::prints_what_it_says(stringify!($name), || { let _ = main(); });
            }
        })*

        const NAMES: &[&str] = &[$(stringify!($name)),*];
    };
}

examples! {
    agent_budget
    agent_restart
    ask_before_paying
    ask_user
    axum_server
    background_job
    blocking_function
    cache_answers
    call_by_name
    cancel_batch
    combine_toolsets
    cut_answers
    database
    exclusive_tools
    hand_over
    hide_tool
    limit_time
    log_calls
    mcp_server
    mcp_tools
    method_tools
    output_schema
    rename_tool
    report_progress
    retry_service
    return_error
    return_image
    secret_argument
    stream_result
    streamed_response
    strict_mode
    test_agent
    test_tool
    tool_from_schema
    two_providers
    typed_answer
    validate_fields
}

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/cookbook")
}

#[track_caller]
fn prints_what_it_says(name: &str, program: impl FnOnce()) {
    let source = fs::read_to_string(folder().join(name).with_extension("rs")).unwrap();
    let (_, said) = source
        .split_once("\n// Prints:\n")
        .expect("the example says what it prints");
    let said: Vec<_> = said
        .lines()
        .map(|line| line.trim_start_matches("//").trim())
        .collect();
    let printed = output::of(program);
    let printed: Vec<_> = printed.lines().map(str::trim).collect();
    assert_eq!(printed, said, "{name}");
}

#[test]
fn each_example_is_run_declared_and_shown() {
    let manifest = fs::read_to_string(folder().join("Cargo.toml")).unwrap();
    let page = Path::new(env!("CARGO_MANIFEST_DIR")).join("pages/cookbook.md");
    let page = fs::read_to_string(page).unwrap();
    let mut files = 0;
    for entry in fs::read_dir(folder()).unwrap() {
        let path = entry.unwrap().path();
        if path.extension().is_none_or(|it| it != "rs") {
            continue;
        }
        let name = path.file_stem().unwrap().to_str().unwrap();
        files += 1;
        assert!(NAMES.contains(&name), "{name} is not run");
        assert!(
            manifest.contains(&format!("name = \"{name}\"\npath = \"{name}.rs\"")),
            "{name} is not in Cargo.toml"
        );
        assert!(
            page.contains(&format!(
                "{{{{#include ../../../examples/cookbook/{name}.rs}}}}"
            )),
            "{name} is not on the page"
        );
        let source = fs::read_to_string(&path).unwrap();
        let question = source.lines().next().unwrap().trim_start_matches("// ");
        assert!(
            question.ends_with('?') && page.contains(question),
            "{name}: the page asks `{question}`"
        );
    }
    assert_eq!(files, NAMES.len());
}
