//! The memory of servers, including their child processes.

use std::collections::HashMap;
use std::fs;

/// In bytes, by process group id, which is also the session id: a server's children stay in one of the two. Unknown
/// groups are left out.
pub(super) fn memory_by_group(groups: &[i32]) -> HashMap<i32, u64> {
    let mut memory = HashMap::new();
    if groups.is_empty() {
        return memory;
    }
    for process in fs::read_dir("/proc").into_iter().flatten().flatten() {
        let stat = fs::read_to_string(process.path().join("stat")).unwrap_or_default();
        let Some(group) = group(&stat, groups) else { continue };
        let status = fs::read_to_string(process.path().join("status")).unwrap_or_default();
        *memory.entry(group).or_default() += resident(&status);
    }
    memory
}

/// `pid (name) state parent group session …`; the name may contain anything.
fn group(stat: &str, groups: &[i32]) -> Option<i32> {
    let fields = stat.rsplit(") ").next()?.split(' ');
    let mut numbers = fields.skip(2).take(2).filter_map(|number| number.parse::<i32>().ok());
    numbers.find(|number| groups.contains(number))
}

fn resident(status: &str) -> u64 {
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"));
    let kilobytes = line.and_then(|line| line.split_whitespace().next()?.parse::<u64>().ok());
    kilobytes.unwrap_or(0).saturating_mul(1024)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_process_counts_for_its_group_or_its_session() {
        assert_eq!(group("9 (a) b) S 1 77 78 0", &[77]), Some(77));
        assert_eq!(group("9 (sh) S 1 50 77 0", &[77]), Some(77));
        assert_eq!(group("77 (sh) S 1 50 60 0", &[77]), None);
        assert_eq!(group("", &[77]), None);
        assert_eq!(resident("Name:\tx\nVmRSS:\t    2048 kB\n"), 2048 * 1024);
        assert_eq!(resident(""), 0);
    }
}
