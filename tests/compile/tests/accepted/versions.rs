use toolwright::{tool, tools};

mod old {
    use serde_json::Value;

    pub fn from_v1(version: &str, arguments: Value) -> Result<Value, String> {
        if version == "1" {
            return Err("too old".to_owned());
        }
        Ok(arguments)
    }
}

/// Orders something.
#[tool(version = "2.0", was("place_order", "order"), migrate = old::from_v1)]
fn create_order(#[arg(was = "qty")] quantity: u32) -> u32 {
    quantity
}

/// Reads one page.
#[tool(version = "3", was("read"))]
fn read_page<T: Send + Sync + 'static>() {}

struct Crm;

#[tool]
impl Crm {
    /// Finds a customer.
    #[tool(version = "1.2.3", was("search"))]
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
    assert_eq!(both.version("create_order"), "2.0");
    assert_eq!(both.version("crm_find"), "1.2.3");
}
