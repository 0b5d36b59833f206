use toolwright::Schema;

#[derive(Schema)]
union Query {
    words: u32,
}

fn main() {}
