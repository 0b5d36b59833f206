use toolwright::tool;

struct Crm;

#[tool]
impl Crm {
    /// Find a customer.
    #[cfg_attr(unix, tool(read_only))]
    fn find(&self, id: u64) -> u64 {
        id
    }
}

fn main() {
    Crm.find(1);
}
