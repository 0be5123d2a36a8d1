//! Did you mean: the names nearest to one that does not exist.

use handset_model::code::MAX_CANDIDATES;

/// Up to five of `names`, nearest first; none when nothing is near and there are many.
pub(super) fn nearest<'a>(wanted: &str, names: impl IntoIterator<Item = &'a str>) -> Vec<String> {
    let wanted: Vec<char> = wanted.chars().take(64).collect();
    let text: String = wanted.iter().collect();
    let mut ranked: Vec<(usize, &str)> = names
        .into_iter()
        .map(|name| {
            let part = text.len() >= 3 && (name.contains(&text) || text.contains(name));
            (if part { 1 } else { distance(&wanted, name) }, name)
        })
        .collect();
    ranked.sort_unstable();
    let near = 2.max(wanted.len() / 2);
    if ranked.len() > MAX_CANDIDATES {
        ranked.retain(|(distance, _)| *distance <= near);
    }
    ranked.into_iter().take(MAX_CANDIDATES).map(|(_, name)| name.to_owned()).collect()
}

/// Levenshtein's distance.
fn distance(a: &[char], b: &str) -> usize {
    let b: Vec<char> = b.chars().take(64).collect();
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, x) in a.iter().enumerate() {
        let mut diagonal = row[0];
        row[0] = i + 1;
        for (j, y) in b.iter().enumerate() {
            let above = row[j + 1];
            row[j + 1] = (above + 1).min(row[j] + 1).min(diagonal + usize::from(x != y));
            diagonal = above;
        }
    }
    row[b.len()]
}
