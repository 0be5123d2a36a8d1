//! JavaScript: npm, whose `build` script runs componentize-js.

use super::Tools;
use crate::process::Program;

const MISSING: &str = "Install Node.js 20 or newer, with npm.";

pub(super) async fn build(tools: &Tools<'_>) -> Result<(), String> {
    if !tools.dir.join("node_modules").is_dir() {
        tools.say("npm install (once; some 400 MB)");
        tools.run(npm(), &["install", "--no-audit", "--no-fund", "--loglevel=error"], MISSING).await?;
    }
    tools.say("npm run build");
    tools.run(npm(), &["run", "--silent", "build"], MISSING).await.map(|_| ())
}

fn npm() -> Program {
    Program::new(if cfg!(windows) { "npm.cmd" } else { "npm" })
}
