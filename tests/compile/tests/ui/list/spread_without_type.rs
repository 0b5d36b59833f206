use toolwright::{tool, tools};

struct Crm;

#[tool]
impl Crm {
    /// Count the customers.
    #[tool]
    fn count(&self) {}
}

fn main() {
    let crm = Crm;
    tools![..crm];
}
