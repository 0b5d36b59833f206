//! What the tools of a Python library printed: `tests/outside/migrations.sh` runs them.

use std::cell::RefCell;
use std::path::PathBuf;
use std::{env, fs, vec};

use serde_json::Value;

use crate::check::Answer;

/// A tool's definition, and its answers to the calls of `calls.json`, in order.
pub struct Printed {
    pub definition: Value,
    answers: RefCell<vec::IntoIter<Value>>,
}

impl Printed {
    /// Reads the file of that name.
    pub fn read(name: &str) -> Self {
        let folder =
            env::var_os("TOOLWRIGHT_MIGRATIONS").expect("the folder of what Python printed");
        let text = fs::read_to_string(PathBuf::from(folder).join(name)).unwrap();
        let definition: Value = serde_json::from_str(&text).unwrap();
        let answers = definition["answers"].as_array().unwrap().clone();
        Self {
            definition,
            answers: RefCell::new(answers.into_iter()),
        }
    }

    /// The next answer.
    pub fn answer(&self) -> Answer {
        let answer = self.answers.borrow_mut().next().unwrap();
        let text = answer["text"].as_str().unwrap().to_owned();
        if answer["kind"] == "result" {
            Ok(text)
        } else {
            Err(text)
        }
    }

    /// Fails if there are answers left.
    pub fn finish(&self) {
        assert_eq!(self.answers.borrow().len(), 0);
    }
}
