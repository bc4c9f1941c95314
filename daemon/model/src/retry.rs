//! Retry delays: pure arithmetic on the server's headers.

use std::time::{Duration, SystemTime};

use crate::time_limits::{FIRST_RETRY_DELAY, MAX_REQUESTED_DELAY, MAX_RETRY_DELAY};

/// Without a hint from the server: 2 s, 4 s, 8 s, … plus up to a quarter of jitter, never above 30 s.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RetryPolicy {
    pub max_retries: u32,
    pub first: Duration,
    pub cap: Duration,
}

impl Default for RetryPolicy {
    fn default() -> Self {
        Self { max_retries: 5, first: FIRST_RETRY_DELAY, cap: MAX_RETRY_DELAY }
    }
}

impl RetryPolicy {
    /// The wait before retry number `attempt` (from 1). `random` is in 0..=1. The server's own wait applies
    /// even beyond our cap: retrying too early only makes the limit worse.
    pub fn delay(&self, attempt: u32, asked: Option<Duration>, random: f64) -> Duration {
        if let Some(asked) = asked {
            return asked.min(MAX_REQUESTED_DELAY);
        }
        let doublings = attempt.saturating_sub(1).min(16);
        let base = self.first.saturating_mul(1 << doublings).as_millis() as f64;
        let jittered = (base + base * 0.25 * random.clamp(0.0, 1.0)).ceil();
        Duration::from_millis(jittered as u64).min(self.cap)
    }
}

/// Reads `retry-after-ms`, else `retry-after` in seconds or as a date. Ignores invalid values.
pub fn retry_after<'a>(header: impl Fn(&str) -> Option<&'a str>, now: SystemTime) -> Option<Duration> {
    let number = |name: &str, unit_ms: f64| {
        let value: f64 = header(name)?.trim().parse().ok()?;
        (value.is_finite() && value >= 0.0).then(|| {
            let ms = (value * unit_ms).ceil().min(MAX_REQUESTED_DELAY.as_millis() as f64);
            Duration::from_millis(ms as u64)
        })
    };
    number("retry-after-ms", 1.0).or_else(|| number("retry-after", 1000.0)).or_else(|| {
        let date = httpdate::parse_http_date(header("retry-after")?.trim()).ok()?;
        Some(date.duration_since(now).unwrap_or_default().min(MAX_REQUESTED_DELAY))
    })
}

#[cfg(test)]
mod tests {
    use std::time::UNIX_EPOCH;

    use super::*;

    #[track_caller]
    fn check(headers: &[(&str, &str)], expected: Option<u64>) {
        let now = UNIX_EPOCH + Duration::from_secs(784_111_777); // Sun, 06 Nov 1994 08:49:37 GMT
        let header = |name: &str| headers.iter().find(|(key, _)| *key == name).map(|(_, value)| *value);
        assert_eq!(retry_after(header, now), expected.map(Duration::from_millis));
    }

    #[test]
    fn servers_say_it_in_three_ways() {
        check(&[("retry-after-ms", "1500.5"), ("retry-after", "9")], Some(1501));
        check(&[("retry-after", " 0.5 ")], Some(500));
        check(&[("retry-after", "Sun, 06 Nov 1994 08:49:39 GMT")], Some(2000));
        check(&[("retry-after", "Sun, 06 Nov 1994 08:00:00 GMT")], Some(0));
        check(&[("retry-after-ms", "soon"), ("retry-after", "3")], Some(3000));
        check(&[("retry-after", "-3")], None);
        check(&[("retry-after", "NaN")], None);
        check(&[("retry-after", "1e300")], Some(i32::MAX as u64));
        check(&[], None);
    }

    #[test]
    fn the_wait_never_overflows() {
        assert_eq!(RetryPolicy::default().delay(u32::MAX, None, 1.0), Duration::from_secs(30));
        assert_eq!(RetryPolicy::default().delay(0, None, 0.0), Duration::from_secs(2));
    }
}
