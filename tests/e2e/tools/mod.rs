//! Each tool's answer, as the contract has it, against what the phone's journal says happened.

mod actions;
mod apps;
pub(crate) mod builds;
mod device;
mod dialogs;
mod gestures;
mod handles;
mod installing;
mod journeys;
mod keys;
mod listing;
mod logs;
mod managing;
mod measured;
mod network;
mod pictures;
mod progress;
mod readiness;
mod refusals;
mod screens;
mod series;
mod sharing;
mod targets;
mod text;
mod trees;
mod typing;
mod waits;
