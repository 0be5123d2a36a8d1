//! The official conformance suite of MCP against Handset's own server handler.
//!
//! The suite speaks Streamable HTTP alone, so this serves [`handset::mcp::Server`] with the suite's fixtures beside our
//! tools, installs the suite at its pinned version, and runs what each revision of the protocol requires. What is
//! expected to fail is in `baseline.yml`, with why; anything else that fails, and anything there that does not, fails
//! the run. `cargo run -p handset-conformance --locked`; needs npm.

mod fixtures;
mod http;
mod suite;

use std::process::ExitCode;
use std::sync::Arc;

use fixtures::Fixtures;
use handset::mcp::{Profile, Server};
use handset::plugin::Builtins;
use handset::tools::{Foundation, House, HouseConfig};
use rmcp::transport::streamable_http_server::session::local::LocalSessionManager;
use rmcp::transport::streamable_http_server::{StreamableHttpServerConfig, StreamableHttpService};
use tokio::net::TcpListener;

/// Revisions of the protocol the suite has requirements of.
const REVISIONS: [&str; 2] = ["2025-11-25", "2026-07-28"];

#[tokio::main]
async fn main() -> ExitCode {
    match run().await {
        Ok(()) => ExitCode::SUCCESS,
        Err(why) => {
            suite::say(&format!("failed: {why}"));
            ExitCode::FAILURE
        }
    }
}

async fn run() -> Result<(), String> {
    let suite = tokio::task::spawn_blocking(suite::install).await.map_err(|error| error.to_string())??;
    let url = serve().await.map_err(|error| format!("cannot serve: {error}"))?;
    suite.holds(&url, &REVISIONS).await
}

/// Serves in the background, for as long as this process lives: the address the suite calls.
async fn serve() -> std::io::Result<String> {
    // No device: what the suite tests is the conversation.
    let house = House::open(HouseConfig {
        adapters: Vec::new(),
        foundation: Foundation::default(),
        plugins: handset::plugin::Choices::default(),
        reread: None,
        cache_dir: None,
        protected: Vec::new(),
        builtins: Builtins::none(),
        limits: handset_model::snapshot::HistoryLimits::default(),
        measures: None,
        screenshots: None,
    });
    let server = Fixtures::beside(Server::new(house, Profile::default()));
    let mut config = StreamableHttpServerConfig::default();
    config.legacy_session_mode = true;
    let service =
        StreamableHttpService::new(move || Ok(server.clone()), Arc::new(LocalSessionManager::default()), config);
    let listener = TcpListener::bind("127.0.0.1:0").await?;
    let url = format!("http://{}/mcp", listener.local_addr()?);
    tokio::spawn(async move {
        while let Ok((stream, _)) = listener.accept().await {
            // A connection that breaks is the suite's business.
            tokio::spawn(self::http::connection(stream, service.clone()));
        }
    });
    Ok(url)
}
