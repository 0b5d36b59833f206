use toolwright::{tool, tools};

struct Crm;

#[tool]
impl Crm {
    /// Counts.
    #[tool]
    fn count(&self) -> u32 {
        1
    }
}

fn main() {
    let _ = tools![..Crm: Crm, ..Crm: Crm];
}
