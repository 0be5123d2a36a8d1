//! Standard output, as a component in a language with a runtime has it.

#[allow(
    missing_docs,
    clippy::all,
    reason = "generated; the part of WASI that is needed here"
)]
mod bindings {
    wit_bindgen::generate!({
        inline: r#"
            package handset-tests:printing;

            world printing {
                import wasi:cli/stdout@0.2.0;
            }

            package wasi:cli@0.2.0 {
                interface stdout {
                    use wasi:io/streams@0.2.0.{output-stream};
                    get-stdout: func() -> output-stream;
                }
            }

            package wasi:io@0.2.0 {
                interface error {
                    resource error {}
                }
                interface streams {
                    use error.{error};
                    variant stream-error { last-operation-failed(error), closed }
                    resource output-stream {
                        blocking-write-and-flush: func(contents: list<u8>) -> result<_, stream-error>;
                    }
                }
            }
        "#,
        runtime_path: "::handset_plugin::rt",
        generate_all,
    });
}

/// Writes a text, whoever reads it.
pub fn write(text: &str) {
    let _ = bindings::wasi::cli::stdout::get_stdout().blocking_write_and_flush(text.as_bytes());
}
