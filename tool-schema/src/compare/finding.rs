//! What a comparison found.

use crate::text::ConstText;

/// Where in a value something was found: the steps from the outermost value.
#[derive(Debug, Clone, Copy)]
pub struct Place<'t> {
    steps: [Step<'t>; 8],
    len: usize,
}

/// A step into a value.
#[derive(Debug, Clone, Copy)]
pub enum Step<'t> {
    /// The value of a key, as JSON writes it without quotes.
    Key(&'t [u8]),
    /// Each element of an array.
    Each,
    /// The element at an index.
    At(u64),
    /// The value of each key that has no name.
    Value,
    /// Each key.
    Name,
}

impl<'t> Place<'t> {
    pub const ROOT: Self = Self {
        steps: [Step::Each; 8],
        len: 0,
    };

    /// Returns the place one step further in. Steps beyond the eighth are not told.
    pub const fn then(mut self, step: Step<'t>) -> Self {
        if let Some((_, [place, ..])) = self.steps.split_at_mut_checked(self.len) {
            *place = step;
            self.len += 1;
        }
        self
    }

    pub const fn is_root(&self) -> bool {
        self.len == 0
    }

    /// Writes the place: `order.items[].sku`. Nothing for the outermost value.
    const fn write(&self, text: &mut ConstText) {
        let mut left = self.len;
        let mut steps: &[Step<'t>] = &self.steps;
        while left > 0
            && let [step, rest @ ..] = steps
        {
            match step {
                Step::Key(key) => {
                    if left < self.len {
                        text.push(".");
                    }
                    push(text, key);
                }
                Step::Each => text.push("[]"),
                Step::At(index) => {
                    text.push("[");
                    push_count(text, *index);
                    text.push("]");
                }
                Step::Value => text.push("{}"),
                Step::Name => text.push("(key)"),
            }
            steps = rest;
            left -= 1;
        }
    }
}

/// Kinds of changes that refuse what was admitted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Change {
    /// A type is no longer admitted.
    Type,
    /// One of the values that were listed is no longer admitted.
    Value,
    /// Only some values are admitted now.
    Listed,
    /// The smallest number is larger.
    Minimum,
    /// The largest number is smaller.
    Maximum,
    /// Numbers have to be multiples of another number.
    Multiple,
    /// A string, an array or an object has to be longer.
    Shortest,
    /// A string, an array or an object has to be shorter.
    Longest,
    /// A pattern was added.
    Pattern,
    /// A format was added.
    Format,
    /// Elements have to differ.
    Unique,
    /// A key has to be there.
    Required,
    /// A key is no longer admitted.
    Removed,
    /// Keys that have no name are no longer admitted.
    Closed,
    /// A key is no longer written (outputs alone).
    Lost,
    /// No value is admitted any more.
    Never,
    /// No one of several schemas admits what was admitted.
    Alternatives,
    /// A keyword changed whose meaning is not compared: nobody knows.
    Unclear,
}

/// One change, and where it is.
#[derive(Debug, Clone, Copy)]
pub struct Finding<'t> {
    pub change: Change,
    /// False if nobody knows whether something is refused that was admitted.
    pub is_sure: bool,
    pub place: Place<'t>,
    /// The text of what was said, or the key.
    pub old: &'t [u8],
    /// The text of what is said now.
    pub new: &'t [u8],
}

/// The findings of a comparison: the first few, and how many there are.
#[derive(Debug, Clone, Copy)]
pub struct Findings<'t> {
    first: [Option<Finding<'t>>; 16],
    /// Number of findings.
    pub len: usize,
    /// True while something is only tried.
    pub(super) is_quiet: bool,
}

impl<'t> Findings<'t> {
    pub const NONE: Self = Self {
        first: [None; 16],
        len: 0,
        is_quiet: false,
    };

    pub(super) const fn add(&mut self, finding: Finding<'t>) {
        if self.is_quiet {
            return;
        }
        if let Some((_, [place, ..])) = self.first.split_at_mut_checked(self.len) {
            *place = Some(finding);
        }
        self.len += 1;
    }

    /// Returns the first finding.
    pub const fn first(&self) -> Option<&Finding<'t>> {
        match &self.first {
            [Some(first), ..] => Some(first),
            _ => None,
        }
    }

    /// Returns the key of the first argument that is gone.
    pub const fn removed(&self) -> Option<&'t str> {
        let mut rest: &[Option<Finding<'t>>] = &self.first;
        while let [Some(finding), behind @ ..] = rest {
            if matches!(finding.change, Change::Removed)
                && finding.place.is_root()
                && let Ok(key) = std::str::from_utf8(finding.old)
            {
                return Some(key);
            }
            rest = behind;
        }
        None
    }

    /// Returns the findings that are kept.
    pub fn iter(&self) -> impl Iterator<Item = &Finding<'t>> {
        self.first.iter().flatten()
    }
}

impl Finding<'_> {
    /// Writes the finding in words, as one who made calls would put it.
    pub const fn write(&self, text: &mut ConstText, is_output: bool) {
        match self.change {
            Change::Required => {
                self.subject_of_key(text);
                text.push(if is_output {
                    " may be left out now"
                } else {
                    " is required now"
                });
                return;
            }
            Change::Removed => {
                self.subject_of_key(text);
                text.push(" is no longer admitted");
                return;
            }
            Change::Lost => {
                self.subject_of_key(text);
                text.push(" is no longer there");
                return;
            }
            _ => {}
        }
        if self.place.is_root() {
            text.push(if is_output {
                "the result"
            } else {
                "the object"
            });
        } else {
            text.push("`");
            self.place.write(text);
            text.push("`");
        }
        if is_output {
            self.write_result(text);
        } else {
            self.write_argument(text);
        }
    }

    /// What is refused now.
    const fn write_argument(&self, text: &mut ConstText) {
        let (old, new) = (self.old, self.new);
        match self.change {
            Change::Type => changed(text, old, new, "was of type ", "is of type "),
            Change::Value => {
                text.push(" no longer admits ");
                quoted(text, old);
            }
            Change::Listed => text.push(" admits only listed values now"),
            Change::Minimum => changed(text, old, new, "began at ", "begins at "),
            Change::Maximum => changed(text, old, new, "went up to ", "goes up to "),
            Change::Multiple => changed(text, old, new, "was a multiple of ", "is a multiple of "),
            Change::Shortest => text.push(" has to be longer now"),
            Change::Longest => text.push(" has to be shorter now"),
            Change::Pattern => changed(text, old, new, "had to match ", "has to match "),
            Change::Format => changed(text, old, new, "had the format ", "has the format "),
            Change::Unique => text.push(" may no longer repeat elements"),
            Change::Closed => text.push(" no longer admits keys that it does not name"),
            Change::Never => text.push(" admits nothing any more"),
            Change::Alternatives => text.push(" has no alternative any more for what was admitted"),
            Change::Unclear => {
                text.push(" changed in ");
                quoted(text, old);
                text.push(", which is not compared");
            }
            Change::Required | Change::Removed | Change::Lost => {}
        }
    }

    /// What a reader has to handle now: the newer schema is the one that was held against the older.
    const fn write_result(&self, text: &mut ConstText) {
        let (new, old) = (self.old, self.new);
        match self.change {
            Change::Type => changed(text, old, new, "was of type ", "is of type "),
            Change::Value => {
                text.push(" may be ");
                quoted(text, new);
                text.push(" now");
            }
            Change::Minimum => changed(text, old, new, "began at ", "begins at "),
            Change::Maximum => changed(text, old, new, "went up to ", "goes up to "),
            Change::Multiple => text.push(" is no longer a multiple of the same number"),
            Change::Shortest => text.push(" may be shorter now"),
            Change::Longest => text.push(" may be longer now"),
            Change::Pattern => changed(text, old, new, "matched ", "matches "),
            Change::Format => changed(text, old, new, "had the format ", "has the format "),
            Change::Unique => text.push(" may repeat elements now"),
            Change::Listed | Change::Closed | Change::Never | Change::Alternatives => {
                text.push(" may be something new");
            }
            Change::Unclear => {
                text.push(" changed in ");
                quoted(text, new);
                text.push(", which is not compared");
            }
            Change::Required | Change::Removed | Change::Lost => {}
        }
    }

    /// Writes a finding of the question the other way round: what is admitted that was not.
    pub const fn write_wider(&self, text: &mut ConstText) {
        match self.change {
            Change::Removed => {
                self.subject_of_key(text);
                text.push(" is new");
            }
            Change::Required => {
                self.subject_of_key(text);
                text.push(" may be left out now");
            }
            _ => {
                if self.place.is_root() {
                    text.push("the object");
                } else {
                    text.push("`");
                    self.place.write(text);
                    text.push("`");
                }
                text.push(match self.change {
                    Change::Closed => " admits keys that it does not name now",
                    Change::Unclear => " may admit more now",
                    _ => " admits more now",
                });
            }
        }
    }

    /// The key that the finding is about, with its place.
    const fn subject_of_key(&self, text: &mut ConstText) {
        text.push("`");
        self.place.write(text);
        if !self.place.is_root() {
            text.push(".");
        }
        push(text, self.old);
        text.push("`");
    }
}

/// What was said, if anything was, and what is said now.
const fn changed(text: &mut ConstText, old: &[u8], new: &[u8], was: &str, is: &str) {
    if !old.is_empty() {
        text.push(" ");
        text.push(was);
        push(text, old);
    }
    if new.is_empty() {
        text.push(if old.is_empty() {
            " changed"
        } else {
            ", and is no longer limited"
        });
        return;
    }
    text.push(if old.is_empty() { " " } else { ", and " });
    text.push(is);
    push(text, new);
    text.push(" now");
}

const fn quoted(text: &mut ConstText, what: &[u8]) {
    text.push("`");
    push(text, what);
    text.push("`");
}

/// Writes a text, or as much of it as says enough.
const fn push(text: &mut ConstText, what: &[u8]) {
    const LONGEST: usize = 100;
    let mut end = what.len();
    if end > LONGEST {
        end = LONGEST;
    }
    loop {
        let (start, rest) = what.split_at(end);
        if let Ok(start) = std::str::from_utf8(start) {
            text.push(start);
            if !rest.is_empty() {
                text.push("…");
            }
            return;
        }
        if end == 0 {
            return;
        }
        // The cut was inside a character.
        end -= 1;
    }
}

#[allow(clippy::cast_possible_truncation)] // An index of a list in a text.
const fn push_count(text: &mut ConstText, count: u64) {
    text.push_number(count as usize);
}
