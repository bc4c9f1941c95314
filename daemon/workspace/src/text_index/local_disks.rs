//! Whether the system reports every change of a file. It does not for what another computer changes, and often not for what a
//! host changes below a virtual machine or a container.

use std::collections::BTreeSet;
use std::fs::Metadata;
use std::os::unix::fs::MetadataExt as _;
use std::path::Path;

/// File systems on a disk of this computer or in its memory, by the number that `statfs` gives them.
#[cfg(target_os = "linux")]
const LOCAL_FILE_SYSTEMS: [u64; 12] = [
    0xEF53,      // ext2, ext3, ext4
    0x5846_5342, // XFS
    0x9123_683E, // Btrfs
    0x2FC1_2FC1, // ZFS
    0xF2F5_2010, // F2FS
    0xCA45_1A4E, // bcachefs
    0x0102_1994, // tmpfs
    0x8584_58F6, // ramfs
    0x794C_7630, // overlayfs
    0x7366_746E, // NTFS
    0x4D44,      // FAT
    0x2011_BAB0, // exFAT
];

/// The disks of a tree that are known to be local.
#[derive(Debug, Default)]
pub(super) struct LocalDisks {
    devices: BTreeSet<u64>,
}

impl LocalDisks {
    /// Whether a folder is on a local disk.
    pub(super) fn contains(&mut self, folder: &Path, found: &Metadata) -> bool {
        if self.devices.contains(&found.dev()) {
            return true;
        }
        let is_local = is_on_local_disk(folder);
        if is_local {
            self.devices.insert(found.dev());
        }
        is_local
    }
}

#[cfg(target_os = "linux")]
fn is_on_local_disk(folder: &Path) -> bool {
    let kind = rustix::fs::statfs(folder).map(|found| u64::try_from(found.f_type).unwrap_or_default());
    // Some systems sign the number of 32 bits.
    kind.is_ok_and(|kind| LOCAL_FILE_SYSTEMS.contains(&(kind & 0xFFFF_FFFF)))
}

#[cfg(not(target_os = "linux"))]
fn is_on_local_disk(_folder: &Path) -> bool {
    false
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_temporary_folder_is_local_and_a_system_folder_is_not() {
        let folder = tempfile::tempdir().unwrap();
        let is_local = |path: &Path| LocalDisks::default().contains(path, &path.metadata().unwrap());
        assert!(is_local(folder.path()));
        assert!(!is_local(Path::new("/proc")));
    }
}
