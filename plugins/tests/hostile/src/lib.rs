//! Misbehaves in the way its name says, through all three interfaces.
//!
//! Steps, predicates and classifiers are called by the misdeed's name; [`misdeeds`] holds those
//! that need no interface, the other modules what is particular to one. The operator's settings
//! may leave all but one of them out, or make it misbehave while it is asked what it provides.

mod classifiers;
mod misdeeds;
mod predicates;
mod stdout;
mod steps;
