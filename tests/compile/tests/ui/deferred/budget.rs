use toolwright::{tool, tools};

/// Tells the time.
#[tool]
fn now() -> u64 {
    12
}

/// Closes an order of a customer, and tells everybody who has asked for it: the customer, the shop and the bank.
///
/// Use it once an order is paid and sent, and never before; it cannot be opened again by anybody.
#[tool]
fn long(order: u32) -> u32 {
    order
}

/// Writes a letter to a customer about an order, in the words that the shop has for such letters, and sends it.
///
/// It takes about a day until the customer has it; for what is more urgent than that there is a message.
#[tool]
fn longer(order: u32) -> u32 {
    order
}

fn main() {
    tools! { budget: 320, defer: { crm: [long, longer] }; now };
}
