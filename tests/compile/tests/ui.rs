//! What is refused, and in which words.
//!
//! Bless the golden texts with `TRYBUILD=overwrite cargo test -p toolwright-compile-tests`, then read them as a user.

use std::fs;
use std::path::{Path, PathBuf};

/// Where there are two errors: cases, each with the reason.
const TWO_ERRORS: [&str; 3] = [
    // The enum names the tool's struct, and its toolset lists it.
    "tests/ui/calls/no_tool.stderr",
    // The import and the tool's struct collide, and the module is then found in place of the struct.
    "tests/ui/handle/module_beside.stderr",
    // Two mistakes: there is no third error about two tools of one name.
    "tests/ui/list/rejected_tools.stderr",
];

/// What does not compile: one mistake a file, in a directory named after its kind.
#[test]
fn rejected() {
    lay_locks();
    let cases = trybuild::TestCases::new();
    for kind in kinds() {
        cases.compile_fail(kind.join("*.rs"));
    }
}

#[test]
fn one_mistake_is_one_error() {
    let texts: Vec<_> = kinds()
        .iter()
        .flat_map(|kind| entries(kind))
        .filter(|path| {
            path.extension()
                .is_some_and(|extension| extension == "stderr")
        })
        .collect();
    assert!(texts.len() >= 35, "only {} cases", texts.len());
    for path in texts {
        let text = fs::read_to_string(&path).unwrap();
        let errors = text
            .lines()
            .filter(|line| line.starts_with("error"))
            .count();
        let are_two = TWO_ERRORS.iter().any(|two| path == Path::new(two));
        assert_eq!(errors, 1 + usize::from(are_two), "{}", path.display());
    }
}

/// Our own errors: a headline that fits on a line, and an edit to make.
#[test]
fn an_error_says_what_to_do() {
    for path in kinds().iter().flat_map(|kind| entries(kind)) {
        let text = fs::read_to_string(&path).unwrap();
        let mut lines = text.lines();
        let Some(headline) = lines.next().and_then(|line| line.strip_prefix("error: ")) else {
            continue;
        };
        let help = lines.next().unwrap_or_default();
        if !help.starts_with("       help: ") {
            continue;
        }
        let at = path.display();
        // What it quotes is as long as the user made it.
        let own = headline.split('`').step_by(2).map(str::len).sum::<usize>();
        assert!(own <= 90, "{at}: {headline}");
        assert!(!headline.ends_with('.') && !help.ends_with('.'), "{at}");
        assert!(
            !headline.starts_with(char::is_uppercase),
            "{at}: {headline}"
        );
    }
}

/// Puts the lock files into the package that trybuild makes of the programs: a lock is named from there.
fn lay_locks() {
    let target = Path::new(env!("CARGO_TARGET_TMPDIR")).parent().unwrap();
    let package = target.join("tests/trybuild").join(env!("CARGO_PKG_NAME"));
    let locks = package.join("locks");
    fs::create_dir_all(&locks).unwrap();
    for file in entries(Path::new("tests/locks")) {
        let text = fs::read(&file).unwrap();
        let to = locks.join(file.file_name().unwrap());
        // A file that is written anew is compiled anew.
        if fs::read(&to).ok().as_ref() != Some(&text) {
            fs::write(to, text).unwrap();
        }
    }
}

/// The directories of refused programs.
fn kinds() -> Vec<PathBuf> {
    entries(Path::new("tests/ui"))
}

fn entries(dir: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(dir).unwrap();
    let mut paths: Vec<_> = entries.map(|entry| entry.unwrap().path()).collect();
    paths.sort();
    paths
}
