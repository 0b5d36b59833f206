//! Places where tools panicked, for hosts that ask.

use std::any::Any;
use std::backtrace::Backtrace;
use std::cell::{Cell, RefCell};
use std::fmt;
use std::io::{self, Write as _};
use std::panic::{self, AssertUnwindSafe, PanicHookInfo, catch_unwind};
use std::sync::Once;
use std::sync::atomic::{AtomicBool, Ordering};

use crate::text::Printable;

static INSTALL: Once = Once::new();
static INSTALLED: AtomicBool = AtomicBool::new(false);

thread_local! {
    /// Number of contained parts of tools that run on this thread, one inside the other.
    static RUNNING: Cell<u32> = const { Cell::new(0) };
    /// The last panic, until it is read.
    static LAST: RefCell<Option<Record>> = const { RefCell::new(None) };
}

/// Adds the place and a backtrace to the host's details of a contained panic, from now on.
///
/// Without this, `ToolError::host_detail` is the panic's message, and the program's panic hook prints the rest to
/// standard error, as it does for every panic. With it, the detail goes on with the place in the source and a
/// backtrace, and nothing is printed. Observers and traces get all of it. The model reads neither, as before.
///
/// It puts one panic hook before the present one, once for the whole program, however often it is called. That hook
/// concerns panics of code that the runtime contains (tools, validators, layers, observers, …), on the thread where it
/// runs. All other panics go to the hook that was there. So does a second panic before the first was contained, and the
/// first is printed with it: where a destructor panics while a tool unwinds, the program ends, and not in silence. A
/// panic that a tool catches itself is not printed. A hook that the program sets later takes the place of this one.
///
/// A panic that changes no result (of an observer, a listener, a filter or a tool's `visible`, a catalogue, a destructor)
/// is an error of the crate `tracing`, with its detail, whether or not this was called. Without a subscriber, it is
/// printed. The panic of an error policy also stands beside the error that it was asked about, in
/// `ToolError::host_detail`.
///
/// A backtrace takes milliseconds. It depends on the build: without debug information it has only names.
/// Where panics abort (`panic = "abort"`) nothing is contained, and this does nothing.
///
/// ```
/// use toolwright::{Context, DynTool, ToolCall, ToolError, Toolset};
///
/// toolwright::panics::capture();
/// let broken = DynTool::builder()
///     .name("broken")
///     .description("Panics.")
///     .handler_sync(|_: serde_json::Value, _| -> Result<(), ToolError> { panic!("no luck") })
///     .build()
///     .unwrap();
/// let tools = Toolset::new([broken]).unwrap();
/// let result = tools.call_blocking(&ToolCall::new("1", "broken", "{}"), &Context::new());
/// let error = result.outcome.unwrap_err();
/// assert!(error.host_detail().unwrap().starts_with("no luck\nat "));
/// assert!(!error.to_string().contains("no luck"));
/// ```
///
/// # Panics
/// When it is first called while its own thread panics, from a destructor: the standard library changes no hook there.
pub fn capture() {
    if !cfg!(panic = "unwind") {
        return;
    }
    INSTALL.call_once_force(|_| {
        let previous = panic::take_hook();
        panic::set_hook(Box::new(move |info| {
            if !is_recorded(info) {
                previous(info);
            }
        }));
        INSTALLED.store(true, Ordering::Release);
    });
}

/// A panic of contained code.
struct Record {
    /// Text of the panic, to distinguish it from one that the tool caught.
    message: Option<String>,
    place: String,
    trace: Backtrace,
}

impl fmt::Display for Record {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "at {}\n{}", self.place, self.trace)
    }
}

/// Records a panic of contained code. Returns false if the panic must be printed: it is not contained, or another one
/// was recorded and not read yet.
fn is_recorded(info: &PanicHookInfo<'_>) -> bool {
    // A thread that ends has no such values any more.
    if RUNNING.try_with(Cell::get).unwrap_or(0) == 0 {
        return false;
    }
    let place = info.location().map(ToString::to_string);
    let record = Record {
        message: info.payload_as_str().map(str::to_owned),
        place: place.unwrap_or_else(|| "an unknown place".to_owned()),
        trace: Backtrace::force_capture(),
    };
    let first = LAST.try_with(|last| Some(last.try_borrow_mut().ok()?.replace(record)));
    match first {
        Ok(Some(None)) => true,
        Ok(Some(Some(first))) => {
            // This panic may end the program, and then the first is never read.
            let message = first.message.as_deref().unwrap_or(NO_TEXT);
            let _ = writeln!(io::stderr(), "{message}\n{first}");
            false
        }
        Ok(None) | Err(_) => false,
    }
}

/// While it lives, panics on this thread are contained.
struct Running(());

impl Running {
    /// Returns `None` if places are not captured.
    #[inline]
    fn start() -> Option<Self> {
        INSTALLED.load(Ordering::Relaxed).then(Self::counted)
    }

    #[cold]
    fn counted() -> Self {
        let _ = RUNNING.try_with(|running| {
            if running.get() == 0 {
                // A panic that a tool caught.
                forget();
            }
            running.set(running.get() + 1);
        });
        Self(())
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        let _ = RUNNING.try_with(|running| running.set(running.get().saturating_sub(1)));
    }
}

fn forget() {
    let _ = LAST.try_with(|last| last.try_borrow_mut().map(|mut last| last.take()));
}

/// Takes the last panic, and returns its place and backtrace if it has this text.
fn take_report(message: Option<&str>) -> Option<String> {
    let last = LAST
        .try_with(|last| last.try_borrow_mut().ok()?.take())
        .ok()??;
    // A panic thrown again (`resume_unwind`) skips the hook: the last panic was another one.
    (last.message.as_deref() == message).then(|| last.to_string())
}

const NO_TEXT: &str = "a panic whose payload is not a text";

/// A panic that was caught: its message and, after [`capture`], its place and backtrace.
pub struct Panic(String);

impl Panic {
    /// Reads a payload that `catch_unwind` or a thread's `join` returned.
    #[cold]
    pub fn of(payload: Box<dyn Any + Send>) -> Self {
        let text = payload.downcast_ref::<&str>().copied();
        let text = text.or_else(|| payload.downcast_ref::<String>().map(String::as_str));
        let mut detail = text.unwrap_or(NO_TEXT).to_owned();
        if let Some(place) = take_report(text) {
            detail.push('\n');
            detail.push_str(&place);
        }
        // A payload can panic in its own `Drop`; that panic's payload is let go.
        if let Err(again) = catch_unwind(AssertUnwindSafe(|| drop(payload))) {
            std::mem::forget(again);
        }
        Self(detail)
    }

    pub fn into_detail(self) -> String {
        self.0
    }
}

/// Runs foreign code, and catches its panic.
///
/// Code that panics may leave its data half changed; the runtime's state is not reachable from `run`.
#[inline]
pub fn caught<T>(run: impl FnOnce() -> T) -> Result<T, Panic> {
    let _running = Running::start();
    catch_unwind(AssertUnwindSafe(run)).map_err(Panic::of)
}

/// Runs code of the host or a tool whose panic changes nothing; the panic of `what` is reported instead.
#[inline]
#[doc(hidden)]
pub fn reported<T>(what: &'static str, run: impl FnOnce() -> T) -> Option<T> {
    match caught(run) {
        Ok(done) => Some(done),
        Err(panic) => {
            report(what, &panic.into_detail());
            None
        }
    }
}

/// Reports a panic that no result shows. It goes to the subscriber of `tracing`; without one it is
/// printed, unless the program's own hook has done so.
#[cold]
pub fn report(what: &'static str, detail: &str) {
    #[cfg(feature = "tracing")]
    {
        // The subscriber itself may panic.
        let event = || {
            let listens = tracing::enabled!(tracing::Level::ERROR);
            tracing::error!(what, detail, "{what} panicked");
            listens
        };
        if caught(event).unwrap_or(false) {
            return;
        }
    }
    if INSTALLED.load(Ordering::Acquire) {
        // A panic may quote foreign text.
        let detail = Printable::new(detail);
        let _ = writeln!(io::stderr(), "{what} panicked: {detail}");
    }
}
