//! WASI, whole and empty: a component that imports it finds no arguments, environment, files, sockets or
//! time, the same random bytes at every call, and pipes for its output that keep only the tail.

use std::collections::VecDeque;
use std::pin::Pin;
use std::sync::{Arc, Mutex, PoisonError};
use std::task::{Context, Poll};
use std::time::Duration;

use tokio::io::AsyncWrite;
use tokio_util::bytes::Bytes;
use wasmtime::component::{HasData, Linker, Resource, ResourceTable};
use wasmtime_wasi::cli::{IsTerminal, StdoutStream};
use wasmtime_wasi::p2::bindings::clocks::monotonic_clock;
use wasmtime_wasi::p2::bindings::sync::io::poll;
use wasmtime_wasi::p2::{DynPollable, OutputStream, Pollable, StreamResult, subscribe};
use wasmtime_wasi::{Deterministic, HostMonotonicClock, HostWallClock, WasiCtx, async_trait};

use super::lent::CallState;
use super::limits::TAIL;

/// The frozen wall clock, seconds: 2026-01-01T00:00:00Z. Not zero, so that date arithmetic in a guest's library works.
const WALL_SECONDS: u64 = 1_767_225_600;
/// Random bytes before they repeat: enough for the hash seeds that language runtimes ask for.
const RANDOM_BYTES: usize = 4_096;

/// A context with nothing in it but the pipes to `tail`.
pub(super) fn empty(tail: &Tail) -> WasiCtx {
    WasiCtx::builder()
        .stdout(tail.clone())
        .stderr(tail.clone())
        .wall_clock(Frozen)
        .monotonic_clock(Frozen)
        .secure_random(Deterministic::new(seeded()))
        .insecure_random(Deterministic::new(seeded()))
        .insecure_random_seed(0x6861_6e64_7365_7421)
        .max_random_size(1 << 16)
        .allow_tcp(false)
        .allow_udp(false)
        .allow_ip_name_lookup(false)
        .build()
}

/// Puts a clock that stands still in front of WASI's own: with that one a guest could sleep.
pub(super) fn freeze(linker: &mut Linker<CallState>) -> wasmtime::Result<()> {
    linker.allow_shadowing(true);
    monotonic_clock::add_to_linker::<CallState, FrozenClock>(linker, |state| FrozenView(&mut state.table))?;
    linker.allow_shadowing(false);
    Ok(())
}

/// For synchronous calls, also puts a poll in front that never waits: waiting would hold its thread where
/// no epoch fires. Nothing a guest can get hold of here has anything to wait for.
pub(super) fn never_wait(linker: &mut Linker<CallState>) -> wasmtime::Result<()> {
    linker.allow_shadowing(true);
    poll::add_to_linker::<CallState, FrozenClock>(linker, |state| FrozenView(&mut state.table))?;
    linker.allow_shadowing(false);
    Ok(())
}

/// SplitMix64 from a fixed seed.
fn seeded() -> Vec<u8> {
    let mut state = 0x9e37_79b9_7f4a_7c15_u64;
    let mut bytes = Vec::with_capacity(RANDOM_BYTES);
    while bytes.len() < RANDOM_BYTES {
        state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = state;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        bytes.extend_from_slice(&(z ^ (z >> 31)).to_le_bytes());
    }
    bytes
}

struct Frozen;

impl HostWallClock for Frozen {
    fn resolution(&self) -> Duration {
        Duration::from_millis(1)
    }

    fn now(&self) -> Duration {
        Duration::from_secs(WALL_SECONDS)
    }
}

impl HostMonotonicClock for Frozen {
    fn resolution(&self) -> u64 {
        1_000_000
    }

    fn now(&self) -> u64 {
        0
    }
}

struct FrozenClock;

impl HasData for FrozenClock {
    type Data<'a> = FrozenView<'a>;
}

struct FrozenView<'a>(&'a mut ResourceTable);

/// A pollable that is ready at once.
struct Now;

#[async_trait]
impl Pollable for Now {
    async fn ready(&mut self) {}
}

impl FrozenView<'_> {
    fn at_once(&mut self) -> wasmtime::Result<Resource<DynPollable>> {
        let now = self.0.push(Now)?;
        subscribe(self.0, now)
    }
}

impl monotonic_clock::Host for FrozenView<'_> {
    fn now(&mut self) -> wasmtime::Result<monotonic_clock::Instant> {
        Ok(0)
    }

    fn resolution(&mut self) -> wasmtime::Result<monotonic_clock::Duration> {
        Ok(1_000_000)
    }

    fn subscribe_instant(&mut self, _: monotonic_clock::Instant) -> wasmtime::Result<Resource<DynPollable>> {
        self.at_once()
    }

    fn subscribe_duration(&mut self, _: monotonic_clock::Duration) -> wasmtime::Result<Resource<DynPollable>> {
        self.at_once()
    }
}

impl poll::Host for FrozenView<'_> {
    fn poll(&mut self, pollables: Vec<Resource<DynPollable>>) -> wasmtime::Result<Vec<u32>> {
        Ok((0..).zip(&pollables).map(|(index, _)| index).collect())
    }
}

impl poll::HostPollable for FrozenView<'_> {
    fn ready(&mut self, _: Resource<DynPollable>) -> wasmtime::Result<bool> {
        Ok(true)
    }

    fn block(&mut self, _: Resource<DynPollable>) -> wasmtime::Result<()> {
        Ok(())
    }

    fn drop(&mut self, pollable: Resource<DynPollable>) -> wasmtime::Result<()> {
        poll::HostPollable::drop(self.0, pollable)
    }
}

/// The last 2 KiB of what a guest wrote to stdout, stderr and its error log. Writing never blocks or fails.
#[derive(Clone, Debug, Default)]
pub(super) struct Tail(Arc<Mutex<VecDeque<u8>>>);

impl Tail {
    pub(super) fn write(&self, bytes: &[u8]) {
        let mut kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let new = &bytes[bytes.len().saturating_sub(TAIL)..];
        let room = TAIL - new.len();
        let excess = kept.len().saturating_sub(room);
        kept.drain(..excess);
        kept.extend(new);
    }

    pub(super) fn take(&self) -> Vec<u8> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).iter().copied().collect()
    }
}

impl IsTerminal for Tail {
    fn is_terminal(&self) -> bool {
        false
    }
}

impl StdoutStream for Tail {
    fn async_stream(&self) -> Box<dyn AsyncWrite + Send + Sync> {
        Box::new(self.clone())
    }

    fn p2_stream(&self) -> Box<dyn OutputStream> {
        Box::new(self.clone())
    }
}

impl AsyncWrite for Tail {
    fn poll_write(self: Pin<&mut Self>, _: &mut Context<'_>, bytes: &[u8]) -> Poll<std::io::Result<usize>> {
        Tail::write(&self, bytes);
        Poll::Ready(Ok(bytes.len()))
    }

    fn poll_flush(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<std::io::Result<()>> {
        Poll::Ready(Ok(()))
    }

    fn poll_shutdown(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<std::io::Result<()>> {
        Poll::Ready(Ok(()))
    }
}

#[async_trait]
impl Pollable for Tail {
    async fn ready(&mut self) {}
}

#[async_trait]
impl OutputStream for Tail {
    fn write(&mut self, bytes: Bytes) -> StreamResult<()> {
        Tail::write(self, &bytes);
        Ok(())
    }

    fn flush(&mut self) -> StreamResult<()> {
        Ok(())
    }

    fn check_write(&mut self) -> StreamResult<usize> {
        Ok(1 << 16)
    }
}
