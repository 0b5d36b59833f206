use serde::Deserialize;
use toolwright::{Schema, tool, tools};

#[derive(Deserialize, Schema)]
struct Person {
    employer: Option<Box<Company>>,
}

#[derive(Deserialize, Schema)]
struct Company {
    #[schema(recursive)]
    staff: Vec<Person>,
}

/// Finds out who works there.
#[tool]
fn ask(person: Person) -> bool {
    person.employer.is_some_and(|company| company.staff.is_empty())
}

fn main() {
    tools! { targets: [ollama]; ask };
}
