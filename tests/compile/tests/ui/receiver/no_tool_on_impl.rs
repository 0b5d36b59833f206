use toolwright::tool;

struct Crm;

impl Crm {
    /// Count the customers.
    #[tool]
    fn count(&self) -> u32 {
        3
    }
}

fn main() {}
