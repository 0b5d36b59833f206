use toolwright::{tool, tools};

struct Crm;

#[tool]
impl Crm {
    #[tool]
    fn count(&self) {}
}

fn main() {
    tools![..Crm: Crm];
}
