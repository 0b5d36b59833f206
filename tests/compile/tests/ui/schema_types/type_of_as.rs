use toolwright::Schema;

struct City;

#[derive(Schema)]
struct Order {
    #[schema(as = City)]
    ship_to: u8,
}

fn main() {}
