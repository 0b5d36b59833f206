//! Options of a tool: one struct that `#[tool]` fills in `const`, definitions hold, and the executor reads.

use std::time::Duration;

use serde::{Deserialize, Serialize};

use super::def::{is_false, null_is_default};

/// Hints about a tool's effects, as MCP defines them. Absent means unknown, not `false`.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Annotations {
    /// It changes nothing.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub read_only: Option<bool>,
    /// Its changes may destroy data.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub destructive: Option<bool>,
    /// Calling it again with the same arguments changes nothing more.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub idempotent: Option<bool>,
    /// It reaches beyond the host, such as to the web.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub open_world: Option<bool>,
}

impl Annotations {
    /// No hints.
    pub const NONE: Self = Self {
        read_only: None,
        destructive: None,
        idempotent: None,
        open_world: None,
    };

    /// Returns true if a call that may have taken effect can be made again: of a tool that is `read_only` or `idempotent`.
    pub fn may_repeat(self) -> bool {
        self.read_only == Some(true) || self.idempotent == Some(true)
    }

    /// Returns the effects of a foreign definition by its hints and the protocol's defaults: a tool may change things, destroy
    /// them, and reach beyond the host, and is not idempotent. Hints lessen this caution only if they are trusted.
    #[doc(hidden)]
    #[must_use]
    pub fn foreign(self, trusted: bool) -> Self {
        let lessens = |hint: Option<bool>, less: bool| trusted && hint == Some(less);
        // One that may destroy does not only read.
        let read_only = lessens(self.read_only, true) && self.destructive != Some(true);
        Self {
            read_only: Some(read_only),
            destructive: Some(!read_only && !lessens(self.destructive, false)),
            idempotent: Some(lessens(self.idempotent, true)),
            open_world: Some(!lessens(self.open_world, false)),
        }
    }

    // serde passes a reference.
    #[allow(clippy::trivially_copy_pass_by_ref)]
    fn is_empty(&self) -> bool {
        *self == Self::NONE
    }
}

macro_rules! options {
    (hints: $($(#[doc = $hint_doc:literal])* $hint:ident)*; flags: $($(#[doc = $doc:literal])* $flag:ident)*) => {
        /// Options of a tool: hints about its effects, and how an executor runs its calls.
        ///
        /// `#[tool]` has a key for each of them but [`needs_approval`](Self::needs_approval), which it sets for a
        /// function with a parameter `Approved<'_>`. A tool made at run time takes them by `DynToolBuilder::options`:
        ///
        /// ```
        /// use std::time::Duration;
        /// use toolwright::{DynTool, ToolError, ToolOptions};
        ///
        /// let tool = DynTool::builder()
        ///     .name("forecast")
        ///     .description("Returns the weather of tomorrow.")
        ///     .options(ToolOptions::new().read_only(true).timeout(Duration::from_secs(5)))
        ///     .handler_sync(|_: serde_json::Value, _cx| Ok::<_, ToolError>("sun"))
        ///     .build()
        ///     .unwrap();
        /// assert_eq!(tool.def().options.annotations.read_only, Some(true));
        /// ```
        // Each flag is an option of its own; together they are not a state machine.
        #[allow(clippy::struct_excessive_bools)]
        #[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
        #[non_exhaustive]
        pub struct ToolOptions {
            /// Hints about its effects.
            #[serde(
                default,
                skip_serializing_if = "Annotations::is_empty",
                deserialize_with = "null_is_default"
            )]
            pub annotations: Annotations,
            $(
                $(#[doc = $doc])*
                #[serde(
                    default,
                    skip_serializing_if = "is_false",
                    deserialize_with = "null_is_default"
                )]
                pub $flag: bool,
            )*
            /// Time limit of one call.
            #[serde(
                default,
                rename = "timeout_ms",
                skip_serializing_if = "Option::is_none",
                with = "millis"
            )]
            pub timeout: Option<Duration>,
        }

        impl ToolOptions {
            /// No hints, and all options off.
            pub const fn new() -> Self {
                Self {
                    annotations: Annotations::NONE,
                    $($flag: false,)*
                    timeout: None,
                }
            }

            /// Sets all hints.
            #[must_use]
            pub const fn annotations(mut self, annotations: Annotations) -> Self {
                self.annotations = annotations;
                self
            }

            $(
                $(#[doc = $hint_doc])*
                #[must_use]
                pub const fn $hint(mut self, $hint: bool) -> Self {
                    self.annotations.$hint = Some($hint);
                    self
                }
            )*

            $(
                $(#[doc = $doc])*
                #[must_use]
                pub const fn $flag(mut self, $flag: bool) -> Self {
                    self.$flag = $flag;
                    self
                }
            )*

            /// Sets the time limit of one call.
            #[must_use]
            pub const fn timeout(mut self, timeout: Duration) -> Self {
                self.timeout = Some(timeout);
                self
            }

            /// Returns true if arguments run only as they were written: [`exact`](Self::exact), or of a tool that is
            /// `destructive` or needs an approval.
            pub const fn is_exact(&self) -> bool {
                self.exact || self.needs_approval || matches!(self.annotations.destructive, Some(true))
            }
        }
    };
}

options! {
    hints:
        /// Sets the hint that it changes nothing.
        read_only
        /// Sets the hint that its changes may destroy data.
        destructive
        /// Sets the hint that calling it again with the same arguments changes nothing more.
        idempotent
        /// Sets the hint that it reaches beyond the host, such as to the web.
        open_world;
    flags:
        /// A person or the host answers its calls; an agent does not run it.
        manual
        /// Its calls run only with the approval of a person.
        needs_approval
        /// Its arguments run only as they were written: no repair changes them. The same holds for a tool that is
        /// `destructive` or [needs an approval](Self::needs_approval).
        exact
        /// Its result goes to the user as it is, and ends the conversation's turn.
        return_direct
        /// It never runs beside another tool.
        exclusive
        /// Its body blocks the thread, so an executor moves it to one that may be blocked.
        blocking
        /// Its calls go on in the background where the host takes their results later: see
        /// [`Outcome::Open`](crate::call::Outcome::Open). `OpenAI`'s Responses has calls whose output may follow; a tool
        /// enables them by its extras there: `tool.with_extras(Wire::OpenAiResponses, json!({"async": true}))`.
        background
}

/// A duration as a whole number of milliseconds.
mod millis {
    use std::time::Duration;

    use serde::{Deserialize, Deserializer, Serialize, Serializer};

    // serde passes a reference.
    #[allow(clippy::ref_option)]
    pub(crate) fn serialize<S: Serializer>(
        value: &Option<Duration>,
        serializer: S,
    ) -> Result<S::Ok, S::Error> {
        // Rounds up, so that a short time does not become zero.
        let millis = value.map(|value| value.as_nanos().div_ceil(1_000_000));
        let millis = millis.map(|millis| u64::try_from(millis).unwrap_or(u64::MAX));
        millis.serialize(serializer)
    }

    pub(crate) fn deserialize<'de, D: Deserializer<'de>>(
        deserializer: D,
    ) -> Result<Option<Duration>, D::Error> {
        // Flattened fields are buffered, where `arbitrary_precision` leaves a number as a map, which only this type reads.
        let Some(number) = Option::<serde_json::Number>::deserialize(deserializer)? else {
            return Ok(None);
        };
        let millis = number.as_u64().ok_or_else(|| {
            serde::de::Error::custom(format_args!("`timeout_ms` is a whole number, not {number}"))
        })?;
        Ok(Some(Duration::from_millis(millis)))
    }
}
