//! Times as logcat prints them: with or without year and zone, since the epoch, or since boot.

/// A printed time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LogTime {
    /// `-v threadtime` and its kin; the device's own clock on the wall.
    Wall {
        /// `-v year`.
        year: Option<i32>,
        /// 1 to 12.
        month: u8,
        /// 1 to 31.
        day: u8,
        /// Hours, minutes, seconds.
        clock: [u8; 3],
        /// Fraction of the second.
        nanos: u32,
        /// `-v zone`, `-v UTC`: minutes east of Greenwich.
        zone: Option<i32>,
    },
    /// `-v epoch`.
    Epoch {
        /// Since 1970.
        seconds: i64,
        /// Fraction of the second.
        nanos: u32,
    },
    /// `-v monotonic`: since boot, which is no time of day.
    Monotonic {
        /// Since boot.
        seconds: i64,
        /// Fraction of the second.
        nanos: u32,
    },
}

/// What is known beside the lines, for formats that leave it out.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct TimeBase {
    /// The device's year and month now: a month that lies ahead of it was last year's.
    pub now: Option<(i32, u8)>,
    /// Minutes east of Greenwich on the device.
    pub zone: Option<i32>,
}

/// Days from 1970-01-01 to a civil date (Howard Hinnant's algorithm).
fn days(year: i32, month: u8, day: u8) -> i64 {
    let (month, day) = (i64::from(month), i64::from(day));
    let year = i64::from(year) - i64::from(month <= 2);
    let era = year.div_euclid(400);
    let of_era = year.rem_euclid(400);
    let of_year = (153 * ((month + 9) % 12) + 2) / 5 + day - 1;
    era * 146_097 + of_era * 365 + of_era / 4 - of_era / 100 + of_year - 719_468
}

/// The civil date of days since 1970-01-01.
fn civil(days: i64) -> (i64, i64, i64) {
    let shifted = days + 719_468;
    let era = shifted.div_euclid(146_097);
    let of_era = shifted.rem_euclid(146_097);
    let year_of_era = (of_era - of_era / 1_460 + of_era / 36_524 - of_era / 146_096) / 365;
    let of_year = of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let moved = (5 * of_year + 2) / 153;
    let month = if moved < 10 { moved + 3 } else { moved - 9 };
    (year_of_era + era * 400 + i64::from(month <= 2), month, of_year - (153 * moved + 2) / 5 + 1)
}

impl LogTime {
    /// Milliseconds since 1970, where the time says so or `base` completes it.
    #[must_use]
    pub fn epoch_ms(&self, base: &TimeBase) -> Option<i64> {
        let (seconds, nanos) = match *self {
            Self::Epoch { seconds, nanos } => (seconds, nanos),
            Self::Monotonic { .. } => return None,
            Self::Wall { year, month, day, clock: [hour, minute, second], nanos, zone } => {
                let year = year.or_else(|| {
                    let (year, now) = base.now?;
                    // A clock that is a little ahead, or a month that ends between line and question, is this year's.
                    Some(if month > now.saturating_add(1) { year - 1 } else { year })
                })?;
                let zone = i64::from(zone.or(base.zone)?);
                let of_day = i64::from(hour) * 3_600 + i64::from(minute) * 60 + i64::from(second);
                (days(year, month, day) * 86_400 + of_day - zone * 60, nanos)
            }
        };
        seconds.checked_mul(1_000)?.checked_add(i64::from(nanos / 1_000_000))
    }

    /// ISO 8601 in UTC; a wall time whose year is known but not its zone stands as it is, without one; null otherwise.
    #[must_use]
    pub fn iso(&self, base: &TimeBase) -> Option<String> {
        if let Some(ms) = self.epoch_ms(base) {
            let (year, month, day) = civil(ms.div_euclid(86_400_000));
            let of_day = ms.rem_euclid(86_400_000);
            let (hour, minute) = (of_day / 3_600_000, of_day / 60_000 % 60);
            let (second, milli) = (of_day / 1_000 % 60, of_day % 1_000);
            return Some(format!("{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}.{milli:03}Z"));
        }
        match *self {
            Self::Wall { year: Some(year), month, day, clock: [hour, minute, second], nanos, .. } => {
                let milli = nanos / 1_000_000;
                Some(format!("{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}.{milli:03}"))
            }
            _ => None,
        }
    }
}

/// Reads a time at the start of `text`, with its zone where one follows; what is left begins behind it.
#[must_use]
pub fn parse_log_time(text: &str) -> Option<(LogTime, &str)> {
    wall(text).or_else(|| counted(text))
}

/// `digits` characters of a number.
fn number(text: &str, digits: usize) -> Option<(u32, &str)> {
    let (head, rest) = text.split_at_checked(digits)?;
    head.bytes().all(|byte| byte.is_ascii_digit()).then(|| head.parse().ok().map(|number| (number, rest)))?
}

/// `.123`, `.123456` or `.123456789`.
fn fraction(text: &str) -> Option<(u32, &str)> {
    let rest = text.strip_prefix(['.', ','])?;
    let digits = rest.bytes().take_while(u8::is_ascii_digit).count();
    if !(1..=9).contains(&digits) {
        return None;
    }
    let (number, rest) = number(rest, digits)?;
    let scale = 10u32.checked_pow(u32::try_from(9 - digits).ok()?)?;
    Some((number.checked_mul(scale)?, rest))
}

fn byte(number: u32, range: std::ops::RangeInclusive<u32>) -> Option<u8> {
    range.contains(&number).then(|| u8::try_from(number).ok())?
}

/// `[YYYY-]MM-DD HH:MM:SS.fff[ +ZZZZ]`; `T` between date and time as some tools write it.
fn wall(text: &str) -> Option<(LogTime, &str)> {
    let with_year = number(text, 4).and_then(|(year, rest)| Some((year, rest.strip_prefix('-')?)));
    let (year, rest) = match with_year {
        Some((year, rest)) => (Some(i32::try_from(year).ok()?), rest),
        None => (None, text),
    };
    let (month, rest) = number(rest, 2)?;
    let (day, rest) = number(rest.strip_prefix('-')?, 2)?;
    let rest = rest.strip_prefix([' ', 'T'])?;
    let (hour, rest) = number(rest.trim_start_matches(' '), 2)?;
    let (minute, rest) = number(rest.strip_prefix(':')?, 2)?;
    let (second, rest) = number(rest.strip_prefix(':')?, 2)?;
    let (nanos, rest) = fraction(rest)?;
    let (zone, rest) = match zone(rest) {
        Some((zone, rest)) => (Some(zone), rest),
        None => (None, rest),
    };
    let clock = [byte(hour, 0..=23)?, byte(minute, 0..=59)?, byte(second, 0..=60)?];
    let time = LogTime::Wall { year, month: byte(month, 1..=12)?, day: byte(day, 1..=31)?, clock, nanos, zone };
    Some((time, rest))
}

/// ` +0200`, `Z`.
fn zone(text: &str) -> Option<(i32, &str)> {
    if let Some(rest) = text.strip_prefix('Z') {
        return Some((0, rest));
    }
    let text = text.strip_prefix(' ').unwrap_or(text);
    let sign = match text.as_bytes().first()? {
        b'+' => 1,
        b'-' => -1,
        _ => return None,
    };
    let (hours, rest) = number(text.get(1..)?, 2)?;
    let (minutes, rest) = number(rest.strip_prefix(':').unwrap_or(rest), 2)?;
    if hours > 14 || minutes > 59 {
        return None;
    }
    Some((sign * i32::try_from(hours * 60 + minutes).ok()?, rest))
}

/// Seconds since 1970 are filled up to 19 columns, those since boot to 6; which it is the number says: nothing has been up
/// for thirty years.
fn counted(text: &str) -> Option<(LogTime, &str)> {
    let text = text.trim_start_matches(' ');
    let digits = text.bytes().take_while(u8::is_ascii_digit).count();
    if !(1..=12).contains(&digits) {
        return None;
    }
    let (seconds, rest) = text.split_at_checked(digits)?;
    let seconds: i64 = seconds.parse().ok()?;
    let (nanos, rest) = fraction(rest)?;
    const THIRTY_YEARS: i64 = 946_684_800;
    let time =
        if seconds >= THIRTY_YEARS { LogTime::Epoch { seconds, nanos } } else { LogTime::Monotonic { seconds, nanos } };
    Some((time, rest))
}

impl std::fmt::Display for LogTime {
    /// As logcat prints it, with milliseconds.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match *self {
            Self::Wall { year, month, day, clock: [hour, minute, second], nanos, zone } => {
                if let Some(year) = year {
                    write!(f, "{year:04}-")?;
                }
                write!(f, "{month:02}-{day:02} {hour:02}:{minute:02}:{second:02}.{:03}", nanos / 1_000_000)?;
                match zone {
                    Some(zone) => {
                        write!(f, " {}{:02}{:02}", if zone < 0 { '-' } else { '+' }, zone.abs() / 60, zone.abs() % 60)
                    }
                    None => Ok(()),
                }
            }
            Self::Epoch { seconds, nanos } | Self::Monotonic { seconds, nanos } => {
                write!(f, "{seconds}.{:03}", nanos / 1_000_000)
            }
        }
    }
}
