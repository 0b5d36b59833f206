//! A server's process and all that it starts: `npx` is not the server, but its parent.

use tokio::process::{Child, Command};

/// Ends what is left of the group when it is dropped, also where the runtime ends and drops its tasks.
pub(super) struct ProcessGroup {
    /// The id of the process that leads it.
    #[cfg(unix)]
    leader: rustix::process::Pid,
    /// The job that its processes are in. They end when its handle is closed.
    #[cfg(windows)]
    _job: win32job::Job,
}

#[cfg(unix)]
impl ProcessGroup {
    /// The command's process will lead a group.
    pub(super) fn prepare(command: &mut Command) {
        command.process_group(0);
    }

    pub(super) fn of(child: &Child) -> Option<Self> {
        let leader = rustix::process::Pid::from_raw(child.id()?.try_into().ok()?)?;
        Some(Self { leader })
    }
}

#[cfg(unix)]
impl Drop for ProcessGroup {
    fn drop(&mut self) {
        // Who is gone cannot be killed.
        let _ = rustix::process::kill_process_group(self.leader, rustix::process::Signal::KILL);
    }
}

#[cfg(windows)]
impl ProcessGroup {
    pub(super) fn prepare(_: &mut Command) {}

    /// What the process had started before it was put into the job is not in it.
    pub(super) fn of(child: &Child) -> Option<Self> {
        let mut limits = win32job::ExtendedLimitInfo::new();
        limits.limit_kill_on_job_close();
        let job = win32job::Job::create_with_limit_info(&limits).ok()?;
        job.assign_process(child.raw_handle()? as isize).ok()?;
        Some(Self { _job: job })
    }
}
