//! What was sent to each phone, against what its journal says arrived.

use std::collections::HashMap;

use serde_json::Value;
use simphone::Phone;

/// Whether an input arrived, as far as its answer tells.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Sent {
    /// It did.
    Once,
    /// It did not.
    Not,
    /// It may have.
    Perhaps,
}

impl Sent {
    /// What an action's answer, or a journey's step's result, says.
    pub(crate) fn of(result: &Value) -> Self {
        match result["delivery_status"].as_str() {
            Some("delivered") => Self::Once,
            Some("unknown") => Self::Perhaps,
            // A compact answer leaves out what its success says.
            None if result["success"] == true && result["dispatch_started"] == true => Self::Once,
            None if result["dispatch_started"] == true => Self::Perhaps,
            _ => Self::Not,
        }
    }
}

/// One phone's.
#[derive(Debug, Default)]
pub(crate) struct Ledger {
    points: HashMap<(u64, u64), Sent>,
    flips: usize,
    perhaps: usize,
}

impl Ledger {
    /// A tap at a point of its own.
    pub(crate) fn tapped(&mut self, point: (u64, u64), sent: Sent) {
        self.points.insert(point, sent);
    }

    /// A tap on the button.
    pub(crate) fn flipped(&mut self, sent: Sent) {
        match sent {
            Sent::Once => self.flips += 1,
            Sent::Perhaps => self.perhaps += 1,
            Sent::Not => {}
        }
    }

    /// Inputs that must have arrived.
    pub(crate) fn certain(&self) -> usize {
        self.flips + self.points.values().filter(|sent| **sent == Sent::Once).count()
    }

    /// What does not add up between the calls made to a phone and the inputs it got.
    pub(crate) fn audit(&self, phone: &Phone) -> Vec<String> {
        let (mut wrong, mut flips, mut arrived) = (Vec::new(), 0, HashMap::<(u64, u64), usize>::new());
        for input in phone.journal().inputs() {
            if input.element.as_deref() == Some("flip") {
                flips += 1;
                continue;
            }
            let point: Vec<u64> = input.args.iter().filter_map(|part| part.parse().ok()).collect();
            match (input.kind.as_str(), point.as_slice()) {
                ("tap", [x, y]) => *arrived.entry((*x, *y)).or_default() += 1,
                _ => wrong.push(format!("nobody sent this: {input:?}")),
            }
        }
        if flips < self.flips || flips > self.flips + self.perhaps {
            wrong.push(format!("{flips} flips; {} were sent and {} perhaps", self.flips, self.perhaps));
        }
        for (point, count) in &arrived {
            match self.points.get(point) {
                Some(Sent::Once | Sent::Perhaps) if *count == 1 => {}
                sent => wrong.push(format!("{count} taps at {point:?}, where {sent:?} was sent")),
            }
        }
        let lost = self.points.iter().filter(|(point, sent)| **sent == Sent::Once && !arrived.contains_key(*point));
        wrong.extend(lost.map(|(point, _)| format!("no tap at {point:?}, which was delivered")));
        wrong
    }
}
