use crate::run::Run;
use crate::session::Session;

/// Host code around a run and its model calls. Each method does nothing by default. `before` hooks run in the order in
/// which they were added, `after` hooks in reverse.
///
/// A panic in a hook propagates to the caller.
pub trait Hooks: Send + Sync {
    /// Called once per run, before anything else happens. A run that continues after a pause counts too.
    fn before_run(&self, session: &mut Session) {
        let _ = session;
    }

    /// Called once per run, after it has ended.
    fn after_run(&self, session: &mut Session, run: &Run) {
        let _ = (session, run);
    }

    /// Called before each request.
    fn before_model(&self, session: &mut Session) {
        let _ = session;
    }

    /// Called after each response, once it is in the session's thread.
    fn after_model(&self, session: &mut Session) {
        let _ = session;
    }
}
