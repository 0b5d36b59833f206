use toolwright::{tool, tools};

pub struct Crm;

#[tool]
impl Crm {
    /// Count the customers.
    #[tool(args = Count)]
    fn count(&self) -> u32 {
        3
    }
}

tools! { pub enum Call; ..Crm }

fn main() {}
