use toolwright::tool;

struct Crm;

#[tool]
impl Crm {
    /// Count the customers.
    #[tool]
    fn count(&self) -> u32 {
        3
    }
}

#[tool]
impl Crm {
    /// Name the customers.
    #[tool]
    fn names(&self) -> [&str; 1] {
        ["Ada"]
    }
}

fn main() {}
