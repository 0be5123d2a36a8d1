//! What every guest may ask: its settings, the log, and the observations it was lent.

mod words;

use std::sync::Arc;

use handset_model::snapshot::{ChangeKind, Observation, changes, counterpart};
use handset_model::ui::{Element, ElementView, Selector, Traits, element_json};
use serde_json::{Value, json};
use wasmtime::component::Resource;

use super::bindings::pure::handset::plugin::{log, settings, ui};
use super::faults::{Breach, FaultKind};
use super::lent::{CallState, Comparison, Screen, Timeline};
use super::limits::{CHANGES, DETAIL, WORDS};
use words::Words;

impl log::Host for CallState {
    fn write(&mut self, level: log::Level, message: String) -> wasmtime::Result<()> {
        let level = match level {
            log::Level::Error => tracing::Level::ERROR,
            log::Level::Warn => tracing::Level::WARN,
            log::Level::Info => tracing::Level::INFO,
            log::Level::Debug => tracing::Level::DEBUG,
        };
        Ok(self.log(level, &message)?)
    }
}

impl settings::Host for CallState {
    fn get(&mut self) -> wasmtime::Result<String> {
        self.meter.host_call()?;
        Ok(self.settings.to_string())
    }
}

impl ui::Host for CallState {}

impl ui::HostObservation for CallState {
    fn info(&mut self, this: Resource<Screen>) -> wasmtime::Result<ui::ObservationInfo> {
        let screen = self.screen(&this)?;
        Ok(ui::ObservationInfo {
            platform: screen.device.platform.to_owned(),
            session_id: screen.session_id.to_string(),
            revision: u32::try_from(screen.revision).unwrap_or(u32::MAX),
            started_ms: screen.started_ms,
            captured_ms: screen.captured_ms,
            resolution: ui::Size { width: screen.tree.resolution.width, height: screen.tree.resolution.height },
            element_count: count(&screen),
            fingerprint: screen.fingerprint.clone(),
        })
    }

    fn facts(&mut self, this: Resource<Screen>) -> wasmtime::Result<String> {
        Ok(facts(&*self.screen(&this)?).to_string())
    }

    fn find(&mut self, this: Resource<Screen>, selector: String) -> wasmtime::Result<Result<Vec<u32>, String>> {
        let screen = self.screen(&this)?;
        Ok(parse_selector(&selector).map(|selector| selector.find(&screen.tree)))
    }

    fn find_words(&mut self, this: Resource<Screen>, words: Vec<String>) -> wasmtime::Result<Vec<u32>> {
        let screen = self.screen(&this)?;
        if words.len() > WORDS || words.iter().any(|word| word.len() > WORDS) {
            return Err(Breach::new(
                FaultKind::Flood,
                format!("searched for more than {WORDS} words, or for one of more than {WORDS} bytes"),
            )
            .into());
        }
        Ok(Words::new(&words).find(&screen, &self.meter)?)
    }

    fn element(&mut self, this: Resource<Screen>, index: u32) -> wasmtime::Result<Option<ui::Element>> {
        let screen = self.screen(&this)?;
        Ok(screen.tree.get(index).map(|element| copy(index, element)))
    }

    fn elements(&mut self, this: Resource<Screen>, offset: u32, limit: u32) -> wasmtime::Result<Vec<ui::Element>> {
        let screen = self.screen(&this)?;
        Ok((0_u32..)
            .zip(&screen.tree.elements)
            .skip(offset as usize)
            .take(limit as usize)
            .map(|(index, element)| copy(index, element))
            .collect())
    }

    fn children(&mut self, this: Resource<Screen>, index: u32) -> wasmtime::Result<Vec<u32>> {
        let screen = self.screen(&this)?;
        Ok(screen.tree.get(index).map(|element| element.children.clone()).unwrap_or_default())
    }

    fn element_json(&mut self, this: Resource<Screen>, index: u32) -> wasmtime::Result<Option<String>> {
        let screen = self.screen(&this)?;
        Ok(screen.tree.get(index).map(|_| element_json(&screen.tree, index, ElementView::Tree, None).to_string()))
    }

    fn element_id(&mut self, this: Resource<Screen>, index: u32) -> wasmtime::Result<Option<String>> {
        let screen = self.screen(&this)?;
        if screen.tree.get(index).is_none() {
            return Ok(None);
        }
        Ok(match &self.step {
            Some(step) => step.ops.element_id(&screen, index),
            None => (self.mint)(&screen, index),
        })
    }

    fn counterpart(
        &mut self,
        this: Resource<Screen>,
        index: u32,
        other: Resource<Screen>,
    ) -> wasmtime::Result<Option<u32>> {
        let (from, to) = (self.screen(&this)?, self.screen(&other)?);
        Ok(from.tree.get(index).and_then(|_| counterpart(index, &from.tree, &to.tree)))
    }

    fn changes_since(
        &mut self,
        this: Resource<Screen>,
        earlier: Resource<Screen>,
        limit: u32,
    ) -> wasmtime::Result<Vec<ui::Change>> {
        let (later, earlier) = (self.screen(&this)?, self.screen(&earlier)?);
        let (listed, _) = changes(&earlier, &later, (limit as usize).min(CHANGES));
        Ok(listed
            .into_iter()
            .map(|change| ui::Change {
                kind: match change.kind {
                    ChangeKind::Added => "added",
                    ChangeKind::Removed => "removed",
                    ChangeKind::Changed => "changed",
                }
                .to_owned(),
                now: change.now,
                was: change.was,
                fields: change.fields.into_iter().map(str::to_owned).collect(),
            })
            .collect())
    }

    fn drop(&mut self, this: Resource<Screen>) -> wasmtime::Result<()> {
        self.give_back(this)
    }
}

impl ui::HostTimeline for CallState {
    fn count(&mut self, this: Resource<Timeline>) -> wasmtime::Result<u32> {
        Ok(u32::try_from(self.timeline(&this)?.observations.len()).unwrap_or(u32::MAX))
    }

    fn observation(&mut self, this: Resource<Timeline>, index: u32) -> wasmtime::Result<Option<Resource<Screen>>> {
        let timeline = self.timeline(&this)?;
        timeline.observations.get(index as usize).map(|screen| self.lend(Arc::clone(screen))).transpose()
    }

    fn latest(&mut self, this: Resource<Timeline>) -> wasmtime::Result<Resource<Screen>> {
        let timeline = self.timeline(&this)?;
        let Some(latest) = timeline.observations.last() else {
            return Err(Breach::new(FaultKind::Host, "was lent an empty timeline").into());
        };
        self.lend(Arc::clone(latest))
    }

    fn failures(&mut self, this: Resource<Timeline>) -> wasmtime::Result<Vec<ui::FailedRead>> {
        let timeline = self.timeline(&this)?;
        Ok(timeline.failures.iter().map(|(code, at_ms)| ui::FailedRead { code: code.clone(), at_ms: *at_ms }).collect())
    }

    fn last_input(&mut self, this: Resource<Timeline>) -> wasmtime::Result<Option<ui::PastInput>> {
        let timeline = self.timeline(&this)?;
        Ok(timeline.last_input.as_ref().map(|(tool, at_ms)| ui::PastInput { tool: tool.clone(), at_ms: *at_ms }))
    }

    fn probe(&mut self, this: Resource<Timeline>, name: String) -> wasmtime::Result<Option<String>> {
        let timeline = self.timeline(&this)?;
        Ok(timeline.probes.iter().find(|(probe, _)| *probe == name).map(|(_, value)| value.to_string()))
    }

    fn drop(&mut self, this: Resource<Timeline>) -> wasmtime::Result<()> {
        self.table.delete(this)?;
        Ok(())
    }
}

impl ui::HostComparison for CallState {
    fn current(&mut self, this: Resource<Comparison>) -> wasmtime::Result<Resource<Screen>> {
        self.meter.host_call()?;
        let screen = Arc::clone(&self.table.get(&this)?.current);
        self.lend(screen)
    }

    fn baseline(&mut self, this: Resource<Comparison>) -> wasmtime::Result<Option<Resource<Screen>>> {
        self.meter.host_call()?;
        let screen = self.table.get(&this)?.baseline.clone();
        screen.map(|screen| self.lend(screen)).transpose()
    }

    fn pending(&mut self, this: Resource<Comparison>) -> wasmtime::Result<ui::PendingInput> {
        self.meter.host_call()?;
        let pending = &self.table.get(&this)?.pending;
        Ok(ui::PendingInput {
            tool: pending.tool.clone(),
            arguments: pending.arguments.to_string(),
            target: pending.target,
            target_before: pending.target_before,
        })
    }

    fn history(&mut self, this: Resource<Comparison>) -> wasmtime::Result<Resource<Timeline>> {
        self.meter.host_call()?;
        let history = Arc::clone(&self.table.get(&this)?.history);
        Ok(self.table.push(Timeline(history))?)
    }

    fn drop(&mut self, this: Resource<Comparison>) -> wasmtime::Result<()> {
        self.table.delete(this)?;
        Ok(())
    }
}

impl CallState {
    fn timeline(&mut self, handle: &Resource<Timeline>) -> wasmtime::Result<Arc<super::ops::TimelineData>> {
        self.meter.host_call()?;
        Ok(Arc::clone(&self.table.get(handle)?.0))
    }
}

/// A selector as a guest wrote it.
///
/// # Errors
/// A sentence naming the member.
fn parse_selector(text: &str) -> Result<Selector, String> {
    let selector: Selector =
        serde_json::from_str(text).map_err(|why| super::evidence::clean(&format!("selector: {why}"), DETAIL))?;
    selector.validate("selector").map_err(|failure| failure.message)?;
    Ok(selector)
}

fn count(screen: &Observation) -> u32 {
    u32::try_from(screen.tree.elements.len()).unwrap_or(u32::MAX)
}

fn copy(index: u32, element: &Element) -> ui::Element {
    ui::Element {
        index,
        parent: element.parent,
        depth: element.depth,
        class_name: element.class.clone(),
        role: element.role.map(str::to_owned),
        text: element.text.clone(),
        description: element.description.clone(),
        resource_id: element.resource_id.clone(),
        stable_id: element.stable_id.clone(),
        bounds: ui::Rect {
            left: element.bounds.left,
            top: element.bounds.top,
            right: element.bounds.right,
            bottom: element.bounds.bottom,
        },
        traits: traits(&element.traits),
        value: element.value,
        value_range: element.value_range,
    }
}

fn traits(of: &Traits) -> ui::Traits {
    let table = [
        (of.clickable, ui::Traits::CLICKABLE),
        (of.long_clickable, ui::Traits::LONG_CLICKABLE),
        (of.enabled, ui::Traits::ENABLED),
        (of.visible, ui::Traits::VISIBLE),
        (of.checkable, ui::Traits::CHECKABLE),
        (of.checked, ui::Traits::CHECKED),
        (of.selected, ui::Traits::SELECTED),
        (of.focused, ui::Traits::FOCUSED),
        (of.expanded == Some(true), ui::Traits::EXPANDED),
        (of.scrollable, ui::Traits::SCROLLABLE),
        (of.editable, ui::Traits::EDITABLE),
        (of.password, ui::Traits::PASSWORD),
    ];
    table.into_iter().filter(|(holds, _)| *holds).fold(ui::Traits::empty(), |all, (_, one)| all | one)
}

/// The whole tree's facts, under the names of the contract.
fn facts(screen: &Observation) -> Value {
    let tree = &screen.tree;
    let windows: Vec<Value> = tree
        .windows
        .iter()
        .map(|window| {
            json!({
                "package": window.package, "title": window.title, "kind": window.kind, "layer": window.layer,
                "bounds": window.bounds.to_array(), "active": window.active,
            })
        })
        .collect();
    json!({
        "rotation": tree.rotation,
        "package": screen.screen.package.as_ref().or(tree.package.as_ref()),
        "activity": screen.screen.activity,
        "windows": windows,
        "keyboard": tree.keyboard.map(|keyboard| json!({
            "shown": keyboard.shown, "bounds": keyboard.bounds.map(|bounds| bounds.to_array()),
        })),
        "limitations": tree.limitations.iter().map(|limitation| limitation.as_str()).collect::<Vec<_>>(),
        "node_count": tree.node_count,
        "elided": tree.elided,
    })
}
