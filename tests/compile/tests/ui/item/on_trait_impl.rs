use toolwright::tool;

struct Crm;

#[tool]
impl std::fmt::Display for Crm {
    /// Show it.
    #[tool]
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("crm")
    }
}

fn main() {}
