//! Devices and adb that are not there, go away, or are somebody else's.

mod adb;
mod devices;
mod injection;
mod operator;

use std::ffi::OsString;

use simphone::adb::AdbFlavor;
use simphone::{Phone, PhoneOptions, Scene};

use crate::support::{Client, ServerOptions};

/// The stand-in over a list of its own, such as `127.0.0.1:5001=My Phone`.
pub(crate) fn stand_in(phones: &str) -> AdbFlavor {
    let leading = ["phone", "adb", "--phones", phones].map(OsString::from).into();
    AdbFlavor::StandIn { program: env!("CARGO_BIN_EXE_handset").into(), leading }
}

pub(crate) async fn phone() -> Phone {
    Phone::start(PhoneOptions::new(Scene::by_name("login").unwrap())).await.unwrap()
}

/// A server over any adb.
pub(crate) async fn client(adb: &AdbFlavor, env: &[(&str, &str)]) -> Client {
    let env = env.iter().map(|(name, value)| ((*name).into(), (*value).into())).collect();
    Client::start(&ServerOptions { env, ..ServerOptions::default() }, Some(adb)).await
}
