use toolwright::tool;

struct Crm;

#[tool]
impl Crm {
    /// Count the customers.
    #[tool]
    fn count(&self) -> u32 {
        3
    }

    /// Greet a customer.
    #[cfg_attr(all(), toolwright::prompt)]
    fn greet(&self) -> String {
        "Hello".into()
    }
}

fn main() {}
