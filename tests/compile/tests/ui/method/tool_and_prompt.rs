use toolwright::tool;

struct Crm;

#[tool]
impl Crm {
    /// Asks for a report.
    #[tool]
    #[prompt]
    fn report(&self, of: &str) -> String {
        of.to_owned()
    }
}

fn main() {}
