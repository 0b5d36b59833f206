use toolwright::{tool, tools};

struct Desk;

#[tool]
#[rustfmt::skip]
impl Desk {
    /// Number 0.
    #[tool] fn n0(&self) {}
    /// Number 1.
    #[tool] fn n1(&self) {}
    /// Number 2.
    #[tool] fn n2(&self) {}
    /// Number 3.
    #[tool] fn n3(&self) {}
    /// Number 4.
    #[tool] fn n4(&self) {}
    /// Number 5.
    #[tool] fn n5(&self) {}
    /// Number 6.
    #[tool] fn n6(&self) {}
    /// Number 7.
    #[tool] fn n7(&self) {}
    /// Number 8.
    #[tool] fn n8(&self) {}
}

/// Adds.
#[tool]
fn add(a: i64, b: i64) -> i64 {
    a + b
}

#[rustfmt::skip]
fn main() {
    tools! {
        targets: [openai_strict];
        ..Desk: Desk,
        add as "a0", add as "a1", add as "a2", add as "a3", add as "a4", add as "a5", add as "a6", add as "a7", add as "a8", add as "a9",
        add as "a10", add as "a11", add as "a12", add as "a13", add as "a14", add as "a15", add as "a16", add as "a17", add as "a18", add as "a19",
        add as "a20", add as "a21", add as "a22", add as "a23", add as "a24", add as "a25", add as "a26", add as "a27", add as "a28", add as "a29",
        add as "a30", add as "a31", add as "a32", add as "a33", add as "a34", add as "a35", add as "a36", add as "a37", add as "a38", add as "a39",
        add as "a40", add as "a41", add as "a42", add as "a43", add as "a44", add as "a45", add as "a46", add as "a47", add as "a48", add as "a49",
        add as "a50", add as "a51", add as "a52", add as "a53", add as "a54", add as "a55", add as "a56", add as "a57", add as "a58", add as "a59",
        add as "a60", add as "a61", add as "a62", add as "a63", add as "a64", add as "a65", add as "a66", add as "a67", add as "a68", add as "a69",
        add as "a70", add as "a71", add as "a72", add as "a73", add as "a74", add as "a75", add as "a76", add as "a77", add as "a78", add as "a79",
        add as "a80", add as "a81", add as "a82", add as "a83", add as "a84", add as "a85", add as "a86", add as "a87", add as "a88", add as "a89",
        add as "a90", add as "a91", add as "a92", add as "a93", add as "a94", add as "a95", add as "a96", add as "a97", add as "a98", add as "a99",
        add as "a100", add as "a101", add as "a102", add as "a103", add as "a104", add as "a105", add as "a106", add as "a107", add as "a108", add as "a109",
        add as "a110", add as "a111", add as "a112", add as "a113", add as "a114", add as "a115", add as "a116", add as "a117", add as "a118", add as "a119",
    };
}
