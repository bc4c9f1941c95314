//! Private keys in files whose names do not tell.
//!
//! Only the first bytes are looked at, because every read of a file pays for it.

use std::io::Read as _;
use std::path::Path;

use copydesk_workspace::real_file::open_regular_file;

/// A key may follow the certificates that belong to it.
const BEGINNING: u64 = 16 * 1024;

/// How a line begins that begins a key.
const MARKS: &[(&str, &str)] = &[
    ("-----BEGIN ", "PRIVATE KEY-----"),
    ("-----BEGIN PGP PRIVATE KEY BLOCK-----", ""),
    ("PuTTY-User-Key-File-", ": "),
    ("AGE-SECRET-KEY-1", ""),
];

/// What cannot be read holds none: the tool that reads it says why.
pub(super) fn holds_private_key(real: &Path) -> bool {
    // To open a device has effects.
    if !real.symlink_metadata().is_ok_and(|found| found.is_file()) {
        return false;
    }
    let Ok((file, metadata)) = open_regular_file(real) else { return false };
    let mut bytes = Vec::with_capacity(usize::try_from(metadata.len().min(BEGINNING)).unwrap_or_default());
    file.take(BEGINNING).read_to_end(&mut bytes).is_ok() && begins_key(&String::from_utf8_lossy(&bytes))
}

fn begins_key(text: &str) -> bool {
    text.lines().any(|line| {
        let is_mark = |(start, rest): &(&str, &str)| {
            line.trim_start().strip_prefix(start).is_some_and(|after| after.contains(rest))
        };
        MARKS.iter().any(is_mark)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_are_known_by_their_first_line() {
        for (text, expected) in [
            ("-----BEGIN PRIVATE KEY-----\nMIIE", true),
            ("# mine\n  -----BEGIN OPENSSH PRIVATE KEY-----\r\nb3Bl", true),
            (
                "-----BEGIN CERTIFICATE-----\nMIIC\n-----END CERTIFICATE-----\n-----BEGIN EC PRIVATE KEY-----\n",
                true,
            ),
            ("-----BEGIN PGP PRIVATE KEY BLOCK-----\n", true),
            ("PuTTY-User-Key-File-3: ssh-ed25519\n", true),
            ("# public key: age1\nAGE-SECRET-KEY-1QQ\n", true),
            ("-----BEGIN PUBLIC KEY-----\nMIIB", false),
            ("const MARK: &str = \"-----BEGIN PRIVATE KEY-----\";\n", false),
            ("A page about -----BEGIN PRIVATE KEY-----\n", false),
            ("", false),
        ] {
            assert_eq!(begins_key(text), expected, "{text}");
        }
    }
}
