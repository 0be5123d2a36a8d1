//! Did you mean: the names nearest to one that does not exist.

use handset_model::code::MAX_CANDIDATES;

/// Up to five of `names`, nearest first; none when nothing is near and there are many.
pub(super) fn nearest<'a>(wanted: &str, names: impl IntoIterator<Item = &'a str>) -> Vec<String> {
    // A guest or a caller may send a name of any length: the distance costs the product of both.
    let short = |name: &str| -> String { name.chars().take(64).collect() };
    let wanted = short(wanted);
    let mut ranked: Vec<(usize, &str)> = names
        .into_iter()
        .map(|name| {
            let part = wanted.len() >= 3 && (name.contains(&wanted) || wanted.contains(name));
            (if part { 1 } else { strsim::levenshtein(&wanted, &short(name)) }, name)
        })
        .collect();
    ranked.sort_unstable();
    let near = 2.max(wanted.chars().count() / 2);
    if ranked.len() > MAX_CANDIDATES {
        ranked.retain(|(distance, _)| *distance <= near);
    }
    ranked.into_iter().take(MAX_CANDIDATES).map(|(_, name)| name.to_owned()).collect()
}
