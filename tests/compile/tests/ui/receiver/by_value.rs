use toolwright::tool;

struct Crm(u32);

#[tool]
impl Crm {
    /// Count the customers.
    #[tool]
    fn count(self) -> u32 {
        self.0
    }
}

fn main() {}
