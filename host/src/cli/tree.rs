//! `handset tree FILE`: a dump file through the adapter's own parser.

use std::path::PathBuf;
use std::process::ExitCode;

use clap::{Args, ValueEnum};
use handset_model::ui::{ElementView, ParseOptions, Size, Tree, element_json, parse_hierarchy, text_tree};
use serde_json::{Value, json};

use super::output::{fail, print};

/// Exit status of a file that holds no tree.
const NO_TREE: u8 = 3;

#[derive(Clone, Copy, Debug, Default, ValueEnum)]
enum Format {
    #[default]
    Json,
    Text,
}

/// Options of `tree`.
#[derive(Debug, Args)]
pub(super) struct TreeArgs {
    /// The dump; `-` is standard input
    file: PathBuf,
    /// The display, WIDTHxHEIGHT (default: the union of the root nodes' bounds)
    #[arg(long, value_parser = size)]
    size: Option<Size>,
    /// json, or text: one line an element
    #[arg(long, value_enum, default_value = "json")]
    format: Format,
}

fn size(text: &str) -> Result<Size, String> {
    let parsed = text.split_once(['x', 'X']).and_then(|(width, height)| {
        Some(Size { width: width.trim().parse().ok()?, height: height.trim().parse().ok()? })
    });
    parsed
        .filter(|size| size.width > 0 && size.height > 0)
        .ok_or_else(|| format!("{text:?} is not WIDTHxHEIGHT, such as 1080x2400"))
}

pub(super) fn main(args: &TreeArgs) -> ExitCode {
    let bytes = if args.file.as_os_str() == "-" {
        let mut bytes = Vec::new();
        std::io::Read::read_to_end(&mut std::io::stdin(), &mut bytes).map(|_| bytes)
    } else {
        std::fs::read(&args.file)
    };
    let bytes = match bytes {
        Ok(bytes) => bytes,
        Err(error) => return fail(&format!("{}: {error}", args.file.display())),
    };
    match parse_hierarchy(&bytes, &ParseOptions { display: args.size, ..ParseOptions::default() }) {
        Ok(tree) => {
            match args.format {
                Format::Text => print(&text_tree(&tree)),
                Format::Json => print(&format!("{:#}\n", tree_json(&tree))),
            }
            ExitCode::SUCCESS
        }
        Err(failure) => {
            print(&format!("{:#}\n", json!({ "error": failure.to_json() })));
            ExitCode::from(NO_TREE)
        }
    }
}

fn tree_json(tree: &Tree) -> Value {
    let count = u32::try_from(tree.elements.len()).unwrap_or(u32::MAX);
    let elements: Vec<Value> = (0..count).map(|index| element_json(tree, index, ElementView::Tree, None)).collect();
    let limitations: Vec<&str> = tree.limitations.iter().map(|limitation| limitation.as_str()).collect();
    json!({
        "node_count": tree.node_count,
        "elided": tree.elided,
        "resolution": tree.resolution,
        "rotation": tree.rotation,
        "package": tree.package,
        "replaced_characters": tree.replaced_characters,
        "limitations": limitations,
        "elements": elements,
    })
}
