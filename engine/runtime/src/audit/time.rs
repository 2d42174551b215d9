//! The time of records: RFC 3339 in UTC with milliseconds, which sorts as text.

use std::time::{SystemTime, UNIX_EPOCH};

const MILLIS_PER_DAY: i64 = 24 * 60 * 60 * 1000;

/// Milliseconds since 1970.
#[must_use]
#[expect(
    clippy::disallowed_methods,
    reason = "a record says when; no decision depends on it"
)]
pub fn now_millis() -> i64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    i64::try_from(since.as_millis()).unwrap_or(i64::MAX)
}

/// `2026-11-30T17:27:10.123Z`.
#[must_use]
pub fn rfc3339(millis: i64) -> String {
    let (days, rest) = (
        millis.div_euclid(MILLIS_PER_DAY),
        millis.rem_euclid(MILLIS_PER_DAY),
    );
    let (year, month, day) = date_of(days);
    let (seconds, millis) = (rest / 1000, rest % 1000);
    let (hour, minute, second) = (seconds / 3600, seconds / 60 % 60, seconds % 60);
    format!("{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}.{millis:03}Z")
}

/// Reads a date (`2026-11-30`) or a time in UTC (`2026-11-30T17:27:10Z`, with or without a fraction) as milliseconds since 1970.
#[must_use]
pub fn parse_time(text: &str) -> Option<i64> {
    let (date, time) = match text.split_once('T') {
        Some((date, time)) => (date, time.strip_suffix('Z')?),
        None => (text, "00:00:00"),
    };
    let mut numbers = date.splitn(3, '-').map(number);
    let (year, month, day) = (numbers.next()??, numbers.next()??, numbers.next()??);
    let (clock, fraction) = time.split_once('.').unwrap_or((time, "0"));
    let mut numbers = clock.splitn(3, ':').map(number);
    let (hour, minute) = (numbers.next()??, numbers.next()??);
    let second = numbers.next().unwrap_or(Some(0))?;
    number(fraction)?;
    let millis: String = fraction.chars().chain("000".chars()).take(3).collect();
    let valid = (1..=12).contains(&month)
        && (1..=31).contains(&day)
        && (0..=9999).contains(&year)
        && hour < 24
        && minute < 60
        && second < 61;
    let within = (hour * 3600 + minute * 60 + second) * 1000 + number(&millis)?;
    valid.then(|| days_of(year, month, day) * MILLIS_PER_DAY + within)
}

fn number(digits: &str) -> Option<i64> {
    (!digits.is_empty() && digits.len() <= 9 && digits.bytes().all(|byte| byte.is_ascii_digit()))
        .then(|| digits.parse().ok())?
}

/// Days of 400 years of the Gregorian calendar.
const ERA_DAYS: i64 = 146_097;

/// Days from 0000-03-01 to 1970-01-01. Years are counted from March on, so that the leap day is a year's last.
const EPOCH_DAYS: i64 = 719_468;

fn days_of(year: i64, month: i64, day: i64) -> i64 {
    let year = if month <= 2 { year - 1 } else { year };
    let era = year.div_euclid(400);
    let of_era = year.rem_euclid(400);
    let of_year = (153 * ((month + 9) % 12) + 2) / 5 + day - 1;
    era * ERA_DAYS + of_era * 365 + of_era / 4 - of_era / 100 + of_year - EPOCH_DAYS
}

fn date_of(days: i64) -> (i64, i64, i64) {
    let days = days + EPOCH_DAYS;
    let era = days.div_euclid(ERA_DAYS);
    let of_era = days.rem_euclid(ERA_DAYS);
    let year = (of_era - of_era / 1460 + of_era / 36_524 - of_era / 146_096) / 365;
    let of_year = of_era - (365 * year + year / 4 - year / 100);
    let shifted = (5 * of_year + 2) / 153;
    let day = of_year - (153 * shifted + 2) / 5 + 1;
    let month = if shifted < 10 { shifted + 3 } else { shifted - 9 };
    let year = era * 400 + year + i64::from(month <= 2);
    (year, month, day)
}

#[cfg(test)]
mod tests {
    use super::{date_of, days_of, parse_time, rfc3339};

    #[test]
    fn times_are_written_as_the_calendar_says() {
        assert_eq!(rfc3339(0), "1970-01-01T00:00:00.000Z");
        assert_eq!(rfc3339(951_782_400_000), "2000-02-29T00:00:00.000Z");
        assert_eq!(rfc3339(1_796_059_630_123), "2026-11-30T17:27:10.123Z");
        assert_eq!(rfc3339(-1), "1969-12-31T23:59:59.999Z");
    }

    #[test]
    fn what_is_written_is_read_back() {
        for millis in [0, 951_782_400_000, 1_796_059_630_123, 4_107_542_399_999] {
            assert_eq!(parse_time(&rfc3339(millis)), Some(millis));
        }
        assert_eq!(parse_time("2026-11-30"), parse_time("2026-11-30T00:00:00Z"));
        assert_eq!(
            parse_time("2026-11-30T17:27Z"),
            parse_time("2026-11-30T17:27:00.0Z")
        );
        for wrong in [
            "",
            "yesterday",
            "2026-13-01",
            "2026-11-30T17",
            "2026-11-30T17:27:10+01:00",
            "2026-1x-01",
        ] {
            assert_eq!(parse_time(wrong), None, "{wrong}");
        }
    }

    #[test]
    fn every_day_of_six_centuries_is_its_own_inverse() {
        for days in -100_000..120_000 {
            let (year, month, day) = date_of(days);
            assert_eq!(days_of(year, month, day), days);
        }
    }
}
