//! Conversion of a handle that the macro made to a tool that a toolset holds.

use std::fmt;
use std::marker::PhantomData;
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use crate::tool::{Answer, Approved, Call, EarlyExit, RunResult, Scope, Tool, with_defaults};
use toolwright_provider::call::{
    ErrorKind, Example, Meta, OldNames, ToolDef, ToolError, ToolOptions,
};
use toolwright_schema::render::SchemaDoc;
use toolwright_schema::shape::{Refs, Shape, Side};

use super::{Described, List, NameOverride, NamedTool, Params, Table};
use crate::toolset::ListState;

/// Descriptor of a tool, in `const`.
#[derive(Debug, Clone, Copy)]
pub struct Descriptor {
    /// The name.
    pub name: &'static str,
    /// The name for people, or nothing.
    pub title: &'static str,
    /// The description.
    pub description: &'static str,
    /// The parameters, as the tree of an object.
    pub input: &'static Shape<'static>,
    /// Types that edges of the parameters' trees lead back to.
    pub refs: &'static Refs,
    /// The result, if its type has a tree.
    pub output: Option<&'static Shape<'static>>,
    /// Hints, and how calls run.
    pub options: ToolOptions,
    /// The text of a JSON object.
    pub meta: &'static str,
    /// Example calls: the arguments, and a description of each.
    pub examples: &'static [(&'static str, &'static str)],
    /// Other tools in the description: positions and lengths of their names, in bytes, and the tools' names.
    pub mentions: &'static [(usize, usize, &'static str)],
    /// Function that returns true if a conversation may see the tool.
    pub visible: fn(&Scope<'_>) -> bool,
    /// True if that is a function of the user's.
    pub may_hide: bool,
    /// See [`Tool::reads_context`].
    pub reads_context: bool,
    /// True if the tree of the parameters accepts unknown keys; known before the tree is made.
    pub ignores_unknown: bool,
    /// Names that the tool had before.
    pub was: &'static [&'static str],
    /// Names that arguments had before, each with the one of today.
    pub was_args: &'static [(&'static str, &'static str)],
}

impl Descriptor {
    /// A tool without anything; generated code updates it.
    pub const NEW: Self = Self {
        name: "",
        title: "",
        description: "",
        input: &Shape::object(&[]),
        refs: &Refs::NONE,
        output: None,
        options: ToolOptions::new(),
        meta: "",
        examples: &[],
        mentions: &[],
        visible: |_| true,
        may_hide: false,
        reads_context: false,
        ignores_unknown: false,
        was: &[],
        was_args: &[],
    };

    pub(super) fn def(&self, listed: &'static NameOverride) -> ToolDef {
        let mut def = ToolDef::new(listed.name(self.name), listed.description(self.description))
            .named_at_first(self.name);
        if !self.mentions.is_empty() && def.description.starts_with(self.description) {
            def.mention(self.mentions);
        }
        let arguments = self.was_args.iter();
        def.set_old_names(OldNames {
            names: self.was.iter().map(|old| listed.old_name(old)).collect(),
            arguments: arguments
                .map(|&(old, new)| (old.into(), new.into()))
                .collect(),
        });
        def.title = (!self.title.is_empty()).then_some(self.title.into());
        def.input = SchemaDoc::from_shape(self.input, Side::Input);
        def.output = self
            .output
            .map(|shape| SchemaDoc::from_shape(shape, Side::Output));
        def.options = self.options;
        if !self.meta.is_empty() {
            def.meta = Meta::parse(self.meta);
        }
        let examples = self.examples.iter();
        def.examples = examples
            .map(|(arguments, shows)| Example::new(*arguments, *shows))
            .collect();
        def
    }
}

/// A time limit. In generated code `Duration`'s own functions would be linted for their units.
pub const fn millis(millis: u64) -> Duration {
    Duration::from_millis(millis)
}

/// The approval of a call. A call without one ends here, before the body.
///
/// # Errors
///
/// If the call is not approved.
pub fn approved<'a>(call: &Call<'a>) -> Result<Approved<'a>, EarlyExit> {
    call.approved().map_err(EarlyExit::Failed)
}

/// An approval for the test of a function; `toolwright_testing` calls it.
pub fn approved_in_test(arguments: String) -> Approved<'static> {
    crate::tool::approved_in_test(arguments)
}

/// Descriptor of a tool, as a call receives it.
pub type DescriptorRef = &'static Descriptor;

/// Function that runs a call of a tool with state `S`. The descriptor is an argument: a constant in generated code
/// costs the compiler more.
pub type Run<S> = for<'a> fn(&'a Arc<S>, Call<'a>, DescriptorRef) -> RunResult<'a>;

/// A tool with state `S`.
pub struct BoundTool<S> {
    /// Descriptor of the tool.
    pub descriptor: &'static Descriptor,
    /// Function that runs the tool.
    pub run: Run<S>,
}

impl<S> fmt::Debug for BoundTool<S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("BoundTool")
            .field(&self.descriptor.name)
            .finish()
    }
}

/// The struct that `#[tool]` makes beside a function.
#[diagnostic::on_unimplemented(
    message = "only tools can be listed",
    label = "not a tool",
    note = "put `#[tool]` on the function, or list the methods of a value as `..value: Type`"
)]
pub trait Handle: Sized {
    /// An array of [`Param`](super::Param), or a [`Root`](super::Root).
    type Params: Params;
    /// The name: a separate constant, so that a list, which reads all names, does not evaluate the rest.
    const TOOL_NAME: &'static str;
    /// Description, parameters and result.
    const TABLE: Table<Self::Params>;
    /// Options, which few tools have.
    const OPTIONS: Descriptor = Descriptor::NEW;
    /// The names that the tool had before: a separate constant, as `TOOL_NAME`.
    const WAS: &'static [&'static str] = &[];
    /// The descriptor that is made of these.
    const DESCRIPTOR: &'static Descriptor =
        <<Self::Params as Params>::Of<Self> as Described>::DESCRIPTOR;
}

/// A tool that runs with the state `S`. [`bound`] requires that threads may share `S`, so that the error is at the
/// state and not at each tool.
#[diagnostic::on_unimplemented(
    message = "only tools can be listed",
    label = "not a tool",
    note = "put `#[tool]` on the function, or list the methods of a value as `..value: Type`"
)]
pub trait Bind<S: 'static>: Handle {
    /// The tool.
    const ENTRY: &'static BoundTool<S> = &BoundTool {
        descriptor: Self::DESCRIPTOR,
        run: Self::run,
    };

    /// Answers a call.
    fn run<'a>(state: &'a Arc<S>, call: Call<'a>, about: DescriptorRef) -> RunResult<'a>;
}

/// A tool that runs with any state: a [`Handle`] and a [`Bind`] in one impl.
#[diagnostic::on_unimplemented(
    message = "only tools can be listed",
    label = "not a tool",
    note = "put `#[tool]` on the function, or list the methods of a value as `..value: Type`"
)]
pub trait Stateless: Sized {
    /// See [`Handle`].
    type Params: Params;
    /// See [`Handle`].
    const TOOL_NAME: &'static str;
    /// See [`Handle`].
    const TABLE: Table<Self::Params>;
    /// See [`Handle`].
    const OPTIONS: Descriptor = Descriptor::NEW;
    /// See [`Handle`].
    const WAS: &'static [&'static str] = &[];

    /// Answers a call. A tool that did not compile cannot.
    fn run(_: Call<'_>, _: DescriptorRef) -> RunResult<'_> {
        Err(EarlyExit::CheckPassed)
    }
}

#[diagnostic::do_not_recommend]
impl<T: Stateless> Handle for T {
    type Params = T::Params;
    const TOOL_NAME: &'static str = T::TOOL_NAME;
    const TABLE: Table<Self::Params> = T::TABLE;
    const OPTIONS: Descriptor = T::OPTIONS;
    const WAS: &'static [&'static str] = T::WAS;
}

#[diagnostic::do_not_recommend]
impl<T: Stateless, S: 'static> Bind<S> for T {
    #[inline]
    fn run<'a>(_: &'a Arc<S>, call: Call<'a>, about: DescriptorRef) -> RunResult<'a> {
        T::run(call, about)
    }
}

impl<T: Stateless, S: 'static> BindGeneric<S> for T {}

/// A method that is a tool, of which `M` is the name as a type: a [`Handle`] and a [`Bind`] in one impl.
pub trait Method<M>: Sized {
    /// See [`Handle`].
    type Params: Params;
    /// See [`Handle`].
    const TOOL_NAME: &'static str;
    /// See [`Handle`].
    const TABLE: Table<Self::Params>;
    /// See [`Handle`].
    const OPTIONS: Descriptor = Descriptor::NEW;
    /// See [`Handle`].
    const WAS: &'static [&'static str] = &[];

    /// Answers a call.
    fn run<'a>(state: &'a Arc<Self>, call: Call<'a>, about: DescriptorRef) -> RunResult<'a>;
}

/// The handle of a method.
pub struct MethodOf<T, M>(PhantomData<fn(T, M)>);

impl<T, M> fmt::Debug for MethodOf<T, M> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("MethodOf")
    }
}

impl<T: Method<M>, M> Handle for MethodOf<T, M> {
    type Params = T::Params;
    const TOOL_NAME: &'static str = T::TOOL_NAME;
    const TABLE: Table<Self::Params> = T::TABLE;
    const OPTIONS: Descriptor = T::OPTIONS;
    const WAS: &'static [&'static str] = T::WAS;
}

/// The descriptor of a method.
pub const fn described<T: Method<M>, M>() -> &'static Descriptor {
    <MethodOf<T, M> as Handle>::DESCRIPTOR
}

/// A method as a tool.
pub const fn entry<T: Method<M>, M>() -> BoundTool<T> {
    BoundTool {
        descriptor: described::<T, M>(),
        run: T::run,
    }
}

/// A tool with type parameters. Such tools are listed by this trait, of which they have the one impl: of several the compiler
/// does not say why the nearest does not hold.
#[diagnostic::on_unimplemented(
    message = "only tools can be listed",
    label = "not a tool",
    note = "put `#[tool]` on the function, or list the methods of a value as `..value: Type`"
)]
pub trait BindGeneric<S: 'static>: Bind<S> {}

/// A type whose methods are tools.
#[diagnostic::on_unimplemented(
    message = "`{Self}` has no tools",
    label = "no `#[tool] impl` for this type",
    note = "put `#[tool]` on an impl block of `{Self}` and on its methods"
)]
pub trait OneToolImplPerType: Sized + Send + Sync + 'static {
    /// The methods that are tools.
    const TOOLS: Offers<Self>;
    /// The methods that are prompts.
    const PROMPTS: Offers<Prompts<Self>> = Offers::NONE;
    /// The methods that are resources.
    const RESOURCES: Offers<Resources<Self>> = Offers::NONE;
}

/// Methods of a block with one role, in order.
pub struct Offers<T: 'static> {
    /// Their names, for the check of a list.
    pub names: &'static [NamedTool],
    /// Their descriptors.
    pub descriptors: &'static [&'static Descriptor],
    /// The methods.
    pub entries: &'static [BoundTool<T>],
}

impl<T> Offers<T> {
    /// None.
    pub const NONE: Self = Self {
        names: &[],
        descriptors: &[],
        entries: &[],
    };
}

impl<T> fmt::Debug for Offers<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.names).finish()
    }
}

/// The prompts of a value, for a list: `tools![..Prompts(app): Prompts<App>]`. They are the methods with `#[prompt]` in the
/// `#[tool] impl` of its type.
pub struct Prompts<T>(pub Arc<T>);

/// The resources of a value, for a list: `tools![..Resources(app): Resources<App>]`. They are the methods with
/// `#[resource(…)]` in the `#[tool] impl` of its type.
pub struct Resources<T>(pub Arc<T>);

macro_rules! role {
    ($role:ident, $offers:ident, $entry:ident) => {
        impl<T> fmt::Debug for $role<T> {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(stringify!($role))
            }
        }

        #[diagnostic::do_not_recommend]
        impl<T: OneToolImplPerType> OneToolImplPerType for $role<T> {
            const TOOLS: Offers<Self> = T::$offers;
        }

        /// A method with this role.
        pub const fn $entry<T: Method<M>, M>() -> BoundTool<$role<T>> {
            fn run<'a, T: Method<M>, M>(
                state: &'a Arc<$role<T>>,
                call: Call<'a>,
                about: DescriptorRef,
            ) -> RunResult<'a> {
                T::run(&state.0, call, about)
            }
            BoundTool {
                descriptor: described::<T, M>(),
                run: run::<T, M>,
            }
        }
    };
}

role!(Prompts, PROMPTS, prompt_entry);
role!(Resources, RESOURCES, resource_entry);

/// One tool of a list.
pub fn bound<S, T>(list: &mut List<S>, listed: &'static NameOverride)
where
    T: Bind<S>,
    S: Send + Sync + 'static,
{
    list.push(T::ENTRY, listed);
}

/// Adds a tool that is listed with type arguments, as [`bound`] does.
pub fn bound_generic<S, T>(list: &mut List<S>, listed: &'static NameOverride)
where
    T: BindGeneric<S>,
    S: Send + Sync + 'static,
{
    list.push(T::ENTRY, listed);
}

/// All tools of a type, with the value as their state.
pub fn group<T: OneToolImplPerType + Send + Sync + 'static, S>(
    state: &ListState<T>,
    list: &mut List<S>,
    listed: &'static NameOverride,
) {
    list.tools.extend(
        T::TOOLS
            .entries
            .iter()
            .map(|entry| Bound::share(entry, state, listed)),
    );
}

impl<S: Send + Sync + 'static> List<S> {
    fn push(&mut self, entry: &'static BoundTool<S>, listed: &'static NameOverride) {
        self.tools.push(Bound::share(entry, &self.state, listed));
    }
}

/// A tool and its state.
struct Bound<S: 'static> {
    entry: &'static BoundTool<S>,
    state: ListState<S>,
    listed: &'static NameOverride,
    def: OnceLock<ToolDef>,
}

impl<S: Send + Sync + 'static> Bound<S> {
    fn share(
        entry: &'static BoundTool<S>,
        state: &ListState<S>,
        listed: &'static NameOverride,
    ) -> Arc<dyn Tool> {
        Arc::new(Self {
            entry,
            state: state.share(),
            listed,
            def: OnceLock::new(),
        })
    }

    #[cold]
    fn without_state(&self) -> ToolError {
        let message = format!(
            "the tool `{}` was listed without its state",
            self.def().name
        );
        ToolError::new(ErrorKind::NoHandler, message)
    }
}

impl<S: Send + Sync + 'static> Tool for Bound<S> {
    fn def(&self) -> &ToolDef {
        self.def
            .get_or_init(|| self.entry.descriptor.def(self.listed))
    }

    fn call<'a>(&'a self, call: Call<'a>) -> Answer<'a> {
        self.__run(call)
            .unwrap_or_else(|stop| Answer::Ready(stop.into_outcome()))
    }

    #[inline]
    fn __run<'a>(&'a self, call: Call<'a>) -> RunResult<'a> {
        match &self.state {
            ListState::Shared(state) => (self.entry.run)(state, call, self.entry.descriptor),
            ListState::Absent => Err(EarlyExit::Failed(self.without_state())),
        }
    }

    fn validate(&self, call: Call<'_>) -> Result<(), ToolError> {
        // The call ends before the body, so there is nothing to wait for.
        match self.__run(call.checking()) {
            Err(stop) => stop.into_validated(),
            Ok(_) => Err(ToolError::new(
                ErrorKind::InvalidReturn,
                "the tool ran where only its arguments were asked about",
            )),
        }
    }

    fn visible(&self, scope: &Scope<'_>) -> bool {
        (self.entry.descriptor.visible)(scope)
    }

    fn reads_context(&self) -> bool {
        self.entry.descriptor.reads_context
    }

    fn __with_defaults(&self, arguments: &str) -> Option<String> {
        with_defaults(&self.def().input, arguments)
    }

    fn __may_hide(&self) -> bool {
        self.entry.descriptor.may_hide
    }
}
