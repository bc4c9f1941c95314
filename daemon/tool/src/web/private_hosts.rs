//! The private hosts that the user allows to fetch. Pure.

use url::Url;

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub enum PrivateHosts {
    #[default]
    None,
    All,
    /// `localhost`, `localhost:3000`, `10.0.0.7`, `*.corp.example`; without a port all ports.
    Hosts(Vec<String>),
}

/// The ports of the web.
const WEB_PORTS: [u16; 2] = [80, 443];

/// What a host that is written without a port stands for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum UnwrittenPort {
    Any,
    Web,
}

impl PrivateHosts {
    pub(crate) fn allows(&self, url: &Url) -> bool {
        match self {
            Self::None => false,
            Self::All => true,
            Self::Hosts(hosts) => has_host(hosts, url, UnwrittenPort::Any),
        }
    }
}

pub(crate) fn has_host(hosts: &[String], url: &Url, unwritten: UnwrittenPort) -> bool {
    hosts.iter().any(|written| is_host(written, url, unwritten))
}

fn is_host(written: &str, url: &Url, unwritten: UnwrittenPort) -> bool {
    let Some(host) = url.host_str() else { return false };
    let host = host.trim_end_matches('.');
    let written = written.trim().to_ascii_lowercase();
    let (name, port) = split(&written);
    let asked = url.port_or_known_default();
    let same_port = match port {
        Some(port) => asked == Some(port),
        None => unwritten == UnwrittenPort::Any || asked.is_some_and(|asked| WEB_PORTS.contains(&asked)),
    };
    let same_name = match name.strip_prefix("*.") {
        Some(below) => host.strip_suffix(below).is_some_and(|front| front.len() > 1 && front.ends_with('.')),
        None => !name.is_empty() && host.trim_matches(['[', ']']) == name.trim_matches(['[', ']']),
    };
    same_port && same_name
}

/// Splits a name and its port. `::1` has no port.
fn split(written: &str) -> (&str, Option<u16>) {
    match written.rsplit_once(':') {
        Some((name, port)) if !name.contains(':') || name.ends_with(']') => match port.parse() {
            Ok(port) => (name, Some(port)),
            Err(_) => (written, None),
        },
        _ => (written, None),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hosts_are_those_that_were_named() {
        let hosts = ["localhost:3000", "*.corp.example", "10.0.0.7", "::1", "[fd00::1]:8080"];
        let private = PrivateHosts::Hosts(hosts.map(str::to_owned).into());
        for (address, allowed) in [
            ("http://localhost:3000/x", true),
            ("http://LOCALHOST:3000/x", true),
            ("http://localhost.:3000/x", true),
            ("http://localhost:3001/", false),
            ("http://localhost/", false),
            ("https://wiki.corp.example/", true),
            ("https://corp.example/", false),
            ("https://evilcorp.example/", false),
            ("https://wiki.corp.example.evil.test/", false),
            ("http://10.0.0.7:9/", true),
            ("http://0xa000007/", true),
            ("http://10.0.0.8/", false),
            ("http://[::1]/", true),
            ("http://[fd00::1]:8080/", true),
            ("http://[fd00::1]/", false),
        ] {
            assert_eq!(private.allows(&Url::parse(address).unwrap()), allowed, "{address}");
        }
        let hosts = ["a.example", "b.example:8080"].map(str::to_owned);
        for (address, allowed) in [
            ("https://a.example/", true),
            ("http://a.example/", true),
            ("https://a.example:80/", true),
            ("https://a.example:22/", false),
            ("http://b.example:8080/", true),
            ("https://b.example/", false),
        ] {
            let url = Url::parse(address).unwrap();
            assert_eq!(has_host(&hosts, &url, UnwrittenPort::Web), allowed, "{address}");
        }
        assert!(PrivateHosts::All.allows(&Url::parse("http://127.0.0.1/").unwrap()));
        assert!(!PrivateHosts::None.allows(&Url::parse("http://127.0.0.1/").unwrap()));
        assert!(
            !PrivateHosts::Hosts(vec![String::new(), "*.".into(), ":80".into()])
                .allows(&Url::parse("http://a.b/").unwrap())
        );
    }
}
