use toolwright::tool;

struct Crm;

#[tool]
impl Crm {
    /// Count the customers.
    #[tool(handle = Count)]
    fn count(&self) -> u32 {
        3
    }
}

fn main() {}
