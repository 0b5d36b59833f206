use toolwright::Schema;

struct City;

#[derive(Schema)]
enum Place {
    Known(City),
    Unknown,
}

fn main() {}
