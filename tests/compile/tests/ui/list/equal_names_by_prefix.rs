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

/// Counts.
#[tool]
fn north_count() -> u32 {
    1
}

fn main() {
    let _ = tools![north_count, ..Crm: Crm as "north_"];
}
