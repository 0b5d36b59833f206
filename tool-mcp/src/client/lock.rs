//! The tools of a server, held to a lock file.

use std::collections::HashMap;

use toolwright_lock::{Lock, LockError};
use toolwright_provider::definitions::{Notice, NoticeKind};

use super::remote::ToolList;
use super::settings::Settings;

/// The list that is read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Reading {
    /// The first of the client, at which `TOOLS_LOCK` may accept changes.
    First,
    Later,
}

impl ToolList {
    /// Leaves out the tools that are not as the lock file says, if there is one.
    ///
    /// # Errors
    /// When the file is missing, cannot be read or cannot be written.
    pub(super) async fn hold(
        mut self,
        settings: &Settings,
        reading: Reading,
    ) -> Result<Self, LockError> {
        let Some(path) = settings.lock.clone() else {
            return Ok(self);
        };
        let shown = path.file_name().map(|name| name.display().to_string());
        let shown = shown.unwrap_or_default();
        let originals = self.originals.iter().map(|(_, def)| def.clone());
        let mut lock = Lock::foreign(originals, path.clone());
        if reading == Reading::Later {
            lock = lock.compare_only();
        }
        // It reads a file, and compares.
        let checked = tokio::task::spawn_blocking(move || lock.check()).await;
        let changes = match checked {
            Ok(Ok(_)) => return Ok(self),
            Ok(Err(error @ (LockError::Breaks(..) | LockError::Outdated(..)))) => {
                error.changes().to_vec()
            }
            Ok(Err(error)) => return Err(error),
            Err(error) => return Err(LockError::Io(path, error.into())),
        };
        let changes = changes
            .into_iter()
            .map(|change| (change.tool.clone(), change));
        let changes: HashMap<_, _> = changes.collect();
        let originals = std::mem::take(&mut self.originals).into_iter();
        let refused = originals.filter_map(|(own, def)| Some((own, changes.get(&*def.name)?)));
        let refused: HashMap<_, _> = refused.collect();
        self.notices
            .retain(|notice| !refused.contains_key(&notice.tool));
        self.tools = self
            .tools
            .filter(|tool| !refused.contains_key(&*tool.def().name));
        let mut notices: Vec<_> = refused.into_iter().collect();
        notices.sort_by(|(one, _), (other, _)| one.cmp(other));
        self.notices
            .extend(notices.into_iter().map(|(own, change)| {
                let message = format!(
                    "it is not as `{shown}` says, {}: {}",
                    change.verdict,
                    change.reasons.join("; ")
                );
                Notice::new(own, NoticeKind::LockMismatch, message)
            }));
        Ok(self)
    }
}
