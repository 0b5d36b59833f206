use toolwright::tool;

/// Plans a day by [`fn@forcast`].
#[tool]
fn plan(day: u8) -> u8 {
    day
}

fn main() {}
