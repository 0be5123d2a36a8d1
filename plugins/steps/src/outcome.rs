//! From a tool's answer to a step's report.

use handset_plugin::{Answer, Failure, Report, Session, code};

/// Does one tool; the step passes exactly if the answer is a success.
///
/// A light input whose verification was unavailable is a success: it was dispatched. Whether it
/// had its effect is for an assertion to say.
pub fn by_success(
    session: &Session,
    tool: &str,
    arguments: &str,
    otherwise: &str,
) -> Result<Report, Failure> {
    let answer = session.call_json(tool, arguments)?;
    Ok(if answer.success {
        Report::passed().shows(&answer)
    } else {
        let code = failure_code(&answer, otherwise);
        Report::failed(code, answer.failure(tool).message).shows(&answer)
    })
}

/// The answer's code, or `otherwise` where it has none.
pub fn failure_code(answer: &Answer, otherwise: &str) -> String {
    answer
        .failure_code
        .clone()
        .unwrap_or_else(|| otherwise.to_owned())
}

/// The code of an assertion that did not come true: its own, whichever way the time ran out.
pub fn assertion_code(found: &str) -> &str {
    match found {
        code::TIMEOUT
        | code::ACTION_TIMEOUT
        | code::ELEMENT_NOT_FOUND
        | code::EXPECT_STATE_MISMATCH => code::ASSERTION_TIMEOUT,
        other => other,
    }
}
