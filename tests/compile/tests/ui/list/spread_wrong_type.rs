use toolwright::{tool, tools};

struct Crm;
struct Erp;

#[tool]
impl Crm {
    /// Count the customers.
    #[tool]
    fn count(&self) {}
}

fn main() {
    tools![..Erp: Crm];
}
