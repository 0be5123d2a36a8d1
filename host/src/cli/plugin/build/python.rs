//! Python: a virtual environment of the project's own, and componentize-py in it.

use std::path::Path;

use serde::Deserialize;

use super::Tools;
use crate::process::Program;

const MISSING: &str = "Install Python 3.10 or newer, with venv and pip.";

/// What of pyproject.toml matters here.
#[derive(Deserialize)]
struct File {
    project: Project,
    tool: Tool,
}

#[derive(Deserialize)]
struct Project {
    dependencies: Vec<String>,
}

#[derive(Deserialize)]
struct Tool {
    handset: Handset,
}

/// `[tool.handset]`.
#[derive(Deserialize)]
struct Handset {
    module: String,
    world: String,
}

pub(super) async fn build(tools: &Tools<'_>, component: &Path) -> Result<(), String> {
    let path = tools.dir.join("pyproject.toml");
    let text = std::fs::read_to_string(&path).map_err(|why| format!("{}: {why}", path.display()))?;
    let file: File = toml::from_str(&text).map_err(|why| format!("{}: {why}", path.display()))?;
    let programs = tools.dir.join(if cfg!(windows) { ".venv/Scripts" } else { ".venv/bin" });
    let componentize = programs.join("componentize-py");
    if !componentize.with_extension(std::env::consts::EXE_EXTENSION).is_file() {
        tools.say("python -m venv .venv, pip install (once; some 70 MB)");
        let python = Program::new(if cfg!(windows) { "python" } else { "python3" });
        tools.run(python, &["-m", "venv", ".venv"], MISSING).await?;
        let mut install = vec!["-m", "pip", "install", "--quiet", "--disable-pip-version-check"];
        install.extend(file.project.dependencies.iter().map(String::as_str));
        tools.run(Program::new(programs.join("python")), &install, MISSING).await?;
    }
    tools.say("componentize-py");
    let component = component.to_string_lossy();
    let Handset { module, world } = &file.tool.handset;
    let args = ["--wit-path", "wit", "--world", world, "--quiet", "componentize", module, "--output", &component];
    tools.run(Program::new(componentize), &args, MISSING).await.map(|_| ())
}
