//! The room's tests: real components, a pretended device.

mod calls;
mod doors;
mod figures;
mod hostile;
mod keeping;
mod manifests;
mod support;
mod texts;
mod time;
mod trust;
