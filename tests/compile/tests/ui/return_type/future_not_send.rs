use std::rc::Rc;
use toolwright::tool;

/// Wait.
#[tool]
async fn wait() {
    let count = Rc::new(1);
    std::future::ready(()).await;
    drop(count);
}

fn main() {}
