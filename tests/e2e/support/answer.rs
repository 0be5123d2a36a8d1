//! One tool's answer, as a client sees it.

use std::ops::Index;
use std::time::Duration;

use serde_json::Value;

/// The result of a tools/call.
#[derive(Clone, Debug)]
pub(crate) struct Answer {
    /// The tool that was called.
    pub(crate) tool: String,
    /// `isError`.
    pub(crate) is_error: bool,
    /// `structuredContent`.
    pub(crate) structured: Value,
    /// The first text block.
    pub(crate) text: String,
    /// From the line sent to the line read.
    pub(crate) elapsed: Duration,
    /// Progress notifications of this call, in order.
    pub(crate) progress: Vec<Value>,
}

static NULL: Value = Value::Null;

impl Index<&str> for Answer {
    type Output = Value;

    /// A member by name, or deeper by JSON pointer (`/condition/status`); null where there is none.
    fn index(&self, path: &str) -> &Value {
        let found = if path.starts_with('/') { self.structured.pointer(path) } else { self.structured.get(path) };
        found.unwrap_or(&NULL)
    }
}

impl Answer {
    /// The answer of a call that is no error; panics with all of it otherwise.
    #[track_caller]
    pub(crate) fn fine(self) -> Self {
        assert!(!self.is_error, "{} refused: {:#}", self.tool, self.structured);
        self
    }

    /// The answer of a call that did what was asked.
    #[track_caller]
    pub(crate) fn succeeded(self) -> Self {
        let answer = self.fine();
        assert_eq!(answer["success"], true, "{} did not succeed: {:#}", answer.tool, answer.structured);
        answer
    }

    /// A refused call, with this code and this member.
    #[track_caller]
    pub(crate) fn refused(self, code: &str, member: Option<&str>) -> Self {
        assert!(self.is_error, "{} was not refused: {:#}", self.tool, self.structured);
        assert_eq!(self["/error/code"], code, "{:#}", self.structured);
        if let Some(member) = member {
            assert_eq!(self["/error/member"], member, "{:#}", self.structured);
        }
        self
    }

    /// The failure code, wherever this kind of answer has it.
    pub(crate) fn code(&self) -> &str {
        let code = if self["failure_code"].is_null() { &self["/error/code"] } else { &self["failure_code"] };
        code.as_str().unwrap_or("")
    }

    /// Whether a member is there.
    pub(crate) fn has(&self, path: &str) -> bool {
        if path.starts_with('/') {
            self.structured.pointer(path).is_some()
        } else {
            self.structured.get(path).is_some()
        }
    }

    /// The names of its members, sorted.
    pub(crate) fn members(&self) -> Vec<&str> {
        let mut names: Vec<&str> =
            self.structured.as_object().into_iter().flatten().map(|(name, _)| name.as_str()).collect();
        names.sort_unstable();
        names
    }
}
