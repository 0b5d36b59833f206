use toolwright::Schema;

struct City;

#[derive(Schema)]
struct Leg(City, u8);

fn main() {}
