use toolwright::tool;

trait Count {
    /// Count the customers.
    #[tool]
    fn count(&self) -> u32 {
        3
    }
}

fn main() {}
