use toolwright::tool;

/// Plans a day.
///
/// Look with [`fn@main`] first.
#[tool]
fn plan(day: u8) -> u8 {
    day
}

fn main() {}
