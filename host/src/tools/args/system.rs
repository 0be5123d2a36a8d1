//! Arguments of what is about the server itself.

use schemars::JsonSchema;
use serde::Deserialize;

#[derive(Clone, Debug, Deserialize, JsonSchema)]
pub(in crate::tools) struct ListPluginsArgs {
    /// This one, in full.
    #[schemars(length(min = 1))]
    pub name: Option<String>,
    /// All in full: schemas, grants, costs.
    #[serde(default)]
    pub detail: bool,
}
