//! Rust has no word for `table.grow`: this links an object file, written by hand, that has.

use std::path::PathBuf;

/// A relocatable module with `grow_table(entries: i32) -> i32`.
const OBJECT: &[u8] = &[
    0x00, 0x61, 0x73, 0x6d, 0x01, 0x00, 0x00, 0x00, // wasm, version 1
    0x01, 0x06, 0x01, 0x60, 0x01, 0x7f, 0x01, 0x7f, // types: (i32) -> i32
    0x03, 0x02, 0x01, 0x00, // functions: one, of type 0
    0x0a, 0x0b, 0x01, 0x09, 0x00, // code: one body of 9 bytes, no locals
    0xd0, 0x70, // ref.null func
    0x20, 0x00, // local.get 0
    0xfc, 0x0f, 0x00, // table.grow 0
    0x0b, // end
    0x00, 0x1a, 0x07, b'l', b'i', b'n', b'k', b'i', b'n', b'g',
    0x02, // custom section, version 2
    0x08, 0x0f, 0x01, // symbol table of 15 bytes: one symbol
    0x00, 0x00, 0x00, // a function, defined here, index 0
    0x0a, b'g', b'r', b'o', b'w', b'_', b't', b'a', b'b', b'l', b'e',
];

fn main() {
    let folder = PathBuf::from(std::env::var_os("OUT_DIR").expect("cargo sets it"));
    let object = folder.join("grow_table.o");
    std::fs::write(&object, OBJECT).expect("the object file is written");
    println!("cargo::rustc-link-arg-cdylib={}", object.display());
    println!("cargo::rustc-link-arg-cdylib=--growable-table");
    println!("cargo::rerun-if-changed=build.rs");
}
