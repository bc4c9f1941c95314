//! Ids of sessions and parts: unique, and sorted by time.

use std::fmt;
use std::time::{SystemTime, UNIX_EPOCH};

use serde::{Deserialize, Serialize};

/// Crockford's alphabet: no letters that are mistaken for digits when read aloud.
const ALPHABET: &[u8; 32] = b"0123456789abcdefghjkmnpqrstvwxyz";

/// 48 bits of milliseconds, then 52 random ones, in 20 letters and digits. Later ones sort after earlier ones.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Id(String);

impl Id {
    pub fn new() -> Self {
        let mut bits = (u128::from(now()) << 52) | u128::from(fastrand::u64(..) >> 12);
        let mut text = [b'0'; 20];
        for place in text.iter_mut().rev() {
            *place = ALPHABET.get((bits & 31) as usize).copied().unwrap_or(b'0');
            bits >>= 5;
        }
        Self(text.iter().map(|byte| char::from(*byte)).collect())
    }

    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl Default for Id {
    fn default() -> Self {
        Self::new()
    }
}

/// From user input or a file. The store knows whether it exists.
impl From<&str> for Id {
    fn from(text: &str) -> Self {
        Self(text.to_owned())
    }
}

impl fmt::Display for Id {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// Milliseconds since 1970. A clock before that counts as 1970.
pub fn now() -> u64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    u64::try_from(since.as_millis()).unwrap_or(u64::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn later_ones_sort_after_earlier_ones() {
        let first = Id::new();
        let start = now();
        while now() == start {}
        let second = Id::new();
        assert!(first < second, "{first} {second}");
        assert_eq!(first.as_str().len(), 20);
    }
}
