use toolwright::{tool, tools};

struct Crm;

#[tool]
impl Crm {
    /// Finds customers.
    #[tool]
    fn find(&self, name: &str, #[arg(range(1..=50))] most: u32) -> Vec<String> {
        let _ = most;
        vec![name.to_owned()]
    }

    /// Removes a customer.
    #[tool]
    fn remove(&self, id: u64) -> bool {
        id > 0
    }
}

/// Takes a shape that only schemars knows.
#[tool]
fn paint(shape: Shape) -> String {
    shape.name
}

#[derive(serde::Deserialize, schemars::JsonSchema)]
struct Shape {
    name: String,
}

fn main() {
    let crm = Crm;
    tools! { lock: "locks/crm.lock", unproven: [paint]; ..crm: Crm as "customers_", paint };
}
