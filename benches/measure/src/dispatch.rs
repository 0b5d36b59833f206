//! Rows of calls of a trivial tool among many.

use std::cell::Cell;
use std::hint::black_box;
use std::rc::Rc;

use crate::row::{Group, Row};

/// How many tools there are.
pub fn sizes() -> [usize; 3] {
    [10, 1_000, 100_000]
}

/// The arguments of a tool that takes none.
pub const NOTHING: &str = "{}";

/// A call of one tool, ready to be made again and again. What it is given gets the answer's text.
pub type Ready = Box<dyn Fn(fn(&str))>;

/// Rows of a call of one among `n` tools, each in a set of its own that `make` makes out of the names. The calls go to 64
/// of them in turn, spread over the set: `call` makes one ready by the tool's name. All answer `7`.
pub fn dispatch<S: 'static>(
    row: &str,
    make: impl Fn(&[&'static str]) -> S + 'static,
    call: impl Fn(&Rc<S>, &'static str) -> Ready + 'static,
) -> Vec<Group> {
    let (make, call) = (Rc::new(make), Rc::new(call));
    let groups = sizes().into_iter().map(|size| {
        let (make, call) = (Rc::clone(&make), Rc::clone(&call));
        let run = move || among(size, &*make, &*call);
        Group(vec![Row::made(format!("dispatch-{size}/{row}"), run)])
    });
    groups.collect()
}

fn among<S>(
    size: usize,
    make: impl Fn(&[&'static str]) -> S,
    call: impl Fn(&Rc<S>, &'static str) -> Ready,
) -> Box<dyn Fn()> {
    // They live as long as the program.
    let names: Vec<&'static str> = (0..size)
        .map(|at| &*format!("tool_number_{at}").leak())
        .collect();
    let set = Rc::new(make(&names));
    let calls: Vec<Ready> = (0..64)
        .map(|at| call(&set, names[at * 7919 % size]))
        .collect();
    for call in &calls {
        call(|answer| assert_eq!(answer, "7"));
    }
    let at = Cell::new(0);
    Box::new(move || {
        at.set((at.get() + 1) % calls.len());
        calls[at.get()](|answer| {
            black_box(answer);
        });
    })
}
