use std::borrow::Cow;
use std::fmt;
use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;

use serde_json::{Map, Value};

use super::Levels;
use crate::executor::{Handled, Layer, Next, Request};
use crate::tool::{BoxFuture, Context, Decision, Tool};
use toolwright_provider::call::{Outcome, ToolCall};

/// Asks before a call runs: a person, a policy, another program.
///
/// Which calls are asked about is said by a level ([`at_least`](Self::at_least)), by a level and the annotation
/// `destructive` ([`default`](Self::default), the rule of `serve::main`), or by a closure
/// ([`when`](Self::when)); all others run at once. Who is asked is said by [`ask`](Self::ask), and
/// the call goes on when the answer is there. Without it the call is left
/// [pending](crate::PendingReason::Decision), for as long as it takes: the batch ends without it, and
/// [`Executor::decide`](crate::Executor::decide) goes on with it, in another process if need be.
///
/// An approval is for the arguments that were shown. Edited ones are read and validated like those
/// of a model. A layer further in that changes them afterwards has the call refused: rewrite
/// arguments further out.
///
/// ```
/// use toolwright::layers::Approval;
/// use toolwright::{Decision, Executor, Toolset};
///
/// let tools = Toolset::default();
/// // #[tool(meta(risk = "high"))]
/// let asks = Approval::at_least("medium").ask(|ask| async move {
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
    When(Arc<When>),
}

type When = dyn Fn(&Request<'_>) -> bool + Send + Sync;
type Details = dyn Fn(&Request<'_>) -> Value + Send + Sync;
type Approver = dyn Fn(Ask) -> Pin<Box<dyn Future<Output = Decision> + Send>> + Send + Sync;

/// A call that somebody is asked about.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Ask {
    /// The call, with the arguments that it would run with; some may be secret:
    /// [`Ask::arguments`] leaves those out.
    pub call: ToolCall,
    /// The call's place in its turn, from 0.
    pub place: usize,
    /// What to show beside it: the level that it is asked about for, as `{"risk": "high"}`, or what
    /// [`Approval::details`] made.
    pub details: Value,
    /// The tool.
    pub tool: Arc<dyn Tool>,
    /// What the tool may know about the call.
    pub context: Context,
}

impl Ask {
    /// The arguments as they may be shown to people: without [secrets](Tool::redacted).
    pub fn arguments(&self) -> Cow<'_, str> {
        self.tool.redacted(&self.call.arguments)
    }
}

impl Approval {
    /// Of tools whose attribute `risk` is at least this: `low`, `medium`, `high` or `critical`. Tools
    /// without the attribute run at once; one whose value is none of these is asked about.
    ///
    /// # Panics
    /// When `level` is none of these.
    #[track_caller]
    pub fn at_least(level: &str) -> Self {
        Self::at_least_of(Levels::risk(), level)
    }

    /// The same for an attribute of your own.
    ///
    /// # Panics
    /// When `level` is none of the levels; see [`try_at_least_of`](Self::try_at_least_of) for one that
    /// comes from elsewhere.
    #[track_caller]
    pub fn at_least_of(levels: Levels, level: &str) -> Self {
        match Self::try_at_least_of(levels, level) {
            Some(approval) => approval,
            None => panic!("`{level}` is none of the levels"),
        }
    }

    /// The same; `None` when `level` is none of the levels.
    pub fn try_at_least_of(levels: Levels, level: &str) -> Option<Self> {
        let threshold = levels.position(level)?;
        Some(Self::new(Needs::Level {
            levels,
            threshold,
            unmarked: false,
            destructive: false,
        }))
    }

    /// Of calls for which `needs` says yes: it sees the arguments, the tool's attributes and
    /// annotations, and the context.
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

    /// The same, which also asks about tools that do not have the attribute.
    pub fn unmarked_too(mut self) -> Self {
        if let Needs::Level { unmarked, .. } = &mut self.needs {
            *unmarked = true;
        }
        self
    }

    /// Asks about `destructive` tools too, whatever their level: `idempotent` ones as well, and those of a low
    /// risk.
    pub fn destructive_too(mut self) -> Self {
        if let Needs::Level { destructive, .. } = &mut self.needs {
            *destructive = true;
        }
        self
    }

    /// Leaves out calls that an `Approval` further out let run, so that nobody is asked twice. Without
    /// this, each of several approvals asks for itself.
    pub fn unless_approved(self) -> Self {
        Self {
            unless_approved: true,
            ..self
        }
    }

    /// The same, which waits for the answer of `ask`. A panic of it is the call's error, and the call
    /// does not run.
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

    /// The same, which shows this to who decides.
    pub fn details(self, details: impl Fn(&Request<'_>) -> Value + Send + Sync + 'static) -> Self {
        Self {
            details: Some(Arc::new(details)),
            ..self
        }
    }

    /// What to show of a call that is asked about; `None` of one that is not.
    fn details_of(&self, request: &Request<'_>) -> Option<Value> {
        let mut details = Map::new();
        match &self.needs {
            Needs::Level {
                levels,
                threshold,
                unmarked,
                destructive,
            } => {
                let destroys = *destructive && request.annotations().destructive == Some(true);
                match levels.of(request.attributes()) {
                    Some((value, level)) if level >= *threshold => {
                        details.insert(levels.attribute().to_owned(), value.clone());
                    }
                    None if *unmarked => {}
                    _ if destroys => {}
                    _ => return None,
                }
                if destroys {
                    details.insert("destructive".to_owned(), true.into());
                }
            }
            Needs::When(needs) if needs(request) => {}
            Needs::When(_) => return None,
        }
        Some(match &self.details {
            Some(make) => make(request),
            None => details.into(),
        })
    }
}

/// Asks about `destructive` tools and those whose `risk` is at least `high`.
impl Default for Approval {
    fn default() -> Self {
        Self::at_least("high").destructive_too()
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
            let decision = ask(Ask {
                call: request.call().clone(),
                place: request.context().call_index().unwrap_or_default(),
                details,
                tool: Arc::clone(request.tool()),
                context: request.context().clone(),
            });
            match decision.await {
                Decision::Approve => next.run(request.sealed()).await,
                Decision::Edit(arguments) => {
                    let edited = request.with_arguments(arguments.to_string());
                    next.run(edited.sealed()).await
                }
                Decision::Reject(reason) => Decision::rejected(&reason).into(),
                Decision::Answer(value) => Outcome::value(value).into(),
            }
        })
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
