//! The tools of a server, held to a lock file.

use std::collections::{HashMap, HashSet};
use std::path::PathBuf;
use std::time::Duration;

use tokio::sync::watch;
use tokio::time::timeout;

use toolwright_lock::{Lock, LockError};
use toolwright_provider::definitions::{Notice, NoticeKind};

use super::remote::ToolList;
use super::settings::Settings;

/// A lock file, and what it says of the server's newest list.
#[derive(Debug, Clone)]
pub(super) struct LockFile {
    path: PathBuf,
    compared: watch::Sender<Compared>,
}

/// What a lock file says of the list of a session.
#[derive(Debug, Default)]
struct Compared {
    /// Number of the session, counted by this client.
    session: u64,
    /// Tools that are listed as the file says, by the server's names. `None` until the session's list is compared.
    accepted: Option<HashSet<String>>,
}

impl Compared {
    fn accepts(&self, tool: &str) -> bool {
        let accepted = self.accepted.as_ref();
        accepted.is_some_and(|tools| tools.contains(tool))
    }
}

impl LockFile {
    pub(super) fn new(path: PathBuf) -> Self {
        let compared = watch::Sender::default();
        Self { path, compared }
    }

    /// Holds calls back until the list is compared again, since the server may be another one.
    pub(super) fn begins_session(&self) {
        self.compared.send_modify(|compared| {
            compared.session += 1;
            compared.accepted = None;
        });
    }

    /// Returns the number of the session. A list that is asked for now is that of this one, or of one after it.
    pub(super) fn session(&self) -> u64 {
        self.compared.borrow().session
    }

    pub(super) fn is_compared(&self) -> bool {
        self.compared.borrow().accepted.is_some()
    }

    /// Returns true if the list is compared, and the tool may be called.
    #[cfg(feature = "client-http")]
    pub(super) fn accepts(&self, tool: &str) -> bool {
        self.compared.borrow().accepts(tool)
    }

    /// Waits until the list is compared, and says why a tool may not be called.
    pub(super) async fn check(&self, tool: &str, limit: Duration) -> Result<(), String> {
        let mut compared = self.compared.subscribe();
        let compared = timeout(limit, compared.wait_for(|now| now.accepted.is_some())).await;
        let file = self.shown();
        match compared {
            Ok(Ok(compared)) if compared.accepts(tool) => Ok(()),
            Ok(Ok(_)) => Err(format!(
                "the tool is not listed as `{file}` says; the call was not sent"
            )),
            _ => Err(format!(
                "the tools of a new session could not be compared with `{file}`; the call was not sent"
            )),
        }
    }

    fn shown(&self) -> String {
        let name = self.path.file_name();
        name.map(|name| name.display().to_string())
            .unwrap_or_default()
    }
}

/// The list that is read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Reading {
    /// The first of the client, at which `TOOLS_LOCK` may accept changes.
    First,
    Later,
}

impl ToolList {
    /// Leaves out the tools that are not as the lock file says, if there is one. The list was asked for in the session of this
    /// number: calls of a later session wait for a list of theirs.
    ///
    /// # Errors
    /// When the file is missing, cannot be read or cannot be written.
    pub(super) async fn hold(
        mut self,
        settings: &Settings,
        session: u64,
        reading: Reading,
    ) -> Result<Self, LockError> {
        let Some(file) = &settings.lock else {
            return Ok(self);
        };
        let originals = self.originals.iter().map(|tool| tool.def.clone());
        let mut lock = Lock::foreign(originals, file.path.clone());
        if reading == Reading::Later {
            lock = lock.compare_only();
        }
        // It reads a file, and compares.
        let checked = tokio::task::spawn_blocking(move || lock.check()).await;
        let changes = match checked {
            Ok(Ok(_)) => Vec::new(),
            Ok(Err(error @ (LockError::Breaks(..) | LockError::Outdated(..)))) => {
                error.changes().to_vec()
            }
            Ok(Err(error)) => return Err(error),
            Err(error) => return Err(LockError::Io(file.path.clone(), error.into())),
        };
        let changes = changes.into_iter();
        let changes: HashMap<_, _> = changes
            .map(|change| (change.tool.clone(), change))
            .collect();
        let mut accepted = HashSet::new();
        let mut refused = Vec::new();
        for tool in std::mem::take(&mut self.originals) {
            match changes.get(&*tool.def.name) {
                Some(change) => refused.push((change, tool)),
                None => {
                    accepted.insert(tool.name);
                }
            }
        }
        refused.sort_by(|(_, one), (_, other)| one.own.cmp(&other.own));
        let own: HashSet<_> = refused.iter().map(|(_, tool)| tool.own.clone()).collect();
        self.notices.retain(|notice| !own.contains(&notice.tool));
        self.tools = self.tools.filter(|tool| !own.contains(&*tool.def().name));
        let shown = file.shown();
        let notices = refused.iter().map(|(change, tool)| {
            let message = format!(
                "it is not as `{shown}` says, {}: {}",
                change.verdict,
                change.reasons.join("; ")
            );
            Notice::new(&*tool.own, NoticeKind::LockMismatch, message)
        });
        self.notices.extend(notices);
        file.compared.send_if_modified(|compared| {
            let is_current = compared.session == session;
            if is_current {
                compared.accepted = Some(accepted);
            }
            is_current
        });
        Ok(self)
    }
}
