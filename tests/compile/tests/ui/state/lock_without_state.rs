use std::sync::{Arc, Mutex};

use toolwright::tool;

/// Adds a note.
#[tool]
fn add_note(text: String, notes: Arc<Mutex<Vec<String>>>) -> usize {
    let mut notes = notes.lock().unwrap();
    notes.push(text);
    notes.len()
}

fn main() {}
