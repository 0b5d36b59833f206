use toolwright::{Context, tool};

mod web {
    pub struct Context;
}

/// Count the customers.
#[tool]
fn count(cx: &Context, web: &web::Context) {
    let _ = (cx, web);
}

fn main() {}
