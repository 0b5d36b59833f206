use toolwright::tool;

struct Crm;

#[tool]
impl Crm {
    /// Count the customers.
    #[tool]
    fn count(&self) -> u32 {
        3
    }

    /// Count them again.
    #[tool(name = "count")]
    fn recount(&self) -> u32 {
        3
    }
}

fn main() {}
