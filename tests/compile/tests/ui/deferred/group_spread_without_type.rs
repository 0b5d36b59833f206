use toolwright::{tool, tools};

struct Crm;

#[tool]
impl Crm {
    /// Finds a customer.
    #[tool]
    fn find(&self, name: &str) -> usize {
        name.len()
    }
}

fn main() {
    let crm = Crm;
    let _ = tools! { defer: { crm: [..Crm] }; ..crm: Crm };
}
