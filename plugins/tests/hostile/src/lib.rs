//! Misbehaves in the way its name says, through all three interfaces.
//!
//! Steps, predicates and classifiers are called by the misdeed's name; [`misdeeds`] holds those
//! that need no interface, the other modules what is particular to one.

mod classifiers;
mod misdeeds;
mod predicates;
mod steps;
