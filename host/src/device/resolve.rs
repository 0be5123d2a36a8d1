//! One device is resolved per request and pinned.

use std::sync::Arc;

use futures::future::join_all;
use handset_model::snapshot::DeviceKey;
use handset_model::{Code, Failure};
use serde_json::{Value, json};

use super::{Adapter, Listed, Pinned};
use crate::budget::Budget;

/// Which device a request names.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Target {
    /// `android` or `ios`, where given.
    pub platform: Option<String>,
    /// Serial or UDID, where given.
    pub device_id: Option<String>,
}

/// Stand for "the one usable device"; never identities, so none is ever stored or compared as one.
const ALIASES: [&str; 2] = ["booted", "default"];

/// Resolves and pins the one device a request means (contract §2). Without a device id, or with an alias, the
/// platform's own default is taken ([`Adapter::default_device`]: `ANDROID_SERIAL`), else the one usable device.
///
/// # Errors
/// `DEVICE_NOT_FOUND`, `AMBIGUOUS_DEVICE`, `DEVICE_OFFLINE` with candidates; `TIMEOUT` when the listing ran out of budget;
/// `INVALID_ARGUMENT` for a platform nobody adapts. A platform that cannot be listed is a failure only when no other
/// platform has the device.
pub async fn resolve(
    adapters: &[Arc<dyn Adapter>],
    target: &Target,
    budget: &Budget,
) -> Result<(Arc<dyn Adapter>, Pinned), Failure> {
    let asked = asked(adapters, target.platform.as_deref())?;
    let lists = join_all(asked.iter().map(|adapter| adapter.list(budget))).await;
    let mut found: Vec<Found> = Vec::new();
    let mut unlisted = None;
    for (adapter, list) in asked.iter().zip(lists) {
        match list {
            Ok(list) => found.extend(list.into_iter().map(|listed| (Arc::clone(adapter), listed))),
            // The first one, but one that says more than that a platform's tools are not installed before others.
            Err(failed) if unlisted.as_ref().is_none_or(|earlier: &Failure| earlier.code == Code::ToolNotFound) => {
                unlisted = Some(failed)
            }
            Err(_) => {}
        }
    }
    let named = target.device_id.clone().filter(|id| !ALIASES.contains(&id.as_str()));
    let (chosen, any) = match (named, default_id(&asked)) {
        (Some(id), _) => (by_id(&found, &id, "deviceId"), false),
        (None, Some(id)) => (by_id(&found, &id, "ANDROID_SERIAL"), false),
        (None, None) => (the_one(&found), true),
    };
    match (chosen, unlisted) {
        // What could not be listed may be what was meant, or one too many.
        (Ok(_), Some(failed)) if any && failed.code != Code::ToolNotFound => Err(failed),
        // A timeout is never "not found".
        (Err(missing), Some(failed)) if missing.code == Code::DeviceNotFound => Err(failed),
        (Err(failed), _) => Err(failed),
        (Ok((adapter, listed)), _) => {
            let key = DeviceKey { platform: listed.platform, id: listed.id.clone() };
            Ok((Arc::clone(adapter), Pinned { key, connection: listed.connection, model: listed.model.clone() }))
        }
    }
}

type Found = (Arc<dyn Adapter>, Listed);

fn asked(adapters: &[Arc<dyn Adapter>], platform: Option<&str>) -> Result<Vec<Arc<dyn Adapter>>, Failure> {
    let asked: Vec<_> = adapters
        .iter()
        .filter(|adapter| platform.is_none_or(|name| name == adapter.platform()))
        .map(Arc::clone)
        .collect();
    match platform {
        Some(name) if asked.is_empty() => {
            let known: Vec<&str> = adapters.iter().map(|adapter| adapter.platform()).collect();
            Err(Failure::argument("platform", format!("no platform {name:?} here; there is {}", known.join(", "))))
        }
        _ => Ok(asked),
    }
}

/// The id the environment names, of the first platform asked that has one.
fn default_id(adapters: &[Arc<dyn Adapter>]) -> Option<String> {
    adapters.iter().find_map(|adapter| adapter.default_device())
}

fn by_id<'a>(found: &'a [Found], id: &str, named_by: &str) -> Result<&'a Found, Failure> {
    let here: Vec<&Found> = found.iter().filter(|(_, listed)| listed.id == id).collect();
    let usable: Vec<&Found> = here.iter().copied().filter(|(_, listed)| listed.usable).collect();
    match (usable.as_slice(), here.first()) {
        ([one], _) => Ok(one),
        ([], Some((_, listed))) => Err(unusable(listed)),
        ([], None) => {
            let message = format!("{named_by} names {id:?}, which is not attached; {}", attached(found));
            Err(Failure::new(Code::DeviceNotFound, message).with_candidates(candidates(found)))
        }
        _ => Err(Failure::new(Code::AmbiguousDevice, format!("{} devices share the id {id:?}", usable.len()))
            .with_remedy("Detach all but one of them, or give them serials of their own.")
            .with_candidates(candidates(found))),
    }
}

fn the_one(found: &[Found]) -> Result<&Found, Failure> {
    let usable: Vec<&Found> = found.iter().filter(|(_, listed)| listed.usable).collect();
    match usable.as_slice() {
        [one] => Ok(one),
        [] => Err(Failure::new(Code::DeviceNotFound, format!("no usable device; {}", attached(found)))
            .with_candidates(candidates(found))),
        several => {
            let only: Vec<Found> =
                several.iter().map(|(adapter, listed)| (Arc::clone(adapter), listed.clone())).collect();
            Err(Failure::new(
                Code::AmbiguousDevice,
                format!("{} devices are usable and deviceId names none", several.len()),
            )
            .with_candidates(candidates(&only)))
        }
    }
}

fn unusable(listed: &Listed) -> Failure {
    let failure = Failure::new(
        Code::DeviceOffline,
        format!("device {:?} is attached but its state is {}", listed.id, listed.state),
    )
    .with_candidates(vec![candidate(listed)]);
    match &listed.remedy {
        Some(remedy) => failure.with_remedy(remedy.clone()),
        None => failure,
    }
}

fn attached(found: &[Found]) -> String {
    if found.is_empty() {
        return "nothing is attached".to_owned();
    }
    let each: Vec<String> = found.iter().map(|(_, listed)| format!("{} ({})", listed.id, listed.state)).collect();
    format!("attached: {}", each.join(", "))
}

fn candidates(found: &[Found]) -> Vec<Value> {
    found.iter().map(|(_, listed)| candidate(listed)).collect()
}

fn candidate(listed: &Listed) -> Value {
    match &listed.remedy {
        Some(remedy) => json!({ "id": listed.id, "state": listed.state, "remedy": remedy }),
        None => json!({ "id": listed.id, "state": listed.state }),
    }
}
