use toolwright::{Instructions, instructions, tool};

struct Crm;

#[tool]
impl Crm {
    /// Looks someone up.
    #[tool]
    fn look_up(&self, name: String) -> String {
        name
    }
}

const SYSTEM: Instructions = instructions!("Begin with {Crm::lookup}.");

fn main() {
    println!("{SYSTEM}");
}
