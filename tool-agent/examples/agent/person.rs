//! Who is asked: you at the terminal, or somebody of the script.

use std::io::{self, BufRead};

use serde_json::{Map, Value};
use toolwright::call::Decision;
use toolwright::executor::Pending;

use crate::script;
use crate::show::Show;

pub(crate) struct Person {
    who: Who,
    show: Show,
}

enum Who {
    /// Edits what is to be paid, and is gone when a tool asks.
    First,
    /// Comes later, and knows the answer.
    Second,
    /// You.
    Terminal,
}

impl Person {
    pub(crate) fn first(show: &Show) -> Self {
        Self::new(Who::First, show)
    }

    pub(crate) fn second(show: &Show) -> Self {
        Self::new(Who::Second, show)
    }

    pub(crate) fn at_terminal(show: &Show) -> Self {
        Self::new(Who::Terminal, show)
    }

    fn new(who: Who, show: &Show) -> Self {
        let show = show.clone();
        Self { who, show }
    }

    /// What becomes of a call that waits, whose arguments may be shown like this; `None` if nobody is
    /// there to say.
    pub(crate) fn decides(&self, pending: &Pending, shown: &str) -> io::Result<Option<Decision>> {
        self.show.waits(pending, shown);
        let decision = match self.who {
            Who::First | Who::Second => Some(Decision::Edit(script::EDITED.into())),
            Who::Terminal => loop {
                let Some(line) = self.types("y, n, {edited} or = result")? else {
                    break None;
                };
                match decision(&line) {
                    Ok(decision) => break Some(decision),
                    Err(help) => self.show.note(&help),
                }
            },
        };
        if let Some(decision) = &decision {
            self.show.decided(pending, decision);
        }
        Ok(decision)
    }

    /// The answer to a tool's question.
    pub(crate) fn answers(
        &self,
        question: &str,
        options: &Map<String, Value>,
    ) -> io::Result<Option<String>> {
        self.show.question(question, options);
        let answer = match self.who {
            Who::First => None,
            Who::Second => Some(script::ADDRESS.to_owned()),
            Who::Terminal => self.types("your answer")?,
        };
        if let Some(answer) = &answer {
            self.show.words(answer);
        }
        Ok(answer)
    }

    /// What the person wants to talk about next, when the model has said its last word.
    pub(crate) fn says(&self) -> io::Result<Option<String>> {
        match self.who {
            Who::First | Who::Second => Ok(None),
            Who::Terminal => self.types("you"),
        }
    }

    /// A line; `None` at the end of the input.
    fn types(&self, prompt: &str) -> io::Result<Option<String>> {
        loop {
            self.show.prompt(prompt);
            let mut line = String::new();
            if io::stdin().lock().read_line(&mut line)? == 0 {
                return Ok(None);
            }
            let line = line.trim();
            if !line.is_empty() {
                return Ok(Some(line.to_owned()));
            }
        }
    }
}

/// What a line says about a call.
fn decision(line: &str) -> Result<Decision, String> {
    if let Some(result) = line.strip_prefix('=') {
        return Ok(Decision::Answer(result.trim().into()));
    }
    if line.starts_with('{') {
        return Ok(Decision::Edit(line.into()));
    }
    let (word, rest) = line.split_once(' ').unwrap_or((line, ""));
    match word {
        "y" | "yes" => Ok(Decision::Approve),
        "n" | "no" => Ok(Decision::Reject(rest.trim().to_owned())),
        _ => Err("y, n [reason], {\"the\": \"arguments\"} or = result".to_owned()),
    }
}
