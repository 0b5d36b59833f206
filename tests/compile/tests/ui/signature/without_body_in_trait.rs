use toolwright::tool;

trait Count {
    /// Count the customers.
    #[tool]
    fn count(&self) -> u32;
}

fn main() {}
