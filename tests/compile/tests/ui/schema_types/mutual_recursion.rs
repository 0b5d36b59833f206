use toolwright::Schema;

#[derive(Schema)]
struct Person {
    employer: Option<Box<Company>>,
}

#[derive(Schema)]
struct Company {
    staff: Vec<Person>,
}

fn main() {}
