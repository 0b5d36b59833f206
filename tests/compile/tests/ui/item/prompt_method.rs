use toolwright::prompt;

struct Crm;

impl Crm {
    /// Asks for a report.
    #[prompt]
    fn report(&self, of: &str) -> String {
        of.to_owned()
    }
}

fn main() {}
