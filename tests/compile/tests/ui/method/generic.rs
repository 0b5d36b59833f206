use toolwright::tool;

struct Crm;

#[tool]
impl Crm {
    /// Show it.
    #[tool]
    fn show<T: serde::Serialize>(&self, id: u32) -> u32 {
        id + size_of::<T>() as u32
    }
}

fn main() {}
