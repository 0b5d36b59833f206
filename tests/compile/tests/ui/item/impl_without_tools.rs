use toolwright::tool;

struct Crm;

#[tool]
impl Crm {
    /// Count the customers.
    fn count(&self) -> u32 {
        3
    }
}

fn main() {}
