use toolwright::tool;

struct Crm;

#[tool]
impl Crm {
    /// Count the customers.
    #[tool(read_only)]
    #[tool(idempotent)]
    fn count(&self) -> u32 {
        3
    }
}

fn main() {}
