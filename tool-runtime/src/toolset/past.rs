//! Names and calls of earlier versions of tools.

use std::borrow::Cow;

use super::{Entry, Inner, Toolset};
use toolwright_provider::call::{ErrorKind, ToolCall, ToolError};
use toolwright_schema::text::ShortStr;

impl Toolset {
    /// Returns the version of the tool of this name: that of `#[tool(version = "2.0")]`. It is empty if the tool says none,
    /// or there is no such tool. Store it with calls that are to run later, for [`migrate`](Self::migrate).
    pub fn version(&self, name: &str) -> &'static str {
        self.get(name).map_or("", |tool| tool.__past().version)
    }

    /// Returns a stored call as one of these tools. `version` is what [`version`](Self::version) returned when the call was
    /// made, and empty if nothing is known of it.
    ///
    /// In this order, a tool is found by an earlier name (`was("place_order")`), arguments get their names of today
    /// (`#[arg(was = "qty")]`), and `migrate = path` changes the arguments if the versions differ. A call to which none of
    /// this applies is returned as it is, even if there is no such tool. The arguments are not decoded: see
    /// [`validate_call`](Self::validate_call).
    ///
    /// This is for stored calls alone. A model that calls a tool by an earlier name is answered with the one of today.
    ///
    /// ```
    /// use toolwright::{ToolCall, tool, tools};
    ///
    /// /// Orders something.
    /// #[tool(version = "2.0", was("place_order"))]
    /// fn create_order(#[arg(was = "qty")] quantity: u32) -> u32 {
    ///     quantity
    /// }
    ///
    /// let stored = ToolCall::new("call_1", "place_order", r#"{"qty": 3}"#);
    /// let call = tools![create_order].migrate(&stored, "1.0").unwrap();
    /// assert_eq!((&*call.name, &*call.arguments), ("create_order", r#"{"quantity":3}"#));
    /// ```
    ///
    /// # Errors
    /// When the function of `migrate` refuses or panics, or the name is a retired one. The words are for the model.
    pub fn migrate<'c>(
        &self,
        call: &'c ToolCall,
        version: &str,
    ) -> Result<Cow<'c, ToolCall>, ToolError> {
        if let Some(entry) = self.set.find(call.name.as_bytes()) {
            return entry.tool.__past().migrated(call, &entry.name, version);
        }
        for entry in &self.set.tools {
            let past = entry.tool.__past();
            if past.was_called(&call.name, &entry.name) {
                return past.migrated(call, &entry.name, version);
            }
            if entry.retired.contains(&call.name) {
                let (old, new) = (&call.name, &entry.name);
                return Err(ToolError::new(
                    ErrorKind::Unknown,
                    format!("the tool `{old}` is no longer there; use `{new}` instead"),
                ));
            }
        }
        Ok(Cow::Borrowed(call))
    }

    /// Answers models that call a tool which is gone with the name of the tool in its place. The text is that of a lock
    /// file, whose lines `old_name -> new_name` name such tools; all other lines are passed over.
    ///
    /// ```
    /// use toolwright::{Context, ToolCall, tool, tools};
    ///
    /// /// Reads a page.
    /// #[tool]
    /// fn read_page() {}
    ///
    /// // In a program: `include_str!("../tools.lock")`.
    /// let tools = tools![read_page].retired("read_output -> read_page");
    /// let call = ToolCall::new("1", "read_output", "{}");
    /// let error = tools.call_blocking(&call, &Context::new()).to_string();
    /// assert!(error.contains("use `read_page` instead"), "{error}");
    /// ```
    pub fn retired(&self, lock: &str) -> Self {
        let mut set = Inner::clone(&self.set);
        for (old, new) in lock.lines().filter_map(|line| line.split_once(" -> ")) {
            let at = set.position(new.trim().as_bytes());
            if let Some(entry) = at.and_then(|at| set.tools.get_mut(at)) {
                entry.retired.push(old.into());
            }
        }
        set.finish()
    }
}

impl Entry {
    /// Stands in the place of another entry: in its group, with its retired names behind a prefix.
    pub(super) fn instead(mut self, other: &Self, prefix: &str) -> Self {
        self.namespace.clone_from(&other.namespace);
        self.tells = other.tells;
        let names = other.retired.iter();
        self.retired = names
            .map(|name| ShortStr::from(format!("{prefix}{name}")))
            .collect();
        self
    }

    /// Returns what a model is told that calls a name which is no tool's any more, if this tool is in its place.
    pub(super) fn instead_of(&self, name: &str) -> Option<String> {
        let new = &self.name;
        if self.retired.iter().any(|old| **old == *name) {
            return Some(format!("use `{new}` instead"));
        }
        let past = self.tool.__past();
        past.was_called(name, new)
            .then(|| format!("it is called `{new}` now"))
    }
}
