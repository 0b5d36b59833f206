use serde::Deserialize;
use toolwright::{Schema, tool, tools};

#[derive(Deserialize, Schema)]
struct Person {
    employer: Option<Box<Company>>,
    notes: serde_json::Value,
}

#[derive(Deserialize, Schema)]
struct Company {
    #[schema(recursive)]
    staff: Vec<Person>,
}

/// Counts who works there.
#[tool]
fn count(company: Company) -> usize {
    company.staff.iter().filter(|one| one.employer.is_none() && one.notes.is_null()).count()
}

fn main() {
    tools! { targets: [openai_strict]; count };
}
