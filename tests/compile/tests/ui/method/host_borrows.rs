use toolwright::tool;

struct Crm<'a>(&'a [u32]);

#[tool]
impl Crm<'_> {
    /// Count the customers.
    #[tool]
    fn count(&self) -> usize {
        self.0.len()
    }
}

fn main() {}
