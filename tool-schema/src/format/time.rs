//! RFC 3339: dates and times in section 5.6, durations in appendix A. The letters of its grammar are of either case.

/// `date-time`.
pub(super) fn is_date_time(text: &str) -> bool {
    let Some((date, rest)) = text.split_at_checked(10) else {
        return false;
    };
    is_date(date) && rest.strip_prefix(['T', 't']).is_some_and(is_time)
}

/// `full-date`, of a day that there is.
pub(super) fn is_date(text: &str) -> bool {
    let [y1, y2, y3, y4, b'-', m1, m2, b'-', d1, d2] = text.as_bytes() else {
        return false;
    };
    let (Some(century), Some(year)) = (number(*y1, *y2), number(*y3, *y4)) else {
        return false;
    };
    let is_leap = match year {
        0 => century % 4 == 0,
        year => year % 4 == 0,
    };
    let days = match number(*m1, *m2) {
        Some(1 | 3 | 5 | 7 | 8 | 10 | 12) => 31,
        Some(4 | 6 | 9 | 11) => 30,
        Some(2) if is_leap => 29,
        Some(2) => 28,
        _ => return false,
    };
    number(*d1, *d2).is_some_and(|day| (1..=days).contains(&day))
}

/// `full-time`. A minute has a 61st second only where a leap second may be: before midnight UTC.
pub(super) fn is_time(text: &str) -> bool {
    let Some(([h1, h2, b':', m1, m2, b':', s1, s2], rest)) = text.as_bytes().split_first_chunk()
    else {
        return false;
    };
    let (Some(hour @ 0..24), Some(minute @ 0..60), Some(second @ 0..=60)) =
        (number(*h1, *h2), number(*m1, *m2), number(*s1, *s2))
    else {
        return false;
    };
    let offset = match rest {
        [b'.', digits_and_offset @ ..] => {
            let digits = count_digits(digits_and_offset);
            if digits == 0 {
                return false;
            }
            digits_and_offset.get(digits..).unwrap_or_default()
        }
        offset => offset,
    };
    let Some(offset) = minutes_before_utc(offset) else {
        return false;
    };
    let minute_of_day = (hour * 60 + minute - offset).rem_euclid(DAY);
    second < 60 || minute_of_day == DAY - 1
}

/// In minutes.
const DAY: i32 = 24 * 60;

/// `time-offset`: the difference of the local time to UTC, in minutes.
fn minutes_before_utc(offset: &[u8]) -> Option<i32> {
    match offset {
        [b'Z' | b'z'] => Some(0),
        [sign @ (b'+' | b'-'), h1, h2, b':', m1, m2] => {
            let (hour @ 0..24, minute @ 0..60) = (number(*h1, *h2)?, number(*m1, *m2)?) else {
                return None;
            };
            let minutes = hour * 60 + minute;
            Some(if *sign == b'-' { -minutes } else { minutes })
        }
        _ => None,
    }
}

/// The number that two digits are.
fn number(tens: u8, ones: u8) -> Option<i32> {
    let is_number = tens.is_ascii_digit() && ones.is_ascii_digit();
    is_number.then(|| i32::from(tens - b'0') * 10 + i32::from(ones - b'0'))
}

fn count_digits(bytes: &[u8]) -> usize {
    bytes
        .iter()
        .take_while(|byte| byte.is_ascii_digit())
        .count()
}

/// `duration`: weeks alone, or units that follow each other without a gap; `P1Y2D` is invalid.
pub(super) fn is_duration(text: &str) -> bool {
    let Some(rest) = text.strip_prefix(['P', 'p']) else {
        return false;
    };
    if are_units(rest, b"W") {
        return true;
    }
    match rest.split_once(['T', 't']) {
        Some((date, time)) => {
            (date.is_empty() || are_units(date, b"YMD")) && are_units(time, b"HMS")
        }
        None => are_units(rest, b"YMD"),
    }
}

/// One or more numbers, with successive ones of these units behind them.
fn are_units(text: &str, units: &[u8]) -> bool {
    let mut rest = text.as_bytes();
    // Which units may come next: any one at first.
    let mut next = 0..units.len();
    while !rest.is_empty() {
        let digits = count_digits(rest);
        let Some((unit, behind)) = rest.get(digits..).and_then(<[u8]>::split_first) else {
            return false;
        };
        let found = units.iter().position(|one| one.eq_ignore_ascii_case(unit));
        let Some(found) = found.filter(|found| digits > 0 && next.contains(found)) else {
            return false;
        };
        next = found + 1..(found + 2).min(units.len());
        rest = behind;
    }
    !text.is_empty()
}
