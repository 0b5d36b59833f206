use toolwright::resource;

/// Orders.
#[resource("orders://{?page}")]
fn orders(page: u32) -> String {
    page.to_string()
}

fn main() {}
