//! What `#[derive(Schema)]` says about mistakes: each is one error.
// A test that finds less than it expects has failed.
#![allow(clippy::unwrap_used)]

// Some cases are about types that only have schemars' trait.
#[cfg(feature = "schemars")]
#[test]
fn one_error_for_each_mistake() {
    let cases = trybuild::TestCases::new();
    for group in ["bounds", "options", "serde", "types"] {
        cases.compile_fail(format!("tests/ui/schema_{group}/*.rs"));
    }
    cases.pass("tests/ui/schema_pass/*.rs");
}

#[test]
fn no_error_has_an_echo() {
    let ui = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/ui");
    let mut seen = 0;
    for group in std::fs::read_dir(ui).unwrap().map(Result::unwrap) {
        if !group.file_name().to_string_lossy().starts_with("schema_") {
            continue;
        }
        for case in std::fs::read_dir(group.path()).unwrap().map(Result::unwrap) {
            let path = case.path();
            if path
                .extension()
                .is_some_and(|extension| extension == "stderr")
            {
                let text = std::fs::read_to_string(&path).unwrap();
                let errors = text
                    .lines()
                    .filter(|line| line.starts_with("error"))
                    .count();
                assert_eq!(errors, 1, "{}", path.display());
                seen += 1;
            }
        }
    }
    assert!(seen >= 30, "{seen}");
}
