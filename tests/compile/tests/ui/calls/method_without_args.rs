use toolwright::tool;

pub struct Crm;

#[tool(args = CrmCall)]
impl Crm {
    /// Count the customers.
    #[tool]
    fn count(&self) -> u32 {
        3
    }
}

fn main() {}
