//! What is refused, and in which words.
//!
//! Bless the golden texts with `GOLDEN=overwrite cargo test -p toolwright-compile-tests --test ui`, then read them as a user.

#[path = "rejected/compiler.rs"]
mod compiler;

use std::fs;
use std::path::{Path, PathBuf};

use compiler::Compiler;

/// Where there are two errors: cases, each with the reason.
const TWO_ERRORS: [&str; 3] = [
    // An import is ambiguous where a macro made both items, and a function and its struct are two names. A path to a type
    // is not ambiguous, but there a function without `#[tool]` would be "not a type".
    "tests/ui/handle/local_of_same_name.stderr",
    // The import and the tool's struct collide, and the module is then found in place of the struct.
    "tests/ui/handle/module_beside.stderr",
    // Two mistakes: there is no third error about two tools of one name.
    "tests/ui/list/rejected_tools.stderr",
];

/// What does not compile: one mistake a file, in a directory named after its kind.
///
/// All files are the modules of one program. The compiler stops after the phase that found errors, so the next program has
/// the files without any. A file with other errors than its golden text is compiled again, alone, and that counts.
#[test]
fn rejected() {
    let programs: Vec<_> = kinds()
        .iter()
        .flat_map(|kind| entries(kind))
        .filter(|path| path.extension().is_some_and(|extension| extension == "rs"))
        .collect();
    let compiler = Compiler::new();
    let mut pending = programs.clone();
    let mut alone = Vec::new();
    while !pending.is_empty() {
        let mut errors = compiler.errors_of_modules(&pending);
        let (found, silent): (Vec<_>, Vec<_>) = pending
            .into_iter()
            .partition(|program| errors.contains_key(program));
        alone.extend(
            found
                .iter()
                .filter(|program| errors.remove(*program) != golden(program))
                .cloned(),
        );
        if found.is_empty() {
            alone.extend(silent);
            break;
        }
        pending = silent;
    }
    let overwrite = std::env::var_os("GOLDEN").is_some_and(|value| value == "overwrite");
    let mut wrong = 0;
    for program in &alone {
        let errors = compiler.errors(program);
        if errors.is_some() && errors == golden(program) {
            continue;
        }
        match errors {
            Some(errors) if overwrite => {
                fs::write(program.with_extension("stderr"), errors).unwrap()
            }
            errors => {
                wrong += 1;
                let at = program.display();
                eprintln!(
                    "{at}\n--- expected\n{}--- found\n{}",
                    golden(program).unwrap_or_default(),
                    errors.unwrap_or_else(|| "It compiles.\n".into())
                );
            }
        }
    }
    eprintln!(
        "{} programs, {} of them compiled alone",
        programs.len(),
        alone.len()
    );
    assert_eq!(
        wrong, 0,
        "the errors of {wrong} programs changed: GOLDEN=overwrite writes those that do not compile"
    );
    assert!(programs.len() > 400);
}

fn golden(program: &Path) -> Option<String> {
    fs::read_to_string(program.with_extension("stderr")).ok()
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
