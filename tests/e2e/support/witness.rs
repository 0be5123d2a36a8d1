//! What really happened on a phone since a moment, from its own journal.

use std::sync::Arc;
use std::time::Duration;

use simphone::{CommandEntry, DumpEntry, InputEntry, Journal, Phone};

/// A moment in a phone's journal; everything is told from there on.
#[derive(Clone)]
pub(crate) struct Mark {
    journal: Arc<Journal>,
    inputs: usize,
    dumps: usize,
    commands: usize,
}

impl Mark {
    /// Now.
    pub(crate) fn now(phone: &Phone) -> Self {
        let journal = phone.journal();
        let counters = journal.counters();
        Self { inputs: counters.inputs, dumps: counters.dumps, commands: counters.commands, journal }
    }

    /// Inputs that reached the screen.
    pub(crate) fn inputs(&self) -> Vec<InputEntry> {
        self.journal.inputs().split_off(self.inputs)
    }

    /// Dumps begun.
    pub(crate) fn dumps(&self) -> Vec<DumpEntry> {
        self.journal.dumps().split_off(self.dumps)
    }

    /// Dumps that gave a tree.
    pub(crate) fn good_dumps(&self) -> usize {
        self.dumps().iter().filter(|dump| dump.ok).count()
    }

    /// Programs run.
    pub(crate) fn commands(&self) -> Vec<CommandEntry> {
        self.journal.commands().split_off(self.commands)
    }

    /// `input` programs started, whether or not they got as far as the screen.
    pub(crate) fn input_commands(&self) -> Vec<CommandEntry> {
        self.commands()
            .into_iter()
            .filter(|command| command.argv.first().is_some_and(|program| program == "input"))
            .collect()
    }

    /// Panics unless nothing was injected, nor even started, by now.
    #[track_caller]
    pub(crate) fn no_input(&self, case: &str) {
        let (inputs, commands) = (self.inputs(), self.input_commands());
        assert!(inputs.is_empty() && commands.is_empty(), "{case}: input was sent: {inputs:#?} {commands:#?}");
    }

    /// Panics unless exactly one input was injected, of this kind; gives it.
    #[track_caller]
    pub(crate) fn one_input(&self, kind: &str, case: &str) -> InputEntry {
        let (mut inputs, commands) = (self.inputs(), self.input_commands());
        assert_eq!((inputs.len(), commands.len()), (1, 1), "{case}: exactly one input: {inputs:#?} {commands:#?}");
        let only = inputs.remove(0);
        assert_eq!(only.kind, kind, "{case}: {only:#?}");
        only
    }

    /// Shows that nothing is sent late either.
    pub(crate) async fn no_input_later(&self, within: Duration, case: &str) {
        tokio::time::sleep(within).await;
        self.no_input(case);
    }

    /// No dump found the slot taken by another of ours.
    #[track_caller]
    pub(crate) fn no_busy_slot(&self, case: &str) {
        let busy: Vec<_> = self.dumps().into_iter().filter(|dump| dump.error.as_deref() == Some("slot-busy")).collect();
        assert!(busy.is_empty(), "{case}: {busy:#?}");
    }
}
