use toolwright::tool;

struct Crm;

#[tool]
impl Crm {
    /// Asks for a report.
    #[prompt]
    fn report(&self, of: Vec<String>) -> String {
        of.concat()
    }
}

fn main() {}
