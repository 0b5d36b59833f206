//! Says that the second opinion is there.

fn main() {
    println!("cargo::rustc-check-cfg=cfg(oracle)");
    println!("cargo::rustc-cfg=oracle");
}
