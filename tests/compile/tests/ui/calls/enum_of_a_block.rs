use toolwright::tool;

pub struct Crm;

#[tool(args = CrmCall)]
impl Crm {
    /// Count the customers.
    #[tool(args = Count)]
    fn count(&self) -> u32 {
        3
    }
}

fn main() {}
