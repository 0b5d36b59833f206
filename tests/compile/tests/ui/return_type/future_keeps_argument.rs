use std::rc::Rc;
use toolwright::tool;

/// Wait.
#[tool]
async fn wait(text: Rc<str>) -> usize {
    std::future::ready(()).await;
    text.len()
}

fn main() {}
