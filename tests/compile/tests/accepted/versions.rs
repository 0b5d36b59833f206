use toolwright::{tool, tools};

/// Orders something.
#[tool(was("place_order", "order"))]
fn create_order(#[arg(was = "qty")] quantity: u32) -> u32 {
    quantity
}

/// Reads one page.
#[tool(was("read"))]
fn read_page<T: Send + Sync + 'static>() {}

struct Crm;

#[tool]
impl Crm {
    /// Finds a customer.
    #[tool(was("search"))]
    fn find(&self) {}
}

#[test]
fn runs() {
    let both = tools![
        create_order,
        read_page::<u8> as "page",
        ..Crm: Crm as "crm_",
        ..Crm: Crm,
    ]
    .retired("read_output -> create_order\nlook -> crm_find");
    for old in ["place_order", "order", "read", "crm_search", "search"] {
        assert!(both.get(old).is_some(), "{old}");
    }
}
