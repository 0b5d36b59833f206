use toolwright::tool;

struct Crm;

#[tool]
impl Crm {
    /// Asks for a report.
    #[prompt]
    fn report(&self) -> String {
        "Report.".to_owned()
    }

    /// Asks for another.
    #[prompt(name = "report")]
    fn other(&self) -> String {
        "Report again.".to_owned()
    }
}

fn main() {}
