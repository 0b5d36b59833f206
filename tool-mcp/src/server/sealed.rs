//! A note that a client keeps for us between two requests of one call: the answers so far, signed, and bound to the call's
//! tool and arguments, and to whoever makes it.

use std::collections::{HashSet, VecDeque};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use hmac::{Hmac, KeyInit, Mac};
use serde::{Deserialize, Serialize};
use sha2::Sha256;
use toolwright_provider::call::{FormatVersion, ToolCall};

use super::question::InputQuestion;
use crate::elicit::ElicitResults;
use toolwright_http::random;

/// Time that a person has between two requests.
const KEPT: Duration = Duration::from_hours(1);

/// Length of a signature, and of the time behind it.
const SIGNED: usize = 32;
const TIME: usize = 8;

/// Length of what shows an owner.
const TAG: usize = 12;

/// Number of notes that are known as spent. The oldest are forgotten.
const MAX_SPENT: usize = 65_536;

/// Signs, by a key.
#[derive(Clone)]
pub(super) struct Signer {
    mac: Hmac<Sha256>,
    spent: Arc<Mutex<Spent>>,
}

/// Signatures of notes whose approval has been used, in order.
#[derive(Default)]
struct Spent {
    order: VecDeque<(u64, Vec<u8>)>,
    all: HashSet<Vec<u8>>,
}

/// The note.
#[derive(Default, Serialize, Deserialize)]
pub(super) struct Sealed {
    pub(super) form: FormatVersion,
    /// Random, so that equal calls have notes of their own.
    pub(super) id: String,
    pub(super) answers: ElicitResults,
    /// Which call and tool the answer to an approval is about.
    pub(super) shown: Option<u64>,
    /// The last question.
    pub(super) asked: Option<InputQuestion>,
    /// True if the tool paused: its state waits in the server under the note's id.
    #[serde(default)]
    pub(super) is_paused: bool,
}

impl Signer {
    /// With a key that lives as long as the server.
    pub(super) fn random() -> Self {
        Self::new(&random::bytes::<32>())
    }

    pub(super) fn new(key: &[u8]) -> Self {
        // A key of any length is one.
        let mac = Hmac::new_from_slice(key).unwrap_or_else(|never| panic!("{never}"));
        Self {
            mac,
            spent: Arc::default(),
        }
    }

    /// Marks a note as used. Returns its signature, or `None` if it was used before in this process: an approval is for one run.
    pub(super) fn spend(&self, note: &str) -> Option<String> {
        let mut signature = URL_SAFE_NO_PAD.decode(note).unwrap_or_default();
        signature.truncate(SIGNED);
        let (now, mut spent) = (
            now(),
            self.spent.lock().unwrap_or_else(PoisonError::into_inner),
        );
        while let Some((until, old)) = spent.order.front().cloned()
            && (until < now || spent.order.len() >= MAX_SPENT)
        {
            spent.all.remove(&old);
            spent.order.pop_front();
        }
        if !spent.all.insert(signature.clone()) {
            return None;
        }
        let text = URL_SAFE_NO_PAD.encode(&signature);
        spent.order.push_back((now + KEPT.as_secs(), signature));
        Some(text)
    }

    /// Takes back that a note was used, by its signature.
    pub(super) fn unspend(&self, signature: &str) {
        let signature = URL_SAFE_NO_PAD.decode(signature).unwrap_or_default();
        let mut spent = self.spent.lock().unwrap_or_else(PoisonError::into_inner);
        spent.all.remove(&signature);
        spent.order.retain(|(_, other)| *other != signature);
    }

    pub(super) fn seal(
        &self,
        state: &Sealed,
        call: &ToolCall,
        owner: Option<&str>,
    ) -> serde_json::Result<String> {
        let until = now() + KEPT.as_secs();
        let mut content = until.to_be_bytes().to_vec();
        serde_json::to_writer(&mut content, state)?;
        let signature = self.of(&content, call, owner).finalize().into_bytes();
        Ok(URL_SAFE_NO_PAD.encode([&*signature, &content].concat()))
    }

    /// `None` if it is not what was sealed for this call of this owner, or too old.
    pub(super) fn open(&self, note: &str, call: &ToolCall, owner: Option<&str>) -> Option<Sealed> {
        let sealed = URL_SAFE_NO_PAD.decode(note).ok()?;
        let (signature, content) = sealed.split_at_checked(SIGNED)?;
        self.of(content, call, owner).verify_slice(signature).ok()?;
        let (until, state) = content.split_at_checked(TIME)?;
        let until = u64::from_be_bytes(until.try_into().ok()?);
        (now() <= until).then(|| serde_json::from_slice(state).ok())?
    }

    /// A call as it was shown, in a number that says nothing of it to a client.
    pub(super) fn number(&self, shown: &[u8]) -> u64 {
        let signature = self.mac.clone().chain_update(shown).finalize();
        let bytes = signature.into_bytes();
        bytes
            .iter()
            .take(TIME)
            .fold(0, |number, byte| number << 8 | u64::from(*byte))
    }

    /// Returns the mark that shows whose the task of this id is.
    pub(super) fn tag(&self, id: &str, owner: &str) -> String {
        let mac = self.mac.clone().chain_update(id).chain_update([0]);
        let bytes = mac.chain_update(owner).finalize().into_bytes();
        URL_SAFE_NO_PAD.encode(bytes.get(..TAG).unwrap_or(&bytes))
    }

    /// The length of each part but the last stands before it.
    fn of(&self, content: &[u8], call: &ToolCall, owner: Option<&str>) -> Hmac<Sha256> {
        let owner = owner.unwrap_or_default().as_bytes();
        let parts = [content, owner, call.name.as_bytes()];
        let mac = parts.into_iter().fold(self.mac.clone(), |mac, part| {
            mac.chain_update((part.len() as u64).to_be_bytes())
                .chain_update(part)
        });
        mac.chain_update(call.arguments.as_bytes())
    }
}

fn now() -> u64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH);
    since.map_or(0, |since| since.as_secs())
}
