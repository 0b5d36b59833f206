use toolwright::tool;

/// Measure.
#[tool]
fn a_name_of_more_than_sixty_four_letters_which_no_provider_will_take() -> u32 {
    3
}

fn main() {}
