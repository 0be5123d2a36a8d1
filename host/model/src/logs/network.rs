//! Requests that apps' HTTP clients log: OkHttp's interceptor (Retrofit, React Native), Volley, Cronet, Dart's Dio. Never a
//! body, and of a URL never its query.

use super::LogEntry;

/// What became of a request.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct NetworkRequest {
    /// URL without query, fragment, user; the query is named as left out.
    pub endpoint: String,
    /// `GET`, …, where it was logged.
    pub method: Option<String>,
    /// HTTP status.
    pub status_code: Option<u16>,
    /// Why there was no answer.
    pub network_error: Option<&'static str>,
    /// How long it took, where it was logged.
    pub duration_ms: Option<u32>,
    /// Position of the entry that ended it; of a request without an end, of the one that began it.
    pub at: usize,
    /// It ended.
    pub done: bool,
}

impl NetworkRequest {
    /// `success`, `failure`, or `retryable`: a server's fault, too many or too slow, or no answer at all.
    #[must_use]
    pub const fn status(&self) -> &'static str {
        match (self.network_error, self.status_code) {
            (Some(_), _) | (None, Some(408 | 425 | 429 | 500..)) => "retryable",
            (None, Some(400..)) => "failure",
            _ => "success",
        }
    }
}

/// Requests kept: the newest.
const REQUESTS: usize = 200;
/// Characters of a URL.
const URL: usize = 300;

/// Words of a failure, most telling first.
const ERRORS: &[(&str, &[&str])] = &[
    ("dns_error", &["unknownhost", "unable to resolve host", "name_not_resolved", "failed host lookup", "enotfound"]),
    (
        "tls_error",
        &[
            "sslhandshake",
            "sslpeer",
            "sslexception",
            "certpath",
            "err_cert",
            "err_ssl",
            "handshakeexception",
            "trust anchor",
        ],
    ),
    ("timeout", &["timeout", "timed out", "timed_out", "etimedout"]),
    ("connection_refused", &["refused", "failed to connect", "connectexception"]),
    (
        "connection_reset",
        &["reset", "unexpected end of stream", "broken pipe", "connection closed", "stream was reset"],
    ),
];

/// The contract's name of why there was no answer.
#[must_use]
pub fn network_error(words: &str) -> &'static str {
    let words = words.to_lowercase();
    let found = ERRORS.iter().find(|(_, known)| known.iter().any(|known| words.contains(known)));
    found.map_or("unknown_network_error", |(name, _)| name)
}

/// A URL fit to be shown: without user, query and fragment.
#[must_use]
pub fn redacted_url(word: &str) -> Option<String> {
    let word = word.trim_matches(|c: char| matches!(c, '"' | '\'' | '<' | '>' | '(' | ')' | ',' | ';' | '[' | ']'));
    let (scheme, rest) = word.split_once("://")?;
    if !matches!(scheme, "http" | "https" | "ws" | "wss") || rest.is_empty() {
        return None;
    }
    let end = rest.find(['?', '#']).unwrap_or(rest.len());
    let (path, query) = (&rest[..end], rest[end..].starts_with('?'));
    let (host, path) = path.find('/').map_or((path, ""), |at| path.split_at(at));
    let host = host.rsplit('@').next().unwrap_or_default();
    if host.is_empty() {
        return None;
    }
    let shown: String = format!("{scheme}://{host}{path}").chars().take(URL).collect();
    Some(if query { format!("{shown}?redacted") } else { shown })
}

fn url_in(text: &str) -> Option<String> {
    text.split_whitespace().find_map(|word| redacted_url(word.split_once("request=").map_or(word, |(_, url)| url)))
}

fn method(word: &str) -> Option<String> {
    const METHODS: [&str; 7] = ["GET", "POST", "PUT", "PATCH", "DELETE", "HEAD", "OPTIONS"];
    METHODS.contains(&word).then(|| word.to_owned())
}

fn status_code(word: &str) -> Option<u16> {
    let digits = word.trim_matches(|c: char| !c.is_ascii_digit());
    digits.parse().ok().filter(|code| digits.len() == 3 && (100..600).contains(code))
}

/// `(123ms, 45-byte body)`, `123 ms`, `lifetime=3005`.
fn duration(text: &str) -> Option<u32> {
    if let Some((_, rest)) = text.split_once("lifetime=") {
        return rest.split(|c: char| !c.is_ascii_digit()).next()?.parse().ok();
    }
    let at = text.find("ms").filter(|at| !text[at + 2..].starts_with(|c: char| c.is_ascii_alphanumeric()))?;
    let digits = text[..at].trim_end().rsplit(|c: char| !c.is_ascii_digit()).next()?;
    digits.parse().ok()
}

#[derive(Default)]
struct Reader {
    done: Vec<NetworkRequest>,
    /// Process and what it began.
    open: Vec<(Option<u32>, NetworkRequest)>,
}

/// Requests under way at one time.
const OPEN: usize = 64;

impl Reader {
    fn begin(&mut self, pid: Option<u32>, request: NetworkRequest) {
        if self.open.len() >= OPEN {
            self.open.remove(0);
        }
        self.open.push((pid, request));
    }

    /// Ends the newest open request of this process that fits.
    fn end(&mut self, pid: Option<u32>, mut request: NetworkRequest) {
        let fits = |(owner, open): &(Option<u32>, NetworkRequest)| {
            *owner == pid && (request.endpoint.is_empty() || open.endpoint == request.endpoint)
        };
        if let Some(at) = self.open.iter().rposition(fits) {
            let (_, begun) = self.open.remove(at);
            request.endpoint = begun.endpoint;
            request.method = request.method.or(begun.method);
        }
        if request.endpoint.is_empty() {
            return;
        }
        request.done = true;
        self.done.push(request);
    }

    fn line(&mut self, at: usize, entry: &LogEntry, line: &str) {
        let (pid, line) = (entry.pid, line.trim());
        let tag = entry.tag.as_deref().unwrap_or_default();
        if let Some(rest) = line.strip_prefix("--> ") {
            // `--> END POST` ends the request's own lines, not the request.
            let Some(method) = rest.split(' ').next().and_then(method) else { return };
            let Some(endpoint) = url_in(rest) else { return };
            return self.begin(pid, NetworkRequest { endpoint, method: Some(method), at, ..NetworkRequest::default() });
        }
        if let Some(rest) = line.strip_prefix("<-- ") {
            if let Some(why) = rest.strip_prefix("HTTP FAILED: ") {
                let network_error = Some(network_error(why));
                return self.end(pid, NetworkRequest { network_error, at, ..NetworkRequest::default() });
            }
            let Some(code) = rest.split(' ').next().and_then(status_code) else { return };
            let (endpoint, duration_ms) = (url_in(rest).unwrap_or_default(), duration(rest));
            return self.end(
                pid,
                NetworkRequest { endpoint, status_code: Some(code), duration_ms, at, ..NetworkRequest::default() },
            );
        }
        if tag == "Volley" {
            let code =
                line.split_once("[rc=").map(|(_, rest)| rest).or_else(|| Some(line.split_once("response code ")?.1));
            let code = code.and_then(|rest| status_code(rest.split([']', ' ']).next()?));
            if let (Some(endpoint), Some(_)) = (url_in(line), code) {
                let duration_ms = duration(line);
                self.end(
                    pid,
                    NetworkRequest { endpoint, status_code: code, duration_ms, at, ..NetworkRequest::default() },
                );
            }
            return;
        }
        self.plain(at, pid, tag, line);
    }

    /// Dio's and other clients' lines, and `GET https://… 200 (12 ms)` of whoever writes so.
    fn plain(&mut self, at: usize, pid: Option<u32>, tag: &str, line: &str) {
        let dart = tag == "flutter";
        let bare = line.trim_start_matches(|c: char| !c.is_ascii_alphanumeric());
        if dart && (bare.starts_with("uri: ") || bare.starts_with("Request ")) {
            if let Some(endpoint) = url_in(bare) {
                let method = bare.split(' ').find_map(method);
                let known = self.open.iter().any(|(owner, open)| *owner == pid && open.endpoint == endpoint);
                if !known {
                    self.begin(pid, NetworkRequest { endpoint, method, at, ..NetworkRequest::default() });
                }
            }
            return;
        }
        if dart && bare.starts_with("method: ") {
            let named = bare.split(' ').nth(1).and_then(method);
            if let Some((_, open)) =
                self.open.iter_mut().rev().find(|(owner, open)| *owner == pid && open.method.is_none())
            {
                open.method = named;
            }
            return;
        }
        let coded = bare.strip_prefix("statusCode: ").or_else(|| Some(bare.split_once("Status: ")?.1)).filter(|_| dart);
        if let Some(code) = coded.and_then(|rest| status_code(rest.split(' ').next()?)) {
            let duration_ms = duration(bare);
            return self
                .end(pid, NetworkRequest { status_code: Some(code), duration_ms, at, ..NetworkRequest::default() });
        }
        let lower = bare.to_lowercase();
        let failed = ["dioexception", "dioerror", "net::err_", "network request failed", "socketexception"];
        if failed.iter().any(|words| lower.contains(words)) {
            let endpoint = url_in(bare).unwrap_or_default();
            let network_error = Some(network_error(bare));
            return self.end(pid, NetworkRequest { endpoint, network_error, at, ..NetworkRequest::default() });
        }
        let words: Vec<&str> = bare.split_whitespace().take(12).collect();
        let named = words.iter().position(|word| method(word.trim_matches(['[', ']', ':'])).is_some());
        let Some((named, endpoint)) = named.and_then(|named| Some((named, url_in(bare)?))) else { return };
        let place = words.iter().position(|word| word.contains("://")).unwrap_or(0);
        let code = words.iter().skip(place + 1).find_map(|word| status_code(word));
        if let (true, Some(_)) = (place == named + 1, code) {
            let method = words.get(named).and_then(|word| method(word.trim_matches(['[', ']', ':'])));
            let duration_ms = duration(bare);
            self.end(
                pid,
                NetworkRequest { endpoint, method, status_code: code, duration_ms, at, ..NetworkRequest::default() },
            );
        }
    }
}

/// Requests in log entries, in the order they ended; those under way last.
#[must_use]
pub fn network_requests(entries: &[LogEntry]) -> Vec<NetworkRequest> {
    let mut reader = Reader::default();
    for (at, entry) in entries.iter().enumerate() {
        entry.message.lines().for_each(|line| reader.line(at, entry, line));
    }
    let under_way = reader.open.into_iter().map(|(_, request)| request);
    let mut all: Vec<NetworkRequest> = reader.done.into_iter().chain(under_way).collect();
    all.drain(..all.len().saturating_sub(REQUESTS));
    all
}
