use toolwright::tool;

mod web {
    pub struct Context;
}

/// Count the customers.
#[tool]
fn count(cx: &web::Context) {
    let _ = cx;
}

fn main() {}
