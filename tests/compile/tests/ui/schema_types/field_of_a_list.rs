use toolwright::Schema;

struct City;

#[derive(Schema)]
struct Route {
    stops: Vec<City>,
}

fn main() {}
