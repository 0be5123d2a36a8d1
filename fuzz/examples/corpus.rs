//! Writes the first inputs of every target into `corpus/`: what `cargo test` begins with, too.

#[path = "../../tests/inputs/mod.rs"]
mod inputs;

fn main() -> std::io::Result<()> {
    let here = std::path::Path::new(env!("CARGO_MANIFEST_DIR"));
    for target in std::fs::read_dir(here.join("fuzz_targets"))? {
        let path = target?.path();
        let Some(name) = path.file_stem().and_then(|name| name.to_str()) else { continue };
        let folder = here.join("corpus").join(name);
        std::fs::create_dir_all(&folder)?;
        for (number, seed) in inputs::seeds(name).into_iter().enumerate() {
            std::fs::write(folder.join(format!("seed-{number}")), seed)?;
        }
    }
    Ok(())
}
