//! run_journey: arguments in, a validated plan out to `journey`, its answer back.

use std::sync::Arc;
use std::time::Duration;

use handset_model::{Code, Failure};
use serde_json::{Map, Value, json};

use super::args::{JourneyDefaults, RunJourneyArgs, TargetArgs};
use super::step::{Handover, JourneyStage};
use super::{Answer, Call};
use crate::action::ResponseMode;
use crate::journey::{Defaults, plan, run};

/// Components must be there before a journey can be validated.
const COMPILED: Duration = Duration::from_secs(60);

pub(super) async fn run_journey(call: Call) -> Result<Answer, Failure> {
    let args: RunJourneyArgs = call.parse()?;
    let plugins = Arc::clone(&call.house.plugins);
    plugins.ready(&call.budget(COMPILED)).await?;
    let planned = plan(&plugins, &args.steps, &defaults(args.defaults.as_ref())).await?;
    let target = TargetArgs { platform: Some(args.platform), device_id: args.device_id.clone() };
    let session = call.session(&target).await?;
    let mode = args.response_mode.unwrap_or(ResponseMode::Compact);
    let stage = JourneyStage { house: Arc::clone(&call.house), session, mode, handover: Handover::default() };
    let capture = args.capture_on_failure == Some(true) && mode == ResponseMode::Debug;
    let body = run(&plugins, &stage, &planned, &call.request, capture).await;
    let success = body["success"] == json!(true);
    let failed = body["steps"].as_array().into_iter().flatten().find(|step| step["status"] == "failed");
    let failure_code = failed.and_then(|step| step["result"]["failure_code"].as_str()).and_then(Code::from_name);
    Ok(Answer::Body { body, success: Some(success), failure_code, text: None })
}

fn defaults(given: Option<&JourneyDefaults>) -> Defaults {
    let mut members = Map::new();
    if let Some(given) = given {
        let mut put = |name: &str, value: Option<Value>| {
            if let Some(value) = value {
                members.insert(name.to_owned(), value);
            }
        };
        put("verificationMode", given.verification_mode.map(|mode| json!(mode)));
        put("actionTimeoutMs", given.action_timeout_ms.map(|ms| json!(ms)));
        put("verificationTimeoutMs", given.verification_timeout_ms.map(|ms| json!(ms)));
    }
    Defaults { members }
}
