//! A child's process group: what differs between systems.

#[cfg(unix)]
pub(super) use unix::{Group, own};
#[cfg(windows)]
pub(super) use windows::{Group, own};

#[cfg(unix)]
mod unix {
    use rustix::process::{Pid, Signal, kill_process_group, test_kill_process_group};

    /// Puts the child at the head of a group of its own.
    pub(in crate::process) fn own(command: &mut tokio::process::Command) {
        command.process_group(0);
    }

    /// The group of one child, killed when this is dropped.
    #[derive(Debug)]
    pub(in crate::process) struct Group(Option<Pid>);

    impl Group {
        pub(in crate::process) fn of(child: &tokio::process::Child) -> Self {
            Self(child.id().and_then(|id| i32::try_from(id).ok()).and_then(Pid::from_raw))
        }

        /// SIGKILL to every member. A failure means that none is left.
        pub(in crate::process) fn kill(&self) {
            if let Some(pid) = self.0 {
                let _ = kill_process_group(pid, Signal::KILL);
            }
        }

        /// To be called as soon as the leader was reaped: an empty group's number may be given to others
        /// from then on, so it is forgotten at once. True when members are left.
        pub(in crate::process) fn outlives_leader(&mut self) -> bool {
            self.0 = self.0.filter(|pid| test_kill_process_group(*pid).is_ok());
            self.0.is_some()
        }
    }

    impl Drop for Group {
        fn drop(&mut self) {
            self.kill();
        }
    }
}

#[cfg(windows)]
mod windows {
    /// `CREATE_NEW_PROCESS_GROUP`: a console's Ctrl-C is ours to handle, not the child's.
    const NEW_GROUP: u32 = 0x0000_0200;

    /// Takes the child out of our console group.
    pub(in crate::process) fn own(command: &mut tokio::process::Command) {
        command.creation_flags(NEW_GROUP);
    }

    /// Stands for the child alone: ending a tree takes a job object, whose calls are unsafe. The leader itself
    /// is ended by the supervisor, on every system.
    #[derive(Debug)]
    pub(in crate::process) struct Group;

    impl Group {
        pub(in crate::process) fn of(_child: &tokio::process::Child) -> Self {
            Self
        }

        pub(in crate::process) fn kill(&self) {}

        pub(in crate::process) fn outlives_leader(&mut self) -> bool {
            false
        }
    }
}
