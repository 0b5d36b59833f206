use toolwright::{Toolset, tool, tools};

struct Crm<T>(T);

#[tool]
impl<T: Send + Sync + 'static> Crm<T> {
    /// Count the customers.
    #[tool]
    fn count(&self) {}
}

fn build<T: Send + Sync + 'static>(crm: Crm<T>) -> Toolset {
    tools![..crm: Crm<T>]
}

fn main() {}
