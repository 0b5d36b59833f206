use toolwright::Schema;

#[derive(Schema)]
enum Never {}

fn main() {}
