use toolwright_benches_generate::{Style, hundred};

fn main() -> std::io::Result<()> {
    hundred(Style::LlmTool)
}
