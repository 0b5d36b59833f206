use toolwright::{tool, tools};

/// Tells the time.
#[tool]
fn now() -> u64 {
    12
}

fn plain() {}

fn main() {
    tools! { defer: { crm: [plain] }; now };
}
