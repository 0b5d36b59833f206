use toolwright::tool;

struct Crm;

#[tool]
impl Crm {
    /// Count the customers.
    #[tool]
    fn count(&self) -> u32 {
        Self::COUNT
    }

    #[tool]
    const COUNT: u32 = 3;
}

fn main() {}
