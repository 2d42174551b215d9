//! Points in time as text, in UTC.

/// Seconds of a day.
const DAY: i64 = 86_400;

/// Writes a point in time, in seconds since 1970, as `strftime` does for the letters `Y m d H M S j F T s %`; `None` for any other letter.
pub(super) fn format(seconds: i64, pattern: &str) -> Option<String> {
    let days = seconds.div_euclid(DAY);
    let rest = seconds.rem_euclid(DAY);
    let (year, month, day) = civil(days);
    let (hour, minute, second) = (rest / 3_600, rest / 60 % 60, rest % 60);
    let mut out = String::new();
    let mut letters = pattern.chars();
    while let Some(letter) = letters.next() {
        if letter != '%' {
            out.push(letter);
            continue;
        }
        let piece = match letters.next()? {
            'Y' => format!("{year:04}"),
            'm' => format!("{month:02}"),
            'd' => format!("{day:02}"),
            'H' => format!("{hour:02}"),
            'M' => format!("{minute:02}"),
            'S' => format!("{second:02}"),
            'F' => format!("{year:04}-{month:02}-{day:02}"),
            'T' => format!("{hour:02}:{minute:02}:{second:02}"),
            's' => seconds.to_string(),
            '%' => "%".to_owned(),
            _ => return None,
        };
        out.push_str(&piece);
    }
    Some(out)
}

/// Year, month and day of a number of days since 1970-01-01.
///
/// Counts from 0000-03-01, so that the leap day is the last one of its year.
fn civil(days: i64) -> (i64, i64, i64) {
    const FROM_MARCH_0000: i64 = 719_468;
    const FOUR_CENTURIES: i64 = 146_097;
    let days = days.saturating_add(FROM_MARCH_0000);
    let era = days.div_euclid(FOUR_CENTURIES);
    let of_era = days.rem_euclid(FOUR_CENTURIES);
    let year_of_era = (of_era - of_era / 1_460 + of_era / 36_524 - of_era / 146_096) / 365;
    let of_year = of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let march_month = (5 * of_year + 2) / 153;
    let day = of_year - (153 * march_month + 2) / 5 + 1;
    let month = if march_month < 10 {
        march_month + 3
    } else {
        march_month - 9
    };
    let year = year_of_era + era * 400 + i64::from(month <= 2);
    (year, month, day)
}

#[cfg(test)]
mod tests {
    use super::format;

    #[test]
    fn days_of_the_calendar() {
        let shown = |seconds| format(seconds, "%F %T").expect("a pattern");
        assert_eq!(shown(0), "1970-01-01 00:00:00");
        assert_eq!(shown(-1), "1969-12-31 23:59:59");
        assert_eq!(shown(951_782_400), "2000-02-29 00:00:00");
        assert_eq!(shown(4_107_542_399), "2100-02-28 23:59:59");
        assert_eq!(shown(4_107_542_400), "2100-03-01 00:00:00");
    }

    #[test]
    fn an_unknown_letter_is_no_pattern() {
        assert_eq!(format(0, "%q"), None);
        assert_eq!(format(0, "%"), None);
        assert_eq!(format(0, "100%%").as_deref(), Some("100%"));
    }
}
