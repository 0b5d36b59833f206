use toolwright::tool;

struct Crm;
struct City;

#[tool]
impl Crm {
    /// Count the customers.
    #[tool]
    fn count(&self, place: City) -> u32 {
        let City = place;
        3
    }
}

fn main() {}
