use std::cell::Cell;
use toolwright::{tool, tools};

struct Store<T>(T);

#[tool]
impl<T> Store<T> {
    /// Count the values.
    #[tool]
    fn count(&self) {}
}

fn main() {
    tools![..Store(Cell::new(3)): Store<Cell<u32>>];
}
