//! The table of what a call costs.
//!
//! `calls [ROUNDS]` prints it, `calls --list` the rows' names; `calls --only ROW --times N` does
//! the work of one row so many times, for a profiler.

use std::collections::HashMap;
use std::env;
use std::process::{Command, ExitCode};
use std::time::{Duration, Instant};

use toolwright_benches::{Group, Row, groups};

const ROUNDS: u32 = 2000;

/// So long is a row timed in one round: long beside the clock, and short beside what disturbs it.
const ROUND: Duration = Duration::from_micros(100);

fn main() -> ExitCode {
    let args: Vec<String> = env::args().skip(1).collect();
    let args: Vec<&str> = args.iter().map(String::as_str).collect();
    match *args {
        [] => table(ROUNDS),
        ["--list"] => {
            for row in groups().iter().flat_map(|group| &group.0) {
                println!("{}", row.name);
            }
        }
        ["--only", name, "--times", times] => {
            let groups = groups();
            let mut rows = groups.iter().flat_map(|group| &group.0);
            let (Some(row), Ok(times)) = (rows.find(|row| row.name == name), times.parse()) else {
                return usage();
            };
            repeat(row, times);
        }
        [rounds] => match rounds.parse() {
            Ok(rounds) => table(rounds),
            Err(_) => return usage(),
        },
        _ => return usage(),
    }
    ExitCode::SUCCESS
}

fn usage() -> ExitCode {
    eprintln!("calls [ROUNDS] | calls --list | calls --only ROW --times N");
    ExitCode::FAILURE
}

fn table(rounds: u32) {
    let allocations = allocations();
    println!(
        "{:<34} {:>9} {:>7} {:>9} {:>7} {:>7} {:>6}",
        "", "ns", "allocs", "bytes", "/HAND", "/OWNED", "target"
    );
    for group in groups() {
        let times = shortest(&group, rounds);
        let reference = |at: usize| times.get(at).copied().unwrap_or(f64::NAN);
        for (row, time) in group.0.iter().zip(&times) {
            let (count, bytes) = match allocations.get(&row.name) {
                Some((count, bytes)) => (count.as_str(), bytes.as_str()),
                None => ("-", "-"),
            };
            let (by_hand, by_owned) = (time / reference(0), time / reference(1));
            let target = match row.target {
                Some(target) if by_hand <= target => format!("{target}"),
                Some(target) => format!("{target} !"),
                None => String::new(),
            };
            println!(
                "{:<34} {time:>9.1} {count:>7} {bytes:>9} {by_hand:>7.2} {by_owned:>7.2} {target:>6}",
                row.name
            );
        }
        println!();
    }
}

/// The shortest time of each row, in nanoseconds. The rows take turns in every round, so that what
/// disturbs one disturbs all.
fn shortest(group: &Group, rounds: u32) -> Vec<f64> {
    let times: Vec<u32> = group.0.iter().map(times).collect();
    let mut best = vec![f64::INFINITY; group.0.len()];
    for _ in 0..rounds {
        for ((row, &times), best) in group.0.iter().zip(&times).zip(&mut best) {
            let start = Instant::now();
            repeat(row, times);
            *best = best.min(start.elapsed().as_secs_f64() * 1e9 / f64::from(times));
        }
    }
    best
}

/// How often a row's work is done in a round.
fn times(row: &Row) -> u32 {
    let mut times = 1;
    loop {
        let start = Instant::now();
        repeat(row, times);
        if start.elapsed() >= ROUND {
            return times;
        }
        times *= 2;
    }
}

fn repeat(row: &Row, times: u32) {
    for _ in 0..times {
        (row.run)();
    }
}

/// What the program beside this one counted, by the rows' names.
fn allocations() -> HashMap<String, (String, String)> {
    let counted = env::current_exe()
        .and_then(|program| Command::new(program.with_file_name("allocations")).output());
    let Ok(counted) = counted else {
        eprintln!("no program `allocations` beside this one: nothing is counted");
        return HashMap::new();
    };
    let counted = String::from_utf8_lossy(&counted.stdout).into_owned();
    let rows = counted.lines().filter_map(|line| {
        let mut words = line.split(' ').map(str::to_owned);
        Some((words.next()?, (words.next()?, words.next()?)))
    });
    rows.collect()
}
