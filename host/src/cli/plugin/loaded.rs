//! The plugins a server with these options would have.

use std::path::PathBuf;
use std::time::Duration;

use serde_json::Value;
use tokio_util::sync::CancellationToken;

use crate::budget::Budget;
use crate::cli::{Serve, config};
use crate::tools::{House, HouseConfig};

/// Compiling everything, cold, on a small machine.
const COMPILED: Duration = Duration::from_secs(120);

/// All of them, compiled, as `list_plugins` tells of them.
pub(super) async fn all(options: &Serve) -> Result<Value, String> {
    listed(config::house(options, None).map_err(|error| error.to_string())?).await
}

/// That folder alone: what else the user has is not in question.
pub(super) async fn only(options: &Serve, dir: PathBuf) -> Result<Value, String> {
    let mut config = config::house(options, None).map_err(|error| error.to_string())?;
    config.plugins.dirs = vec![dir];
    listed(config).await
}

async fn listed(config: HouseConfig) -> Result<Value, String> {
    let house = House::open(config);
    let budget = Budget::new(COMPILED, CancellationToken::new());
    house.plugins.ready(&budget).await.map_err(|failure| failure.to_string())?;
    Ok(house.plugins.list())
}
