use toolwright::Schema;

struct City;

#[derive(Schema)]
struct Order {
    ship_to: City,
    bill_to: City,
}

fn main() {}
