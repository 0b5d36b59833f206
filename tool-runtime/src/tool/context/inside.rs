use std::sync::Arc;

use super::Context;

/// Returns the context of an agent that a call runs. It lacks all that belongs to the caller's conversation alone: the
/// call, agent id, session, run, turn, input, messages and called tools. A context outside a call stays as it is.
pub fn inside_call(cx: &Context) -> Context {
    if cx.call.is_none() {
        return cx.clone();
    }
    #[cfg(feature = "tokio")]
    let (stop, caller) = (cx.cancel(), cx.caller());
    let inside = Context {
        shared: Arc::clone(&cx.shared),
        call: None,
        #[cfg(feature = "tokio")]
        batch: None,
    };
    inside.change(|shared| {
        shared.agent = None;
        shared.session = None;
        shared.run = None;
        shared.turn = None;
        shared.called = None;
        shared.input = None;
        shared.conversation = None;
        shared.within = None;
        shared.place = None;
        #[cfg(feature = "tokio")]
        {
            shared.stop = Some(stop);
            shared.caller = caller;
            shared.open = None;
        }
    })
}
