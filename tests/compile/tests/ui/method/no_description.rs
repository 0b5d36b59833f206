use toolwright::tool;

struct Crm;

#[tool]
impl Crm {
    #[tool]
    fn count(&self) -> u32 {
        3
    }
}

fn main() {}
