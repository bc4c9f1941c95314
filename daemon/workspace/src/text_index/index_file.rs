//! The index on the disk between two runs of the daemon: signatures by path and stamp.
//!
//! The stored index is a cache: its signature of a file counts if the stamp of the file is still the same. A file that is damaged, of another
//! version or of another folder is not used. It contains names and signatures, so only the user can read it.
//!
//! Layout: magic, checksum of the rest, the root, then a record for each file; numbers are little-endian.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::fs;
use std::io;
use std::os::unix::ffi::{OsStrExt as _, OsStringExt as _};
use std::path::{Path, PathBuf};

use copydesk_config::private_file::replace_file;

use super::indexed_files::{IndexedFile, IndexedFiles};
use super::signature::TextSignature;

/// Changes with the layout and with the hash of trigrams.
const MAGIC: &[u8; 16] = b"copydesk index 1";

/// How many folders' indexes are kept. The one that was written longest ago goes first.
const MAX_INDEX_FILES: usize = 16;

/// A larger file is not read.
const MAX_INDEX_BYTES: u64 = 512 * 1024 * 1024;

const EXTENSION: &str = "index";

/// Where the index of a folder is.
pub(super) fn path_for(cache: &Path, root: &Path) -> PathBuf {
    let name = blake3::hash(root.as_os_str().as_bytes()).to_hex();
    cache.join(name.get(..32).unwrap_or_default()).with_extension(EXTENSION)
}

/// The known files, or none if there is no usable index.
pub(super) fn load(path: &Path, root: &Path) -> BTreeMap<PathBuf, IndexedFile> {
    let read = || {
        let found = fs::symlink_metadata(path).ok().filter(fs::Metadata::is_file)?;
        let content = (found.len() <= MAX_INDEX_BYTES).then(|| fs::read(path).ok())??;
        decode(&content, root)
    };
    read().unwrap_or_default()
}

pub(super) fn save(path: &Path, files: &IndexedFiles) -> io::Result<()> {
    replace_file(path, &encode(files))?;
    if let Some(folder) = path.parent() {
        delete_oldest(folder);
    }
    Ok(())
}

fn delete_oldest(folder: &Path) {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path());
    let indexes = entries.filter(|path| path.extension().is_some_and(|extension| extension == EXTENSION));
    let modified = |path: &PathBuf| fs::symlink_metadata(path).and_then(|found| found.modified()).ok();
    let mut indexes: Vec<_> = indexes.map(|path| (modified(&path), path)).collect();
    indexes.sort();
    let surplus = indexes.len().saturating_sub(MAX_INDEX_FILES);
    for (_, path) in indexes.iter().take(surplus) {
        let _ = fs::remove_file(path);
    }
}

fn encode(files: &IndexedFiles) -> Vec<u8> {
    let mut body = Vec::new();
    put_bytes(&mut body, files.root.as_os_str().as_bytes());
    // The stamp of a file that is not settled proves nothing.
    for (path, file) in files.files.iter().filter(|(_, file)| file.is_settled) {
        put_bytes(&mut body, path.as_os_str().as_bytes());
        body.extend(file.stamp);
        let words: &[u64] = match &file.signature {
            TextSignature::Unknown => &[],
            TextSignature::Bits(words) => words,
        };
        put_length(&mut body, words.len());
        body.extend(words.iter().flat_map(|word| word.to_le_bytes()));
    }
    [MAGIC.as_slice(), blake3::hash(&body).as_bytes(), &body].concat()
}

fn decode(content: &[u8], root: &Path) -> Option<BTreeMap<PathBuf, IndexedFile>> {
    let content = content.strip_prefix(MAGIC)?;
    let (checksum, mut body) = content.split_first_chunk::<32>()?;
    if blake3::hash(body).as_bytes() != checksum || take_bytes(&mut body)? != root.as_os_str().as_bytes() {
        return None;
    }
    let mut files = BTreeMap::new();
    while !body.is_empty() {
        let path = PathBuf::from(OsString::from_vec(take_bytes(&mut body)?.to_owned()));
        let stamp = *take::<16>(&mut body)?;
        let count = take_length(&mut body)?;
        let words = body.split_off(..count.checked_mul(8)?)?;
        let words: Vec<_> = words.as_chunks().0.iter().map(|word| u64::from_le_bytes(*word)).collect();
        let signature =
            if words.is_empty() { TextSignature::Unknown } else { TextSignature::from_words(words)? };
        files.insert(path, IndexedFile::stored(stamp, signature));
    }
    Some(files)
}

fn put_length(into: &mut Vec<u8>, length: usize) {
    into.extend(u32::try_from(length).unwrap_or(u32::MAX).to_le_bytes());
}

fn put_bytes(into: &mut Vec<u8>, bytes: &[u8]) {
    put_length(into, bytes.len());
    into.extend(bytes);
}

fn take<'a, const N: usize>(from: &mut &'a [u8]) -> Option<&'a [u8; N]> {
    let (taken, rest) = from.split_first_chunk()?;
    *from = rest;
    Some(taken)
}

fn take_length(from: &mut &[u8]) -> Option<usize> {
    usize::try_from(u32::from_le_bytes(*take(from)?)).ok()
}

fn take_bytes<'a>(from: &mut &'a [u8]) -> Option<&'a [u8]> {
    let length = take_length(from)?;
    from.split_off(..length)
}
