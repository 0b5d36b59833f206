//! What a tool was before, and how a stored call of it becomes one of today.

use std::borrow::Cow;

use serde_json::Value as SerdeValue;
use toolwright_json::Value;
use toolwright_provider::call::{ErrorKind, ToolCall, ToolError};
use toolwright_schema::decode::FaultCode;
use toolwright_schema::panics;

/// Function that makes arguments of another version those of today: see `#[tool(migrate = path)]`.
pub type Migrate = fn(version: &str, arguments: SerdeValue) -> Result<SerdeValue, String>;

/// What a tool was before.
#[doc(hidden)]
#[derive(Debug, Clone, Copy)]
pub struct Past {
    /// The name that the tool itself has, before a list or a toolset renames it.
    pub name: &'static str,
    /// The version of today; empty for none.
    pub version: &'static str,
    /// Earlier names.
    pub was: &'static [&'static str],
    /// Earlier names of arguments, each with the one of today.
    pub was_args: &'static [(&'static str, &'static str)],
    pub migrate: Option<Migrate>,
}

impl Past {
    /// Nothing.
    pub const NONE: Self = Self {
        name: "",
        version: "",
        was: &[],
        was_args: &[],
        migrate: None,
    };

    /// Returns true if a tool that is listed as `listed` was called `old` before. A prefix of the list was there then, too.
    pub fn was_called(&self, old: &str, listed: &str) -> bool {
        let prefix = listed.strip_suffix(self.name).unwrap_or_default();
        let old = old.strip_prefix(prefix);
        old.is_some_and(|old| self.was.contains(&old))
    }

    /// Returns the name that an argument has today.
    pub(crate) fn name_of_argument(&self, old: &str) -> Option<&'static str> {
        let found = self.was_args.iter().find(|(was, _)| *was == old);
        found.map(|(_, name)| *name)
    }

    /// Tells a model that uses earlier names of arguments those of today.
    #[cold]
    pub(crate) fn naming_arguments(&self, error: ToolError) -> ToolError {
        if self.was_args.is_empty() {
            return error;
        }
        let mut is_renamed = false;
        let faults = error.faults().iter().cloned().map(|mut fault| {
            if fault.code == FaultCode::UnknownArgument
                && let Some(name) = self.name_of_argument(&fault.path)
            {
                fault.message = format!("unknown argument; it is called `{name}` now");
                is_renamed = true;
            }
            fault
        });
        let faults: Vec<_> = faults.collect();
        if is_renamed {
            ToolError::invalid_args(faults)
        } else {
            error
        }
    }

    /// Returns a stored call as one of this tool, which is listed as `listed`.
    pub(crate) fn migrated<'c>(
        &self,
        call: &'c ToolCall,
        listed: &str,
        version: &str,
    ) -> Result<Cow<'c, ToolCall>, ToolError> {
        let is_of_today = *call.name == *listed && version == self.version;
        if is_of_today && !version.is_empty() {
            return Ok(Cow::Borrowed(call));
        }
        let mut arguments = Cow::Borrowed(&*call.arguments);
        if let Some(renamed) = self.with_arguments_renamed(&arguments) {
            arguments = Cow::Owned(renamed);
        }
        if let Some(migrate) = self.migrate.filter(|_| version != self.version) {
            arguments = Cow::Owned(self.migrated_by(migrate, version, &arguments)?);
        }
        if *call.name == *listed && *arguments == *call.arguments {
            return Ok(Cow::Borrowed(call));
        }
        let mut migrated = call.clone();
        migrated.name = listed.into();
        migrated.arguments = arguments.into_owned().into();
        Ok(Cow::Owned(migrated))
    }

    /// Renames arguments, and leaves their values as they are spelled. Returns `None` if there is nothing to rename.
    fn with_arguments_renamed(&self, text: &str) -> Option<String> {
        if self.was_args.is_empty() {
            return None;
        }
        // What is no object is refused where it is decoded.
        let Ok(Value::Object(mut entries)) = Value::parse(text) else {
            return None;
        };
        let mut is_renamed = false;
        for (key, _) in &mut entries {
            if let Some(name) = self.name_of_argument(key) {
                *key = name.into();
                is_renamed = true;
            }
        }
        is_renamed.then(|| Value::Object(entries).to_json())
    }

    fn migrated_by(
        &self,
        migrate: Migrate,
        version: &str,
        text: &str,
    ) -> Result<String, ToolError> {
        let today = self.version;
        // Providers send nothing, or `null`, for a call without arguments.
        let is_blank = matches!(text.trim(), "" | "null");
        let from = if version.is_empty() {
            "a call without a version".to_owned()
        } else {
            format!("a call of version {version}")
        };
        let refused = |why: &str| {
            let words = format!("{from} cannot be made one of version {today}: {why}");
            ToolError::new(ErrorKind::InvalidArgs, words)
        };
        let arguments = match serde_json::from_str(if is_blank { "{}" } else { text }) {
            Ok(SerdeValue::Object(arguments)) => SerdeValue::Object(arguments),
            Ok(_) => return Err(refused("its arguments are no JSON object")),
            Err(_) => return Err(refused("its arguments are no JSON")),
        };
        let migrated = panics::caught(|| migrate(version, arguments));
        match migrated {
            Ok(Ok(SerdeValue::Object(arguments))) => Ok(SerdeValue::Object(arguments).to_string()),
            Ok(Ok(_)) => Err(refused("its migration returned no JSON object")),
            Ok(Err(why)) => Err(refused(&why)),
            Err(_) => Err(refused("its migration panicked")),
        }
    }
}
