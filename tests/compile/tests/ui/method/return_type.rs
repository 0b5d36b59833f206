use toolwright::tool;

struct Crm;
struct City;

#[tool]
impl Crm {
    /// Count the customers.
    #[tool]
    fn count(&self) -> City {
        City
    }
}

fn main() {}
