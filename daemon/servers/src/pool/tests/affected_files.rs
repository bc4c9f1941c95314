//! Files that a change affects although the check of the changed file does not reveal them.

use std::fs;

use super::super::PoolLimits;
use super::{House, push, soon};
use crate::quirks::Quirks;
use crate::source::DiagnosticsSource as _;

impl House {
    /// The affected files to check, and those that are not checked.
    async fn affected(&self, changed: &str) -> (Vec<String>, Vec<String>) {
        let changed = [self.root.join(changed)];
        let affected = self.pool.excluding(&[]).affected_files(&changed, soon()).await;
        let name = |path: &std::path::Path| path.strip_prefix(&self.root).unwrap().display().to_string();
        let mut paths: Vec<_> = affected.paths.iter().map(|path| name(path)).collect();
        paths.sort();
        (paths, affected.unchecked.iter().map(|report| name(&report.path)).collect())
    }
}

#[tokio::test]
async fn the_users_of_a_deleted_file_are_affected() {
    let house = House::usual();
    house.write("user.lua", "need gone.x");
    house.write("other.lua", "give y");
    house.check(&house.saved("gone.lua", "give x")).await;
    fs::remove_file(house.root.join("gone.lua")).unwrap();
    assert_eq!(house.affected("gone.lua").await, (vec!["user.lua".to_owned()], vec![]));
    // Nothing is started for a file that no server has served.
    let (affected, _) = House::usual().affected("gone.lua").await;
    assert_eq!(affected, Vec::<String>::new());
}

#[tokio::test]
async fn everything_is_affected_by_what_configures_the_server() {
    let quirks = Quirks { configured_by: vec!["toy.conf".to_owned()], ..push() };
    let house = House::new(&[], quirks, PoolLimits { configured: 2, ..PoolLimits::default() });
    for name in ["a.lua", "b.lua", "c.lua"] {
        house.write(name, "");
    }
    house.check(&house.saved("c.lua", "bad")).await;
    let (paths, unchecked) = house.affected("toy.conf").await;
    assert_eq!((paths.len(), unchecked.len()), (2, 1), "{paths:?} {unchecked:?}");
    assert!(paths.contains(&"c.lua".to_owned()), "open documents come first: {paths:?}");
    assert_eq!(house.affected("other.conf").await, (vec![], vec![]));
}
