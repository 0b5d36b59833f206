use toolwright::{tool, tools};

pub struct Crm;

#[tool(args = CrmCall)]
impl Crm {
    /// Count the customers.
    #[tool(args = Count)]
    fn count(&self) -> u32 {
        3
    }
}

tools! { pub enum Call; ..crm: Crm }

fn main() {}
