//! What every measured program does: a table of its own, one row for a profiler, or one group at a time for the program
//! that puts all of them side by side.

use std::collections::HashMap;
use std::env;
use std::io::{self, BufRead, Write};
use std::process::{Command, ExitCode};
use std::time::Duration;

use crate::row::{Group, Row, Work};

const USAGE: &str = "[MILLISECONDS] [GROUP…] | --list | --only ROW --times N | --serve";

/// Some of the groups, made when they are asked for.
pub type Part = fn() -> Vec<Group>;

/// The table of all parts' groups, or what the arguments say:
///
/// - `MILLISECONDS GROUP…`: so long a group, 400 if nothing is said; these groups, or all.
/// - `--list`: the rows, a line each: name, target or `-`, bytes or `-`.
/// - `--only ROW --times N`: the work of one row so many times.
/// - `--serve`: for each line `GROUP MILLISECONDS` of the input a line a row, `ROW NANOSECONDS`, and an empty line.
pub fn main(parts: &[Part]) -> ExitCode {
    let args: Vec<String> = env::args().skip(1).collect();
    let args: Vec<&str> = args.iter().map(String::as_str).collect();
    let all = || -> Vec<Group> { parts.iter().flat_map(|part| part()).collect() };
    let done = match *args {
        ["--list"] => {
            list(&all());
            true
        }
        ["--only", name, "--times", times] => {
            times.parse().is_ok_and(|times| only(parts, name, times))
        }
        ["--serve"] => serve(&all()),
        [] => table(&all(), 400, &[]),
        [first, ref names @ ..] => match first.parse() {
            Ok(span) => table(&all(), span, names),
            Err(_) => table(&all(), 400, &args),
        },
    };
    if done {
        return ExitCode::SUCCESS;
    }
    eprintln!("{USAGE}");
    ExitCode::FAILURE
}

fn list(groups: &[Group]) {
    let text = |number: Option<String>| number.unwrap_or_else(|| "-".to_owned());
    for row in groups.iter().flat_map(|group| &group.0) {
        let (target, bytes) = (
            row.target.map(|target| target.to_string()),
            row.bytes.map(|bytes| bytes.to_string()),
        );
        println!("{} {} {}", row.name, text(target), text(bytes));
    }
}

/// Makes no more parts than it needs: a profiler sees little beside the row's work.
fn only(parts: &[Part], name: &str, times: u32) -> bool {
    parts.iter().any(|part| {
        let groups = part();
        let mut rows = groups.iter().flat_map(|group| &group.0);
        let row = rows.find(|row| row.name == name);
        // What is made once and kept is made before.
        row.map(|row| (row.time(1), again(row, times))).is_some()
    })
}

/// What `benches/instructions.sh` counts.
#[inline(never)]
fn again(row: &Row, times: u32) -> Duration {
    row.time(times)
}

fn serve(groups: &[Group]) -> bool {
    let mut out = io::stdout().lock();
    for line in io::stdin().lock().lines().map_while(Result::ok) {
        let Some((name, span)) = line.split_once(' ') else {
            return false;
        };
        let Ok(span) = span.parse().map(Duration::from_millis) else {
            return false;
        };
        if let Some(group) = groups.iter().find(|group| group.name() == name) {
            for (row, time) in group.0.iter().zip(group.shortest(span)) {
                let _ = writeln!(out, "{} {time}", row.name);
            }
        }
        let _ = writeln!(out).and_then(|()| out.flush());
    }
    true
}

fn table(groups: &[Group], span: u64, names: &[&str]) -> bool {
    let allocations = allocations();
    println!(
        "{:<34} {:>11} {:>8} {:>10} {:>7} {:>7} {:>6}",
        "", "ns", "allocs", "bytes", "/first", "/second", "target"
    );
    for group in groups {
        if !names.is_empty() && !names.iter().any(|name| group.name().starts_with(name)) {
            continue;
        }
        let times = group.shortest(Duration::from_millis(span));
        let reference = |at: usize| times.get(at).copied().unwrap_or(f64::NAN);
        for (row, time) in group.0.iter().zip(&times) {
            let (count, bytes) = match allocations.get(&row.name) {
                Some((count, bytes)) => (count.as_str(), bytes.as_str()),
                None => ("-", "-"),
            };
            let (by_first, by_second) = (time / reference(0), time / reference(1));
            let target = match row.target {
                Some(target) if by_first <= target => format!("{target}"),
                Some(target) => format!("{target} !"),
                None => String::new(),
            };
            println!(
                "{:<34} {time:>11.1} {count:>8} {bytes:>10} {by_first:>7.2} {by_second:>7.2} {target:>6}",
                row.name
            );
        }
        println!();
    }
    true
}

/// What the program beside this one counted, by the rows' names.
fn allocations() -> HashMap<String, (String, String)> {
    let counted = env::current_exe().and_then(|program| {
        let name = program.file_stem().unwrap_or_default().to_string_lossy();
        Command::new(program.with_file_name(format!("{name}-allocations"))).output()
    });
    let Ok(counted) = counted else {
        eprintln!("no program `…-allocations` beside this one: nothing is counted");
        return HashMap::new();
    };
    let counted = String::from_utf8_lossy(&counted.stdout).into_owned();
    let rows = counted.lines().filter_map(|line| {
        let mut words = line.split(' ').map(str::to_owned);
        Some((words.next()?, (words.next()?, words.next()?)))
    });
    rows.collect()
}

/// How many allocations each row makes, and of how many bytes: a line a row.
///
/// In a program of its own, so that what counts slows nothing that is timed. An allocation that grows counts once more.
/// Rows that spread over threads are left out.
pub fn count(parts: &[Part], measure: fn(&mut dyn FnMut()) -> (u64, u64)) {
    let groups = parts.iter().flat_map(|part| part()).collect::<Vec<_>>();
    for row in groups.iter().flat_map(|group| &group.0) {
        if row.name.starts_with("parallel") {
            continue;
        }
        // What is made once and kept is made before.
        row.time(1);
        let (count, bytes) = match &*row.work {
            Work::Again(run) => measure(&mut || run()),
            Work::Fresh(make) => {
                let (mut run, mut kept) = (Some(make()), None);
                let counted = measure(&mut || kept = run.take().map(|run| run()));
                drop(kept);
                counted
            }
        };
        println!("{} {count} {bytes}", row.name);
    }
}
