use toolwright::tool;

struct Crm;

#[tool]
impl Crm {
    /// A customer.
    #[resource("crm://{id}")]
    fn customer(&self, name: &str) -> String {
        name.to_owned()
    }
}

fn main() {}
