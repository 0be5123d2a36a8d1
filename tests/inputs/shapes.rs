//! What makes a careless parser slow, or its stack overflow: very deep, very many, never closed.

use super::mutate::words;

/// Levels of nesting, and of repetition.
const MANY: usize = 200_000;
/// Bytes of one shape made of an example's own words.
const LONG: usize = 128 << 10;

/// Shapes of any notation that a parser here reads, and some of its own words said very often.
pub(crate) fn of(name: &str, examples: &[Vec<u8>]) -> Vec<(String, Vec<u8>)> {
    let mut shapes: Vec<(String, Vec<u8>)> = Vec::new();
    for (open, inside, close) in own(name) {
        for closed in [true, false] {
            let close = if closed { close.repeat(MANY) } else { Vec::new() };
            let label = format!("{} × {MANY}, {}", open.escape_ascii(), if closed { "closed" } else { "open" });
            shapes.push((label, [open.repeat(MANY), inside.to_vec(), close].concat()));
        }
    }
    for part in [&b"\n"[..], b" ", b"\0", b"a", b"\xff", b"=", b"\"", b"a b\n", b"a: [b\n", b"\\"] {
        shapes.push((format!("{} again and again", part.escape_ascii()), part.repeat(LONG / part.len())));
    }
    for example in examples.iter().take(2) {
        let mut seen = std::collections::BTreeSet::new();
        let distinct = words(example).into_iter().filter(|word| word.len() < 40 && seen.insert(*word));
        for word in distinct.take(12) {
            shapes.push((format!("its {} again and again", word.escape_ascii()), word.repeat(LONG / word.len())));
        }
        let line = example.split(|byte| *byte == b'\n').next().unwrap_or_default();
        let start = example.get(..example.len().min(line.len() + 200)).unwrap_or_default();
        shapes.push(("its beginning again and again".to_owned(), start.repeat(LONG / start.len().max(1))));
        let with_tail = [example.get(..example.len() / 2).unwrap_or_default(), &b"9".repeat(LONG)].concat();
        shapes.push(("half of it and a long number".to_owned(), with_tail));
    }
    shapes
}

type Nested = (&'static [u8], &'static [u8], &'static [u8]);

/// What nests in a parser's notation.
fn own(name: &str) -> Vec<Nested> {
    const MARKUP: &[Nested] = &[
        (b"<hierarchy>", b"<node/>", b"</hierarchy>"),
        (b"<node bounds=\"[0,0][1,1]\">", b"", b"</node>"),
        (b"<node text=\"", b"x", b"\">"),
        (b"<node a=\"1\" ", b"", b"/>"),
        (b"<!--", b"", b"-->"),
        (b"&#55357;", b"", b""),
    ];
    const JSON: &[Nested] = &[
        (b"[", b"1", b"]"),
        (b"{\"a\":", b"1", b"}"),
        (b"{\"within\":", b"{\"text\":\"a\"}", b"}"),
        (b"{\"not\":", b"{\"predicate\":\"a\"}", b"}"),
        (b"\"a\":1,", b"", b""),
    ];
    const SHELL: &[Nested] = &[
        (b"(", b"a", b")"),
        (b"$(", b"a", b")"),
        (b"$((", b"1", b"))"),
        (b"\"$((", b"1", b"))\""),
        (b"${A:-", b"a", b"}"),
        (b"\"${A:-", b"a", b"}\""),
        (b"{ ", b"a", b"; }"),
        (b"if a; then ", b"a", b"; fi"),
        (b"`", b"a", b"`"),
        (b"\\`", b"a", b"\\`"),
        (b"'", b"a", b"'"),
        (b"a;", b"", b""),
        (b"a|", b"a", b""),
        (b"a&&", b"a", b""),
        (b"case a in a) ", b"a", b";; esac"),
        (b"-", b"1", b""),
        (b"!", b"1", b""),
        (b"1+", b"1", b""),
        (b"\\\n", b"1", b""),
    ];
    const TOML: &[Nested] = &[
        (b"[", b"a", b"]"),
        (b"a=[", b"1", b"]"),
        (b"a={a=", b"1", b"}"),
        (b"a.", b"a=1", b""),
        (b"[[a]]\n", b"", b""),
        (b"a=1\n", b"", b""),
    ];
    let of = |kinds: &[&[Nested]]| kinds.concat();
    match name {
        _ if name.starts_with("tree_") => of(&[MARKUP]),
        "phone_shell" | "phone_arith" => of(&[SHELL]),
        "phone_scene" | "config_toml" | "plugin_manifest" => of(&[TOML]),
        "selector" | "phone_control" | "plugin_schema" | "plugin_arguments" | "plugin_text" | "tool_arguments"
        | "journey_plan" | "precondition" | "rpc_lines" => of(&[JSON]),
        "shell_reply" => vec![(b"@0123456789abcdef", b"", b""), (b"@0123456789abcdef.a.0\n", b"", b"")],
        "input_said" => {
            vec![(b"handset:stroke:", b"", b""), (b"handset:stroke:1:2\n", b"", b""), (b"handset:done:", b"", b"")]
        }
        "getprop" => vec![(b"[a]: [b\n", b"", b"]\n"), (b"[a]: [", b"", b""), (b"x\n", b"", b"")],
        _ => Vec::new(),
    }
}
