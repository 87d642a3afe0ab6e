//! The date that is written into measurement files.

use std::time::{SystemTime, UNIX_EPOCH};

/// Today in UTC, `2026-11-21`.
pub(super) fn today() -> String {
    date(SystemTime::now())
}

/// The day in UTC, `2026-11-21`.
fn date(time: SystemTime) -> String {
    let days = time.duration_since(UNIX_EPOCH).unwrap_or_default().as_secs() / 86_400;
    // Counted from 1 March of the year 0, so that a leap day ends its year.
    let day = days + 719_468;
    let (era, day) = (day / 146_097, day % 146_097);
    let year = (day - day / 1_460 + day / 36_524 - day / 146_096) / 365;
    let day = day - (365 * year + year / 4 - year / 100);
    let month = (5 * day + 2) / 153;
    let of_month = day - (153 * month + 2) / 5 + 1;
    let (month, later) = if month < 10 { (month + 3, 0) } else { (month - 9, 1) };
    format!("{:04}-{month:02}-{of_month:02}", 400 * era + year + later)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    #[test]
    fn days() {
        for (days, expected) in [
            (0, "1970-01-01"),
            (59, "1970-03-01"),
            (10_957, "2000-01-01"),
            (11_016, "2000-02-29"),
            (11_017, "2000-03-01"),
            (20_454, "2026-01-01"),
            (20_778, "2026-11-21"),
            (47_541, "2100-03-01"),
        ] {
            assert_eq!(date(UNIX_EPOCH + Duration::from_secs(days * 86_400 + 7)), expected);
        }
    }
}
