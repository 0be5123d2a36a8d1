//! What reads calls and needs a house to do so: journeys, preconditions, the lines of the protocol.

use std::sync::{Arc, OnceLock};
use std::time::Duration;

use handset_model::Code;
use handset_model::parsers::{promised, sound};
use handset_model::snapshot::HistoryLimits;
use rmcp::ServiceExt as _;
use serde_json::{Map, Value, json};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::runtime::Runtime;
use tokio_util::sync::CancellationToken;

use crate::action::{GuardArgs, Precondition};
use crate::budget::Budget;
use crate::journey::{Defaults, plan as plan_of};
use crate::mcp::{Profile, Server, Stdio};
use crate::plugin::Builtins;
use crate::tools::{Foundation, House, HouseConfig};

/// Until the components are compiled, or an answer comes: far longer than either takes.
const LONG: Duration = Duration::from_secs(120);

/// A house with the built-in components and no device, and what it runs on.
fn house() -> Result<&'static (Runtime, Arc<House>), String> {
    static HOUSE: OnceLock<Result<(Runtime, Arc<House>), String>> = OnceLock::new();
    let open = || {
        let runtime = tokio::runtime::Builder::new_multi_thread()
            .worker_threads(2)
            .enable_all()
            .build()
            .map_err(|why| why.to_string())?;
        let house = {
            let _inside = runtime.enter();
            House::open(HouseConfig {
                adapters: Vec::new(),
                foundation: Foundation::default(),
                plugins: crate::plugin::Choices::default(),
                reread: None,
                cache_dir: None,
                protected: Vec::new(),
                builtins: Builtins::embedded(),
                limits: HistoryLimits::default(),
                measures: None,
                screenshots: None,
            })
        };
        let budget = Budget::new(LONG, CancellationToken::new());
        runtime.block_on(house.plugins.ready(&budget)).map_err(|failure| failure.message)?;
        Ok((runtime, house))
    };
    HOUSE.get_or_init(open).as_ref().map_err(Clone::clone)
}

/// What components say of arguments is a refusal, never a fault of theirs.
fn refused(failure: &handset_model::Failure) -> Result<bool, String> {
    promised(matches!(failure.code, Code::InvalidArgument | Code::PluginDenied), || format!("{failure:?}"))?;
    sound(failure).map(|()| false)
}

/// A JSON list of steps: a plan of as many, or a refusal that names the member.
pub(super) fn plan(bytes: &[u8]) -> Result<bool, String> {
    let Ok(steps) = serde_json::from_slice::<Vec<Map<String, Value>>>(bytes) else { return Ok(false) };
    let (runtime, house) = house()?;
    let members = json!({ "verificationMode": "light", "actionTimeoutMs": 4000 });
    let defaults = Defaults { members: members.as_object().cloned().unwrap_or_default() };
    match runtime.block_on(plan_of(&house.plugins, &steps, &defaults)) {
        Ok(plan) => {
            promised(plan.steps.len() == steps.len(), || format!("{} of {} steps", plan.steps.len(), steps.len()))?;
            promised(plan.steps.iter().all(|step| step.args.is_object()), || format!("{plan:?}"))?;
            Ok(true)
        }
        Err(failure) => {
            let member = failure.member.as_deref().unwrap_or_default();
            promised(member.starts_with("steps["), || format!("{member:?} is named: {failure:?}"))?;
            refused(&failure)
        }
    }
}

/// JSON as a precondition: written and read the same, and taken whole or refused by a member.
pub(super) fn precondition(bytes: &[u8]) -> Result<bool, String> {
    let Ok(precondition) = serde_json::from_slice::<Precondition>(bytes) else { return Ok(false) };
    let written = serde_json::to_vec(&precondition).map_err(|why| why.to_string())?;
    let again: Precondition = serde_json::from_slice(&written).map_err(|why| format!("not read again: {why}"))?;
    promised(again == precondition, || format!("{precondition:?} became {again:?}"))?;
    let (runtime, house) = house()?;
    let guard = GuardArgs { expected: None, precondition: Some(precondition) };
    match runtime.block_on(guard.validate(&house.plugins)) {
        Ok(()) => Ok(true),
        Err(failure) => {
            let member = failure.member.as_deref().unwrap_or_default();
            promised(member.starts_with("precondition"), || format!("{member:?} is named: {failure:?}"))?;
            refused(&failure)
        }
    }
}

const HELLO: &str = r#"{"jsonrpc":"2.0","id":"hello","method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"any","version":"1"}}}
{"jsonrpc":"2.0","method":"notifications/initialized"}
"#;
const LAST: &str = r#"{"jsonrpc":"2.0","id":"the last one","method":"ping"}"#;

/// Lines of a client that has said hello: every line of the answer is a message, and the request after them is answered.
pub(super) fn lines(bytes: &[u8]) -> Result<bool, String> {
    let (runtime, house) = house()?;
    runtime.block_on(async {
        let (client, server) = tokio::io::duplex(1 << 20);
        let (read, write) = tokio::io::split(server);
        let serving = tokio::spawn({
            let server = Server::new(Arc::clone(house), Profile::default());
            async move {
                if let Ok(running) = server.serve(Stdio::new(read, write, CancellationToken::new())).await {
                    let _ = running.waiting().await;
                }
            }
        });
        let (mut from, mut to) = tokio::io::split(client);
        let said = [HELLO.as_bytes(), bytes, b"\n", LAST.as_bytes(), b"\n"].concat();
        let answers = async {
            let mut heard = Vec::new();
            let mut chunk = vec![0; 64 << 10];
            // The last answer stands in a line of its own, whatever a client made of ids before.
            while !heard.windows(18).any(|window| window == br#""id":"the last one"#) {
                match from.read(&mut chunk).await {
                    Ok(count) if count > 0 => heard.extend_from_slice(chunk.get(..count).unwrap_or_default()),
                    _ => break,
                }
            }
            heard
        };
        let (heard, _) = tokio::time::timeout(LONG, async { tokio::join!(answers, to.write_all(&said)) })
            .await
            .map_err(|_| "the request after the lines was not answered".to_owned())?;
        serving.abort();
        let text = String::from_utf8(heard).map_err(|_| "the answer is not UTF-8".to_owned())?;
        let (whole, _) = text.rsplit_once('\n').unwrap_or((&text, ""));
        for line in whole.lines() {
            let message: Value = serde_json::from_str(line).map_err(|_| format!("{line:?} is no message"))?;
            promised(message.get("jsonrpc") == Some(&json!("2.0")), || format!("{message} is no message"))?;
        }
        promised(text.contains("the last one"), || format!("{text:?} ends without the last answer"))?;
        Ok(true)
    })
}
