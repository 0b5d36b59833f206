use toolwright::tool;

pub struct Crm<T>(T);

#[tool]
impl<T: Send + Sync + 'static> Crm<T> {
    /// Count the customers.
    #[tool(args = Count)]
    fn count(&self) -> u32 {
        3
    }
}

fn main() {}
