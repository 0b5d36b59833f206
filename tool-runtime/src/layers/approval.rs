use std::borrow::Cow;
use std::fmt;
use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;

use serde_json::{Map, Value};

use super::Levels;
use crate::executor::{Handled, Layer, Next, Request};
use crate::tool::{BoxFuture, Context, Decision, Tool};
use toolwright_provider::call::{Annotations, Meta, Outcome, Risk, ToolCall, ToolDef};

/// Asks before a call runs: a person, a policy, another program.
///
/// A level ([`at_least`](Self::at_least)), a level and the annotation `destructive` ([`default`](Self::default), the
/// rule of `serve::main`), or a closure ([`when`](Self::when)) selects the calls; all others run at once. A level also
/// selects the tools that [need an approval](toolwright_provider::call::ToolOptions::needs_approval), unless an `Approval` further out has asked. A closure
/// given to [`ask`](Self::ask) decides, and the call waits for it. Without one, the call becomes
/// [pending](crate::executor::PendingReason::Decision), and [`Executor::run`](crate::executor::Executor::run) continues it, in
/// another process if needed.
///
/// An approval holds for the arguments that were shown. Edited arguments are validated like those of a model. If a
/// layer further in changes them, the call is refused: rewrite arguments further out.
///
/// ```
/// use toolwright::layers::{Approval, Risk};
/// use toolwright::{Executor, Toolset, call::Decision};
///
/// let tools = Toolset::default();
/// // #[tool(meta(risk = "high"))]
/// let asks = Approval::at_least(Risk::Medium).ask(|ask| async move {
///     println!("{} wants {}. Refusing.", ask.call.name, ask.arguments());
///     Decision::Reject("nobody is here to say yes".into())
/// });
/// let executor = Executor::serial(&tools).layer(asks);
///
/// // All that may destroy something, or is of high risk, waits for a decision.
/// let executor = Executor::serial(&tools).layer(Approval::default());
/// ```
#[derive(Clone)]
pub struct Approval {
    needs: Needs,
    unless_approved: bool,
    ask: Option<Arc<Approver>>,
    details: Option<Arc<Details>>,
}

#[derive(Clone)]
enum Needs {
    Level {
        levels: Levels,
        threshold: usize,
        unmarked: bool,
        destructive: bool,
    },
    When(Arc<Condition>),
}

type Condition = dyn Fn(&Request<'_>) -> bool + Send + Sync;
type Details = dyn Fn(&Request<'_>) -> Value + Send + Sync;
type Approver = dyn Fn(Ask) -> Pin<Box<dyn Future<Output = Decision> + Send>> + Send + Sync;

/// A call that needs a decision.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Ask {
    /// The call, with the arguments that the tool would read, defaults included. Some may be secret; [`Ask::arguments`] leaves those
    /// out.
    pub call: ToolCall,
    /// The call's place in its turn, from 0.
    pub place: usize,
    /// Details to show: the level that caused the question, as `{"risk": "high"}`, or the value of
    /// [`Approval::details`].
    pub details: Value,
    /// The tool.
    pub tool: Arc<dyn Tool>,
    /// The call's context.
    pub context: Context,
}

impl Ask {
    /// Returns the arguments without [secrets](Tool::redacted), for people.
    pub fn arguments(&self) -> Cow<'_, str> {
        self.tool.redacted(&self.call.arguments)
    }
}

impl Needs {
    /// Returns the reason if all calls of a tool need a decision; `None` if it depends on the call.
    fn reasons<'a>(
        &self,
        attributes: impl Iterator<Item = &'a Meta>,
        annotations: Annotations,
        needs_approval: bool,
    ) -> Option<Map<String, Value>> {
        let Self::Level {
            levels,
            threshold,
            unmarked,
            destructive,
        } = self
        else {
            return None;
        };
        let mut reasons = Map::new();
        let destroys = *destructive && annotations.destructive == Some(true);
        let found: Vec<_> = attributes.map(|one| levels.of(one)).collect();
        let is_unmarked = *unmarked && found.iter().any(Option::is_none);
        match found.into_iter().flatten().max_by_key(|(_, level)| *level) {
            Some((value, level)) if level >= *threshold => {
                reasons.insert(levels.attribute().to_owned(), value.clone());
            }
            _ if is_unmarked || destroys || needs_approval => {}
            _ => return None,
        }
        if destroys {
            reasons.insert("destructive".to_owned(), true.into());
        }
        if needs_approval {
            reasons.insert("needs_approval".to_owned(), true.into());
        }
        Some(reasons)
    }
}

impl Approval {
    /// Asks about tools whose attribute `risk` is at least this. Tools without it run at once; an unknown value needs a
    /// decision.
    pub fn at_least(level: Risk) -> Self {
        Self::of_levels(Levels::risk(), level as usize)
    }

    /// Asks about tools whose attribute is at least this level.
    ///
    /// # Panics
    /// When `level` is not one of the levels; see [`try_at_least_of`](Self::try_at_least_of) for one that comes from
    /// elsewhere.
    #[track_caller]
    pub fn at_least_of(levels: Levels, level: &str) -> Self {
        match Self::try_at_least_of(levels, level) {
            Some(approval) => approval,
            None => panic!("`{level}` is none of the levels"),
        }
    }

    /// Makes an approval as [`at_least_of`](Self::at_least_of) does; `None` if `level` is not one of the levels.
    pub fn try_at_least_of(levels: Levels, level: &str) -> Option<Self> {
        let threshold = levels.position(level)?;
        Some(Self::of_levels(levels, threshold))
    }

    fn of_levels(levels: Levels, threshold: usize) -> Self {
        Self::new(Needs::Level {
            levels,
            threshold,
            unmarked: false,
            destructive: false,
        })
    }

    /// Asks about calls for which `needs` returns true: it sees arguments, attributes, annotations and context.
    pub fn when(needs: impl Fn(&Request<'_>) -> bool + Send + Sync + 'static) -> Self {
        Self::new(Needs::When(Arc::new(needs)))
    }

    fn new(needs: Needs) -> Self {
        Self {
            needs,
            unless_approved: false,
            ask: None,
            details: None,
        }
    }

    /// Asks about tools without the attribute, too.
    pub fn unmarked_too(mut self) -> Self {
        if let Needs::Level { unmarked, .. } = &mut self.needs {
            *unmarked = true;
        }
        self
    }

    /// Asks about `destructive` tools too, whatever their level: `idempotent` ones as well, and those of a low risk.
    pub fn destructive_too(mut self) -> Self {
        if let Needs::Level { destructive, .. } = &mut self.needs {
            *destructive = true;
        }
        self
    }

    /// Skips calls that an `Approval` further out approved. By default each approval asks for itself.
    pub fn unless_approved(mut self) -> Self {
        self.unless_approved = true;
        self
    }

    /// Sets the closure that decides; the call waits for its answer. If it panics, the call fails without running.
    pub fn ask<F, R>(self, ask: F) -> Self
    where
        F: Fn(Ask) -> R + Send + Sync + 'static,
        R: Future<Output = Decision> + Send + 'static,
    {
        Self {
            ask: Some(Arc::new(move |call| Box::pin(ask(call)))),
            ..self
        }
    }

    /// Sets the details to show to the person who decides.
    pub fn details(
        mut self,
        details: impl Fn(&Request<'_>) -> Value + Send + Sync + 'static,
    ) -> Self {
        self.details = Some(Arc::new(details));
        self
    }

    /// Returns the details of a call that needs a decision; `None` for other calls.
    fn details_of(&self, request: &Request<'_>) -> Option<Value> {
        let details = match &self.needs {
            Needs::When(needs) => needs(request).then(Map::new)?,
            level @ Needs::Level { .. } => {
                let needs_approval = request.needs_approval() && !request.is_sealed();
                level.reasons(
                    request.all_attributes(),
                    request.annotations(),
                    needs_approval,
                )?
            }
        };
        Some(match &self.details {
            Some(make) => make(request),
            None => details.into(),
        })
    }
}

/// Asks about `destructive` tools and those whose `risk` is at least `high`.
impl Default for Approval {
    fn default() -> Self {
        Self::at_least(Risk::High).destructive_too()
    }
}

impl Layer for Approval {
    fn call<'a>(&'a self, request: Request<'a>, next: Next<'a>) -> BoxFuture<'a, Handled> {
        Box::pin(async move {
            let Some(details) = self.details_of(&request) else {
                return next.run(request).await;
            };
            if self.unless_approved && request.is_sealed() {
                return next.run(request).await;
            }
            if request.is_approved() {
                return next.run(request.sealed()).await;
            }
            let Some(ask) = &self.ask else {
                return Handled::Wait(details);
            };
            let call = request.call();
            let filled = request.tool().__with_defaults(&call.arguments);
            let decision = ask(Ask {
                call: filled.map_or_else(|| call.clone(), |filled| call.with_arguments(filled)),
                place: request.context().call_index().unwrap_or_default(),
                details,
                tool: Arc::clone(request.tool()),
                context: request.context().clone(),
            });
            match decision.await {
                Decision::Approve => next.run(request.sealed()).await,
                Decision::Edit(arguments) => {
                    let edited = request.with_arguments(&*arguments);
                    next.run(edited.sealed()).await
                }
                Decision::Reject(reason) => Decision::rejected(&reason).into(),
                Decision::Answer(value) => Outcome::value(value).into(),
            }
        })
    }

    fn requires_approval(&self, def: &ToolDef) -> bool {
        let reasons = self.needs.reasons(
            def.all_attributes(),
            def.options.annotations,
            def.options.needs_approval,
        );
        reasons.is_some()
    }

    fn may_hold(&self, def: &ToolDef) -> bool {
        let selects = matches!(self.needs, Needs::When(_)) || self.requires_approval(def);
        self.ask.is_none() && selects
    }
}

impl fmt::Debug for Approval {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut debug = f.debug_struct("Approval");
        if let Needs::Level {
            levels,
            threshold,
            unmarked,
            destructive,
        } = &self.needs
        {
            debug.field("levels", levels);
            debug.field("threshold", threshold);
            debug.field("unmarked", unmarked);
            debug.field("destructive", destructive);
        }
        debug
            .field("asks", &self.ask.is_some())
            .finish_non_exhaustive()
    }
}
