use toolwright::tool;

struct Crm;

#[tool(read_only)]
impl Crm {
    /// Count the customers.
    #[tool]
    fn count(&self) -> u32 {
        3
    }
}

fn main() {}
