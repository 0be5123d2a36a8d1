//! Labels that say the app is busy: a guess, in the languages of the table.

use handset_plugin::{Assessment, Classifier, Evidence, State, Timeline, Traits};

/// Longer texts are prose, not a loader's label.
const LONGEST_LABEL: usize = 48;
const MOST_EVIDENCE: usize = 4;

/// Phrases that say so by themselves, lower-cased.
pub const PHRASES: &[&str] = &[
    // English
    "loading",
    "please wait",
    "signing in",
    "logging in",
    "signing out",
    "logging out",
    "signing up",
    "just a moment",
    "one moment",
    "one moment please",
    "hang on",
    "loading please wait",
    // Russian, Ukrainian
    "загрузка",
    "идет загрузка",
    "идёт загрузка",
    "загружается",
    "подождите",
    "пожалуйста подождите",
    "выполняется вход",
    "зачекайте",
    "завантажується",
    // German
    "wird geladen",
    "lädt",
    "bitte warten",
    "anmeldung läuft",
    // French
    "chargement",
    "chargement en cours",
    "veuillez patienter",
    "connexion en cours",
    // Spanish, Portuguese, Italian
    "cargando",
    "espere por favor",
    "por favor espere",
    "un momento",
    "iniciando sesión",
    "carregando",
    "aguarde",
    "por favor aguarde",
    "caricamento",
    "caricamento in corso",
    "attendere",
    "attendere prego",
    "accesso in corso",
    // Polish, Turkish, Dutch
    "ładowanie",
    "proszę czekać",
    "yükleniyor",
    "lütfen bekleyin",
    "even geduld",
    "bezig met laden",
    // Japanese, Korean, Chinese
    "読み込み中",
    "読み込み中です",
    "ロード中",
    "お待ちください",
    "しばらくお待ちください",
    "로딩 중",
    "로드 중",
    "불러오는 중",
    "잠시만 기다려 주세요",
    "加载中",
    "正在加载",
    "请稍候",
    "请稍等",
    "載入中",
    "正在載入",
    "請稍候",
    // Arabic, Hindi
    "جار التحميل",
    "جاري التحميل",
    "يرجى الانتظار",
    "लोड हो रहा है",
    "कृपया प्रतीक्षा करें",
];

/// Words that say so only with an ellipsis after them; without one they may be a title or a status.
pub const WITH_ELLIPSIS: &[&str] = &[
    "connecting",
    "checking",
    "downloading",
    "fetching",
    "hold on",
    "preparing",
    "processing",
    "refreshing",
    "saving",
    "searching",
    "sending",
    "starting",
    "submitting",
    "syncing",
    "updating",
    "uploading",
    "verifying",
    "обновление",
    "отправка",
    "подключение",
    "поиск",
    "сохранение",
    "вход",
    "laden",
    "verbinden",
    "connexion",
    "recherche",
    "buscando",
    "conectando",
    "entrando",
    "logowanie",
    "laddar",
];

/// Marks in a text that do not show.
const UNSEEN: [char; 6] = [
    '\u{feff}', '\u{200b}', '\u{200c}', '\u{200d}', '\u{200e}', '\u{200f}',
];

/// Finds short labels that say the app is busy.
pub struct LoadingLabel;

impl Classifier for LoadingLabel {
    const NAME: &str = "loading-label";
    const SUMMARY: &str =
        "Loading, as a guess, while a short label says so (\"Loading…\", \"Please wait\").";

    fn classify(samples: &Timeline) -> Result<Assessment, String> {
        let screen = samples.latest();
        let mut found = Assessment::of(State::Unknown);
        for index in screen.find_words(&telling()) {
            let Some(element) = screen.element(index) else {
                continue;
            };
            if !element.traits.contains(Traits::VISIBLE)
                || element.traits.contains(Traits::EDITABLE)
            {
                continue;
            }
            let says = |label: &Option<String>| label.clone().filter(|label| is_busy(label));
            if let Some(label) = says(&element.text).or_else(|| says(&element.description)) {
                found.state = State::Loading;
                found.evidence.push(
                    Evidence::guess("loading-indicator-label")
                        .at(&screen, element.index)
                        .detail(label),
                );
            }
            if found.evidence.len() == MOST_EVIDENCE {
                break;
            }
        }
        Ok(found)
    }
}

/// Words of which every label that says so holds one: each phrase's longest. The host looks for
/// them, so that only a few elements are copied. A mark that does not show may part any of them.
fn telling() -> Vec<String> {
    let longest = |phrase: &&'static str| phrase.split(' ').max_by_key(|word| word.len());
    let phrases = PHRASES.iter().chain(WITH_ELLIPSIS).filter_map(longest);
    let mut words: Vec<String> = phrases.map(str::to_owned).collect();
    words.extend(UNSEEN.map(String::from));
    words.sort_unstable();
    words.dedup();
    words
}

/// Whether a whole label says that the app is busy.
pub fn is_busy(label: &str) -> bool {
    let label = label.trim().to_lowercase();
    if label.chars().count() > LONGEST_LABEL {
        return false;
    }
    let ellipsis = label.contains('…') || label.contains("...");
    let words = plain_words(&label);
    if PHRASES.contains(&words.as_str()) {
        return true;
    }
    ellipsis
        && PHRASES.iter().chain(WITH_ELLIPSIS).any(|phrase| {
            words
                .strip_prefix(phrase)
                .is_some_and(|rest| rest.is_empty() || rest.starts_with(' '))
        })
}

/// The label without punctuation, percentages and doubled spaces.
fn plain_words(label: &str) -> String {
    let spaced: String = label
        .chars()
        .map(|c| match c {
            '.' | ',' | '…' | '!' | ':' | '。' | '、' | '%' | '\u{a0}' => ' ',
            c if c.is_ascii_digit() => ' ',
            c => c,
        })
        .filter(|c| !UNSEEN.contains(c))
        .collect();
    spaced.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whole_labels_count() {
        for label in [
            "Loading",
            "Loading…",
            " loading... ",
            "Please wait",
            "Loading, please wait.",
            "Signing in…",
            "Loading your cart…",
            "Loading 45%",
            "Загрузка…",
            "Пожалуйста, подождите",
            "Connecting...",
            "読み込み中…",
            "加载中",
        ] {
            assert!(is_busy(label), "{label}");
        }
    }

    #[test]
    fn other_texts_do_not() {
        for label in [
            "Loading dock 4",
            "Processing",
            "Вход",
            "Connecting flights",
            "Sign in",
            "Downloads",
            "Please wait until the driver has stopped the vehicle before you get off",
            "",
            "…",
            "Payload",
            "Saving",
            "Read more…",
        ] {
            assert!(!is_busy(label), "{label}");
        }
    }

    #[test]
    fn every_label_that_says_so_is_looked_for() {
        let words = telling();
        assert!(words.len() <= 128, "the host looks for so many at once");
        for phrase in PHRASES.iter().chain(WITH_ELLIPSIS) {
            assert!(
                words.iter().any(|word| phrase.contains(word.as_str())),
                "{phrase}"
            );
        }
        for label in ["Loa\u{200b}ding", "LOADING…", "Please, wait"] {
            assert!(is_busy(label), "{label}");
            let label = label.to_lowercase();
            assert!(
                words.iter().any(|word| label.contains(word.as_str())),
                "{label}"
            );
        }
    }

    #[test]
    fn tables_are_in_the_form_they_are_compared_in() {
        for phrase in PHRASES.iter().chain(WITH_ELLIPSIS) {
            assert_eq!(*phrase, plain_words(&phrase.to_lowercase()));
        }
    }
}
