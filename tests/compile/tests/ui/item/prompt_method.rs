use toolwright::{prompt, tool};

struct Crm;

#[tool]
impl Crm {
    /// Counts the customers.
    #[tool]
    fn count(&self) -> u32 {
        3
    }

    /// Asks for a report.
    #[prompt]
    fn report(&self, of: &str) -> String {
        of.to_owned()
    }
}

fn main() {}
