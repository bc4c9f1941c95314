//! Tells public addresses from those of this machine and of local networks. Pure.
//!
//! From the registries of special addresses (RFC 6890 and its successors). An address that wraps another (NAT64, 6to4) counts
//! as that one. IPv4-mapped addresses are always rejected, because no site needs them.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

/// Why an address is not public, in a few words; `None` if it is.
pub(crate) fn non_public_reason(address: IpAddr) -> Option<&'static str> {
    match address {
        IpAddr::V4(address) => not_public_v4(address),
        IpAddr::V6(address) => not_public_v6(address),
    }
}

fn not_public_v4(address: Ipv4Addr) -> Option<&'static str> {
    Some(match address.octets() {
        [127, ..] => "this machine",
        [0, ..] => "this network",
        [10, ..] | [172, 16..=31, ..] | [192, 168, ..] => "a private network",
        [169, 254, ..] => "link-local, where clouds keep their metadata",
        // Azure's metadata service, in spite of a public address.
        [168, 63, 129, 16] => "a cloud's metadata",
        [100, 64..=127, ..] => "a provider's shared network",
        [192, 0, 0, _] | [192, 88, 99, _] | [198, 18..=19, ..] => "reserved",
        [192, 0, 2, _] | [198, 51, 100, _] | [203, 0, 113, _] => "for documentation",
        [224..=239, ..] => "multicast",
        [240..=255, ..] => "reserved",
        _ => return None,
    })
}

fn not_public_v6(address: Ipv6Addr) -> Option<&'static str> {
    let wrapped = |high: u16, low: u16| {
        let ([a, b], [c, d]) = (high.to_be_bytes(), low.to_be_bytes());
        not_public_v4(Ipv4Addr::new(a, b, c, d))
    };
    Some(match address.segments() {
        [0, 0, 0, 0, 0, 0, 0, 1] => "this machine",
        [0, 0, 0, 0, 0, 0, 0, 0] => "this network",
        [0, 0, 0, 0, 0, 0xffff, ..] => "an IPv4 address in disguise",
        // NAT64: in networks without IPv4, all of IPv4 is behind this prefix.
        [0x64, 0xff9b, 0, 0, 0, 0, high, low] => return wrapped(high, low),
        [0xfc00..=0xfdff, ..] => "a private network",
        [0xfe80..=0xfebf, ..] => "link-local",
        [0xff00..=0xffff, ..] => "multicast",
        [0x2002, high, low, ..] => return wrapped(high, low),
        // Teredo and other protocol assignments.
        [0x2001, 0..=0x1ff, ..] => "reserved",
        [0x2001, 0x0db8, ..] | [0x3fff, 0..=0x0fff, ..] => "for documentation",
        [0x2000..=0x3fff, ..] => return None,
        _ => "reserved",
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_worlds_addresses_are_public() {
        for address in
            ["1.1.1.1", "8.8.8.8", "172.15.0.1", "172.32.0.1", "100.63.0.1", "100.128.0.1", "192.0.1.1"]
                .into_iter()
                .chain(["2606:4700::1111", "2a00:1450::1", "64:ff9b::8.8.8.8", "2002:808:808::1"])
        {
            assert_eq!(non_public_reason(address.parse().unwrap()), None, "{address}");
        }
        for address in [
            "127.0.0.1",
            "127.255.255.254",
            "0.0.0.0",
            "0.1.2.3",
            "10.0.0.1",
            "172.16.0.1",
            "172.31.255.255",
            "192.168.1.1",
            "169.254.169.254",
            "168.63.129.16",
            "100.64.0.1",
            "100.100.100.200",
            "192.0.0.192",
            "198.18.0.1",
            "203.0.113.7",
            "224.0.0.1",
            "240.0.0.1",
            "255.255.255.255",
            "::1",
            "::",
            "::ffff:127.0.0.1",
            "::ffff:8.8.8.8",
            "::127.0.0.1",
            "64:ff9b::10.0.0.1",
            "64:ff9b::169.254.169.254",
            "64:ff9b:1::8.8.8.8",
            "2002:7f00:1::1",
            "2002:a00:1::1",
            "2001::1",
            "2001:db8::1",
            "fd00:ec2::254",
            "fc00::1",
            "fe80::1",
            "fec0::1",
            "ff02::1",
            "100::1",
        ] {
            assert!(non_public_reason(address.parse().unwrap()).is_some(), "{address}");
        }
    }
}
