use serde::Deserialize;
use toolwright::{Schema, tool, tools};

#[derive(Deserialize, Schema)]
struct Person {
    employer: Option<Box<Company>>,
    #[schema(pattern = r"^\p{L}+$")]
    name: String,
}

#[derive(Deserialize, Schema)]
struct Company {
    #[schema(recursive)]
    staff: Vec<Person>,
}

/// Counts who works there.
#[tool]
fn count(company: Company) -> usize {
    company.staff.iter().filter(|one| one.employer.is_none() && one.name.is_empty()).count()
}

fn main() {
    tools! { targets: [openai_strict]; count };
}
