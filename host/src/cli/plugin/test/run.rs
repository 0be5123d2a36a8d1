//! Asking the plugin: predicates and classifiers in the host's engine, steps on a simulated phone.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use handset_model::snapshot::Observation;
use handset_model::ui::Selector;
use handset_model::{Code, Failure};
use serde_json::{Value, json};
use tokio_util::sync::CancellationToken;

use super::case::{Asks, Case, Pending};
use super::screens::{Reel, phone};
use crate::budget::Budget;
use crate::cli::serve::stand_in;
use crate::cli::{Serve, config};
use crate::plugin::{Builtins, CheckVerdict, EvidenceNote, Manifest, PendingInput, PluginSettings, TimelineData};
use crate::request::{Request, ms};
use crate::tools::{Call, House, find};

/// Compiling a JavaScript or Python component, cold, on a small machine.
const COMPILED: Duration = Duration::from_secs(300);
/// How long children may take to be reaped.
const GRACE: Duration = Duration::from_secs(2);
/// A step's time where the case gives none, as in a journey.
const STEP_MS: u64 = 30_000;
/// Between the screens of a case where it does not say.
const INTERVAL_MS: u32 = 500;

/// What came of a case.
#[derive(Debug, Default)]
pub(super) struct Got {
    /// `holds`, `loading`, `passed`, `failed`, `refused`, `fault`, ….
    pub(super) word: String,
    pub(super) code: Option<String>,
    pub(super) says: Option<String>,
    pub(super) body: Value,
    pub(super) evidence: Vec<String>,
    /// What a plugin that broke wrote last, as it wrote it.
    pub(super) output: Option<String>,
    pub(super) ms: f64,
}

/// A plugin's folder, ready to be asked.
pub(super) struct Subject<'a> {
    pub(super) folder: &'a Path,
    pub(super) manifest: &'a Manifest,
    pub(super) no_cache: bool,
}

impl Subject<'_> {
    /// Runs one case whose files lie in `beside`.
    ///
    /// # Errors
    /// What kept it from being asked at all.
    pub(super) async fn run(&self, case: &Case, beside: &Path) -> Result<Got, String> {
        let Some(asks) = case.asks() else { return Err("it asks nothing".to_owned()) };
        let phone = match (&case.scene, asks) {
            (Some(scene), Asks::Step(_)) => Some(phone(scene, case.start.as_deref(), beside).await?),
            _ => None,
        };
        let house = self.open(case, phone.as_ref().map(|phone| phone.adb_addr().to_string())).await?;
        let got = self.ask(&house, case, asks, beside).await;
        house.close(GRACE).await;
        drop(phone);
        got
    }

    /// A house with this plugin alone, granted and set as the case says.
    async fn open(&self, case: &Case, adb: Option<String>) -> Result<Arc<House>, String> {
        let options = Serve { no_cache: self.no_cache, ..Serve::default() };
        let on_phone = adb.is_some();
        let adb = adb.map(|address| stand_in(&[address])).transpose()?;
        let mut chosen = config::house(&options, adb).map_err(|why| why.to_string())?;
        chosen.plugins.dirs = vec![self.folder.to_path_buf()];
        let grants = case.grants.clone().unwrap_or_else(|| self.manifest.requests.grants.clone());
        let settings = PluginSettings { grants, settings: case.settings.clone(), ..PluginSettings::default() };
        chosen.plugins.plugins = BTreeMap::from([(self.manifest.name.clone(), settings)]);
        if !on_phone {
            // Their voices are not asked for.
            chosen.builtins = Builtins::none();
        }
        let house = House::open(chosen);
        let budget = Budget::new(COMPILED, CancellationToken::new());
        house.plugins.ready(&budget).await.map_err(|failure| failure.to_string())?;
        let listed = house.plugins.list();
        let own = listed.as_array().into_iter().flatten().find(|one| one["built_in"] == json!(false));
        match own.map(|one| &one["problem"]) {
            Some(Value::Null) => Ok(house),
            Some(problem) => Err(format!(
                "{}: {} {}",
                problem["code"].as_str().unwrap_or_default(),
                problem["message"].as_str().unwrap_or_default(),
                problem["remedy"].as_str().unwrap_or_default()
            )),
            None => Err("no plugin.toml was found there".to_owned()),
        }
    }

    async fn ask(&self, house: &Arc<House>, case: &Case, asks: Asks<'_>, beside: &Path) -> Result<Got, String> {
        let began = Instant::now();
        let full = |name: &str| format!("{}/{name}", self.manifest.name);
        let got = match asks {
            Asks::Step(name) => step(house, case, &full(name)).await,
            Asks::Predicate(name) => predicate(house, case, &full(name), beside).await?,
            Asks::Classifier(name) => classifier(house, case, &full(name), beside).await?,
        };
        Ok(match got {
            Ok(got) => got,
            Err(failure) => self.refused(house, &failure, ms(began.elapsed())),
        })
    }

    /// A failure: of the plugin, with what it wrote, or of what it was asked.
    fn refused(&self, house: &House, failure: &Failure, ms: f64) -> Got {
        let fault =
            (failure.code == Code::PluginFault).then(|| house.plugins.last_fault(&self.manifest.name)).flatten();
        Got {
            word: if failure.code == Code::PluginFault { "fault" } else { "refused" }.to_owned(),
            code: Some(failure.code.as_str().to_owned()),
            says: Some(failure.message.clone()),
            output: fault.map(|fault| fault.tail).filter(|output| !output.is_empty()),
            ms,
            ..Got::default()
        }
    }
}

async fn reads(case: &Case, beside: &Path, reel: &mut Reel) -> Result<Vec<Arc<Observation>>, String> {
    let mut seen = Vec::with_capacity(case.screens.len());
    for source in &case.screens {
        seen.push(reel.next(source, beside, case.interval_ms.unwrap_or(INTERVAL_MS)).await?);
    }
    Ok(seen)
}

async fn predicate(house: &House, case: &Case, name: &str, beside: &Path) -> Result<Result<Got, Failure>, String> {
    let mut reel = Reel::new();
    let baseline = match &case.baseline {
        Some(source) => Some(reel.next(source, beside, INTERVAL_MS).await?),
        None => None,
    };
    let observations = reads(case, beside, &mut reel).await?;
    let Some(current) = observations.last().cloned() else { return Err("it shows no screen".to_owned()) };
    let pending = pending(&case.pending, &current)?;
    let arguments = Value::Object(case.arguments.clone());
    if let Err(failure) = house.plugins.validate_predicate(name, &arguments).await {
        return Ok(Err(failure));
    }
    let prepared = match house.plugins.prepare_check(name, arguments).await {
        Ok(prepared) => prepared,
        Err(failure) => return Ok(Err(failure)),
    };
    let history = TimelineData { observations, ..TimelineData::default() };
    let outcome = tokio::task::spawn_blocking(move || prepared.check(current, baseline, pending, history))
        .await
        .map_err(|why| why.to_string())?;
    let (word, says) = match outcome.verdict {
        CheckVerdict::Holds => ("holds", None),
        CheckVerdict::Fails(why) => ("fails", Some(why)),
        CheckVerdict::CannotTell(why) => ("cannot_tell", Some(why)),
        CheckVerdict::Fault(failure) => return Ok(Err(failure)),
    };
    let evidence = signals(&outcome.evidence);
    Ok(Ok(Got { word: word.to_owned(), says, evidence, ms: outcome.elapsed_ms, ..Got::default() }))
}

fn pending(given: &Pending, current: &Observation) -> Result<PendingInput, String> {
    let target = match &given.target {
        None => None,
        Some(selector) => {
            let selector: Selector =
                serde_json::from_value(selector.clone()).map_err(|why| format!("pending.target: {why}"))?;
            match selector.find(&current.tree).as_slice() {
                [one] => Some(*one),
                several => {
                    return Err(format!("pending.target: it means {} elements of the last screen", several.len()));
                }
            }
        }
    };
    Ok(PendingInput {
        tool: given.tool.clone().unwrap_or_else(|| "tap_element".to_owned()),
        arguments: Value::Object(given.arguments.clone()),
        target,
        target_before: target,
    })
}

async fn classifier(house: &House, case: &Case, name: &str, beside: &Path) -> Result<Result<Got, Failure>, String> {
    let observations = reads(case, beside, &mut Reel::new()).await?;
    let timeline = TimelineData { observations, ..TimelineData::default() };
    let voices = house.plugins.classify(Arc::new(timeline)).await;
    let heard: Vec<String> = voices.iter().map(|voice| voice.classifier.clone()).collect();
    let Some(voice) = voices.into_iter().find(|voice| voice.classifier == name) else {
        return Err(format!("there is no classifier {name}; there are: {}", heard.join(", ")));
    };
    if let Some(failure) = voice.fault {
        return Ok(Err(failure));
    }
    let says = voice.limitations.first().cloned();
    let evidence = signals(&voice.evidence);
    Ok(Ok(Got { word: voice.state.as_str().to_owned(), says, evidence, ms: voice.elapsed_ms, ..Got::default() }))
}

fn signals(evidence: &[EvidenceNote]) -> Vec<String> {
    evidence.iter().map(|one| one.signal.clone()).collect()
}

async fn step(house: &Arc<House>, case: &Case, name: &str) -> Result<Got, Failure> {
    let tool = find("run_journey").ok_or_else(|| Failure::new(Code::Unknown, "there is no run_journey"))?;
    let request = Request::new(CancellationToken::new(), None);
    let one = json!({
        "id": "case", "type": name, "args": case.arguments, "timeoutMs": case.timeout_ms.unwrap_or(STEP_MS),
    });
    let arguments = json!({ "platform": "android", "steps": [one] });
    let call = Call::new(Arc::clone(house), request, arguments);
    let answer = crate::tools::call(tool, call).await?;
    let body = answer.to_json(None);
    let done = &body["steps"][0];
    let result = &done["result"];
    let code = result["failure_code"].as_str().map(str::to_owned);
    let says = result["plugin"]["message"].as_str().or_else(|| result["error"]["message"].as_str());
    if code.as_deref() == Some(Code::PluginFault.as_str()) {
        return Err(Failure::new(Code::PluginFault, says.unwrap_or_default()));
    }
    let evidence = result["plugin"]["evidence"].as_array().into_iter().flatten();
    Ok(Got {
        word: if done["success"] == json!(true) { "passed" } else { "failed" }.to_owned(),
        code,
        says: says.map(str::to_owned),
        body: result["plugin"]["body"].clone(),
        evidence: evidence.filter_map(|one| one["signal"].as_str().map(str::to_owned)).collect(),
        output: None,
        ms: done["timing"]["total_ms"].as_f64().unwrap_or_default(),
    })
}
