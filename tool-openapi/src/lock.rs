//! Tools held to a lock file.

use std::collections::HashSet;
use std::path::Path;
use std::sync::Arc;

use toolwright::Tool;
use toolwright::lock::{Lock, LockError};

use crate::notice::{ImportError, Notice, NoticeKind};

/// Removes the tools, each with its group, that are not as the file says.
pub(crate) fn hold(
    file: &Path,
    tools: &mut Vec<(String, Arc<dyn Tool>)>,
    notices: &mut Vec<Notice>,
) -> Result<(), ImportError> {
    let defs = tools.iter().map(|(_, tool)| tool.def().clone());
    let error = match Lock::foreign(defs, file).check() {
        Ok(_) => return Ok(()),
        Err(error @ (LockError::Breaks(..) | LockError::Outdated(..))) => error,
        Err(error) => return Err(ImportError::Setting(error.to_string())),
    };
    let mut changed = HashSet::new();
    for change in error.changes() {
        changed.insert(&*change.tool);
        let reasons = change.reasons.join("; ");
        notices.push(Notice {
            operation: change.tool.clone(),
            pointer: String::new(),
            kind: NoticeKind::LockMismatch,
            message: format!(
                "it is not as the lock file says, {}: {reasons}",
                change.verdict
            ),
        });
    }
    tools.retain(|(_, tool)| !changed.contains(tool.name()));
    Ok(())
}
