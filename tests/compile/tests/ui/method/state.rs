use toolwright::tool;

struct Crm;
struct Db(u32);

#[tool]
impl Crm {
    /// Count the customers.
    #[tool]
    fn count(&self, #[state] db: &Db) -> u32 {
        db.0
    }
}

fn main() {}
