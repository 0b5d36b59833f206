use toolwright::tool;

struct Crm;

#[tool]
impl Crm {
    /// Count the customers.
    #[tool(crate = ::toolwright)]
    fn count(&self) -> u32 {
        3
    }
}

fn main() {}
