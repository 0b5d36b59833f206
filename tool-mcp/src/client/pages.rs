//! The pages of a server's list of tools, put together.

use std::collections::HashSet;

use toolwright_json::{Error, Place, Scanner};

use super::settings::Settings;
use crate::protocol::string;

/// No server has so many.
pub(super) const MOST_PAGES: usize = 1_000;

/// The tools of the pages so far, as the server wrote them.
pub(super) struct Pages {
    tools: Vec<Box<str>>,
    /// The pages that were asked for.
    cursors: HashSet<String>,
    /// Number of bytes that the pages had.
    bytes: usize,
    most_bytes: usize,
    most_tools: usize,
    is_strict: bool,
}

/// The next step.
pub(super) enum Then {
    /// The page of this cursor.
    Page(String),
    /// No further page.
    End,
    /// The cursor of the next page cannot be sent back.
    OddCursor,
}

impl Then {
    /// Reads the `nextCursor` of a page.
    ///
    /// # Errors
    /// If `is_strict`, a cursor that is not a text.
    pub(super) fn read(cursor: Option<&str>, is_strict: bool) -> Result<Self, String> {
        Ok(match cursor {
            None | Some("null" | r#""""#) => Self::End,
            Some(other) if is_strict && !other.starts_with('"') => {
                return Err("its `nextCursor` is not a text".to_owned());
            }
            // Languages in which these are false write them for "no more".
            Some("false" | "0") => Self::End,
            // Some servers count pages.
            Some(number) if number.starts_with(|char: char| char.is_ascii_digit()) => {
                Self::Page(number.to_owned())
            }
            Some(other) => string(other).map_or(Self::OddCursor, |next| Self::Page(next.into())),
        })
    }
}

impl Pages {
    pub(super) fn new(settings: &Settings) -> Self {
        Self {
            tools: Vec::new(),
            cursors: HashSet::new(),
            bytes: 0,
            most_bytes: settings.most_bytes,
            most_tools: settings.most_tools,
            is_strict: settings.is_strict,
        }
    }

    /// Adds a page.
    ///
    /// # Errors
    /// Why the list is none, or is not read on.
    pub(super) fn add(&mut self, page: &str) -> Result<Then, String> {
        // The memory is that of all pages, of which each may be as large as a message.
        self.bytes += page.len();
        if self.bytes > self.most_bytes {
            return Err(format!("more than {} bytes in all", self.most_bytes));
        }
        let (is_list, next_cursor) = self.read(page).map_err(|error| error.to_string())?;
        if !is_list {
            return Err("its `tools` are not a list".to_owned());
        }
        if self.tools.len() > self.most_tools {
            return Err(format!("more than {} tools", self.most_tools));
        }
        let next = match Then::read(next_cursor, self.is_strict)? {
            Then::Page(next) => next,
            end => return Ok(end),
        };
        if !self.cursors.insert(next.clone()) {
            return Err("its pages go in a circle".to_owned());
        }
        if self.cursors.len() >= MOST_PAGES {
            return Err(format!("more than {MOST_PAGES} pages"));
        }
        Ok(Then::Page(next))
    }

    /// Takes the tools of a page, and returns whether it has any list of them, and its cursor. It stops above the limit.
    fn read<'p>(&mut self, page: &'p str) -> Result<(bool, Option<&'p str>), Error> {
        let mut scanner = Scanner::lossy(page);
        let (mut is_list, mut cursor) = (false, None);
        if scanner.peek() != Some(b'{') {
            return Ok((is_list, cursor));
        }
        let mut place = Place::Opened;
        scanner.open()?;
        while let Some(key) = scanner.next_key(&mut place)? {
            if key == "tools" && scanner.peek() == Some(b'[') {
                is_list = true;
                let mut place = Place::Opened;
                scanner.open()?;
                // A tool takes more memory than the two bytes that it may have in the text.
                while self.tools.len() <= self.most_tools && scanner.next_element(&mut place)? {
                    self.tools.push(scanner.skip()?.into());
                }
                if self.tools.len() > self.most_tools {
                    break;
                }
            } else if key == "nextCursor" {
                cursor = Some(scanner.skip()?);
            } else {
                scanner.skip()?;
            }
        }
        Ok((is_list, cursor))
    }

    pub(super) fn into_tools(self) -> Vec<Box<str>> {
        self.tools
    }
}
