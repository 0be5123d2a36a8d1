//! Records of requests, written down for whoever measures (contract §12).

use std::fs::{File, OpenOptions};
use std::io::{self, Write};
use std::path::Path;
use std::sync::{Mutex, PoisonError};

use handset_model::Code;
use serde_json::json;

use crate::request::{Request, round};

/// A file that gets one line of JSON for each request answered.
#[derive(Debug)]
pub struct Measures(Mutex<File>);

impl Measures {
    /// Opens `path` to append to; it is made when it is not there.
    ///
    /// # Errors
    /// It cannot be written, or is no regular file: writing to a pipe could wait for its reader.
    pub fn open(path: &Path) -> io::Result<Self> {
        let file = OpenOptions::new().create(true).append(true).open(path)?;
        if !file.metadata()?.is_file() {
            return Err(io::Error::new(io::ErrorKind::InvalidInput, "it is no regular file"));
        }
        Ok(Self(Mutex::new(file)))
    }

    pub(super) fn write(&self, tool: &str, success: bool, code: Option<Code>, request: &Request) {
        let mut line = json!({
            "request": request.id,
            "tool": tool,
            "success": success,
            "failure_code": code,
            "total_ms": round(request.timings.total_ms()),
        });
        if let (Some(line), serde_json::Value::Object(record)) = (line.as_object_mut(), request.record.to_json()) {
            line.extend(record);
        }
        let mut file = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Err(error) = file.write_all(format!("{line}\n").as_bytes()) {
            tracing::warn!(request = %request.id, "the record of a request was not written: {error}");
        }
    }
}
