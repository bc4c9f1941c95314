//! Recognizes names of this machine and of local networks, independent of the resolver. Pure.
//!
//! These are the names reserved for that (RFC 6761, RFC 6762, RFC 8375, and `internal` by ICANN), and unregistered ones that
//! networks commonly use and that do not exist as public names.

const ENDS: [&str; 14] = [
    "consul",
    "corp",
    "docker",
    "home",
    "home.arpa",
    "internal",
    "intranet",
    "lan",
    "local",
    "localdomain",
    "localhost",
    "private",
    "svc",
    "workgroup",
];

/// Why a name is not public, in a few words; `None` if it may be public.
pub(crate) fn local_name_reason(name: &str) -> Option<&'static str> {
    let name = name.trim_end_matches('.').to_ascii_lowercase();
    if !name.contains('.') {
        return Some("a name without a dot");
    }
    let is_below =
        |end: &&&str| name.strip_suffix(**end).is_some_and(|front| front.is_empty() || front.ends_with('.'));
    ENDS.iter().find(is_below).map(|_| "a name of local networks")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_local_networks_are_known_by_their_ends() {
        for name in
            ["wiki", "wiki.", "", ".", "a.local", "A.LOCAL.", "home.arpa", "x.home.arpa", "db.prod.internal"]
        {
            assert!(local_name_reason(name).is_some(), "{name}");
        }
        for name in
            ["example.com", "local.example", "a.homes", "notlocal.dev", "arpa.net", "internal.example.org."]
        {
            assert_eq!(local_name_reason(name), None, "{name}");
        }
    }
}
