//! Inputs out of examples and out of nothing.

/// A small seeded generator (splitmix64).
#[derive(Debug, Clone)]
pub(crate) struct Rng(u64);

impl Rng {
    pub(crate) fn new(seed: u64) -> Self {
        Self(seed)
    }

    /// The generator of one input: of the same seed, name and number always the same.
    pub(crate) fn of(seed: u64, name: &str, number: u64) -> Self {
        let named = name
            .bytes()
            .fold(0xcbf2_9ce4_8422_2325, |hash: u64, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3));
        let mut rng = Self(seed ^ named);
        let start = rng.next();
        Self(start.wrapping_add(number.wrapping_mul(0x9e37_79b9_7f4a_7c15)))
    }

    pub(crate) fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// Below `end`; 0 when that is 0.
    pub(crate) fn below(&mut self, end: usize) -> usize {
        if end == 0 { 0 } else { usize::try_from(self.next() % end as u64).unwrap_or(0) }
    }

    pub(crate) fn pick<'a, T>(&mut self, from: &'a [T]) -> &'a T {
        &from[self.below(from.len())]
    }

    fn byte(&mut self) -> u8 {
        (self.next() & 0xff) as u8
    }
}

/// What has bitten parsers before.
const BITS: &[&[u8]] = &[
    b"\0",
    b"\xff",
    b"\xc0\x80",
    b"\xed\xa0\xbd\xed\xb8\x80",
    b"\xef\xbb\xbf",
    b"\xff\xfe",
    b"\xe2\x80\xae",
    b"\xe2\x80\x8b",
    "😀".as_bytes(),
    "\u{10FFFF}".as_bytes(),
    "שלום".as_bytes(),
    "مرحبا".as_bytes(),
    "İ".as_bytes(),
    "ß".as_bytes(),
    "\u{2028}".as_bytes(),
    b"\r\n",
    b"\r",
    b"\n\n",
    b"\t",
    b" ",
    b"\x1b[31m",
    b"\x7f",
    b"\x1b]0;x\x07",
    b"'",
    b"\"",
    b"\\",
    b"`",
    b"$(",
    b"${",
    b"%s",
    b"%",
    b"*",
    b"&#55357;&#56832;",
    b"&amp;",
    b"&",
    b"<",
    b">",
    b"/>",
    b"]]>",
    b"-->",
    b"{",
    b"}",
    b"[",
    b"]",
    b":",
    b",",
    b"=",
    b"/",
    b"..",
    b"@",
    b"#",
    b"null",
    b"true",
    b"false",
    b"NaN",
    b"1e999",
    b"-0",
    b"0x",
    b"-",
    b"+1",
    b"2147483648",
    b"-2147483649",
    b"4294967296",
    b"18446744073709551616",
    b"9223372036854775807",
    b"-9223372036854775808",
    b"340282366920938463463374607431768211456",
];

/// One input: mostly an example that was damaged a little, sometimes pieces of several, sometimes nothing but noise.
pub(crate) fn input(rng: &mut Rng, examples: &[Vec<u8>], longest: usize) -> Vec<u8> {
    let mut input = match rng.below(20) {
        0 => (0..rng.below(400)).map(|_| rng.byte()).collect(),
        1 => (0..rng.below(40)).flat_map(|_| rng.pick(BITS).to_vec()).collect(),
        2..=4 => pieces(rng, examples),
        5 => utf16(rng, examples),
        _ => {
            let mut input = rng.pick(examples).clone();
            for _ in 0..=rng.below(8) {
                damage(rng, &mut input, examples);
            }
            input
        }
    };
    input.truncate(longest);
    input
}

/// Words of the examples in any order, so that what stands between them is whole.
fn pieces(rng: &mut Rng, examples: &[Vec<u8>]) -> Vec<u8> {
    let mut input = Vec::new();
    for _ in 0..rng.below(60) {
        let words = words(rng.pick(examples).as_slice());
        let strange = words.is_empty() || rng.below(8) == 0;
        let word: &&[u8] = if strange { rng.pick(BITS) } else { rng.pick(&words) };
        input.extend_from_slice(word);
        if rng.below(3) == 0 {
            input.extend(rng.pick(&[Some(b' '), Some(b'\n'), Some(0), None]));
        }
    }
    input
}

/// Runs of letters and digits, and single signs.
pub(crate) fn words(text: &[u8]) -> Vec<&[u8]> {
    let mut words = Vec::new();
    let mut rest = text;
    while let Some(first) = rest.first() {
        let alike = |byte: &u8| byte.is_ascii_alphanumeric() || *byte >= 0x80;
        let length = if alike(first) { rest.iter().take_while(|byte| alike(byte)).count() } else { 1 };
        words.push(&rest[..length]);
        rest = &rest[length..];
    }
    words
}

fn utf16(rng: &mut Rng, examples: &[Vec<u8>]) -> Vec<u8> {
    let big = rng.below(2) == 0;
    let text = String::from_utf8_lossy(rng.pick(examples).as_slice()).into_owned();
    let marked = if rng.below(2) == 0 { format!("\u{feff}{text}") } else { text };
    let unit = |unit: u16| if big { unit.to_be_bytes() } else { unit.to_le_bytes() };
    let mut input: Vec<u8> = marked.encode_utf16().flat_map(unit).collect();
    if rng.below(3) == 0 {
        damage(rng, &mut input, examples);
    }
    input
}

/// A part of the input: mostly short.
fn part(rng: &mut Rng, length: usize) -> std::ops::Range<usize> {
    let start = rng.below(length);
    let most = if rng.below(4) == 0 { length } else { 32 };
    start..(start + 1 + rng.below(most)).min(length)
}

fn damage(rng: &mut Rng, input: &mut Vec<u8>, examples: &[Vec<u8>]) {
    if input.is_empty() {
        input.extend_from_slice(rng.pick::<&[u8]>(BITS));
        return;
    }
    let at = rng.below(input.len() + 1);
    let one = at.min(input.len() - 1);
    match rng.below(12) {
        0 => input[one] ^= 1 << rng.below(8),
        1 => input[one] = rng.byte(),
        2 => input.truncate(at),
        3 => drop(input.drain(part(rng, input.len()))),
        4 | 5 => drop(input.splice(at..at, rng.pick(BITS).to_vec())),
        6 => {
            let again = input[part(rng, input.len())].repeat(1 + rng.below(3));
            input.splice(at..at, again);
        }
        7 => {
            let other = rng.pick(examples);
            if !other.is_empty() {
                input.splice(at..at, other[part(rng, other.len())].to_vec());
            }
        }
        8 | 9 => number(rng, input),
        10 => {
            let word = words(input).get(rng.below(input.len())).map(|word| word.to_vec()).unwrap_or_default();
            input.splice(at..at, word.repeat(1 + rng.below(400) * rng.below(2)));
        }
        _ => {
            let moved: Vec<u8> = input.drain(part(rng, input.len())).collect();
            let at = rng.below(input.len() + 1);
            input.splice(at..at, moved);
        }
    }
}

/// Another number in the place of one.
fn number(rng: &mut Rng, input: &mut Vec<u8>) {
    let starts: Vec<usize> = (0..input.len())
        .filter(|at| input[*at].is_ascii_digit() && (*at == 0 || !input[at - 1].is_ascii_digit()))
        .collect();
    if starts.is_empty() {
        return;
    }
    let start = *rng.pick(&starts);
    let length = input[start..].iter().take_while(|byte| byte.is_ascii_digit()).count();
    let other: Vec<u8> = match rng.below(6) {
        0 => rng.next().to_string().into_bytes(),
        1 => b"9".repeat(1 + rng.below(40)),
        2 => format!("-{}", rng.next() >> 33).into_bytes(),
        3 => b"0".to_vec(),
        4 => (1u64 << rng.below(64)).to_string().into_bytes(),
        _ => format!("{}.5e{}", rng.below(10), rng.below(400)).into_bytes(),
    };
    input.splice(start..start + length, other);
}
