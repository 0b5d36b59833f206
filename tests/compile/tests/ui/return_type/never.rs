use toolwright::{tool, tools};

/// Serve until the end.
#[tool]
fn serve(port: u16) -> ! {
    panic!("{port}")
}

fn main() {
    tools![serve];
}
