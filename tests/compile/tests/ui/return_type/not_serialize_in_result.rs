use std::thread::JoinHandle;
use toolwright::tool;

/// Start a job.
#[tool]
fn start(job: String) -> Result<JoinHandle<()>, String> {
    Ok(std::thread::spawn(move || println!("{job}")))
}

fn main() {}
