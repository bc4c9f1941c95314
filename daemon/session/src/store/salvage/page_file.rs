//! Reads rows straight from the pages of a SQLite file, whatever became of the pages above them: a damaged page must
//! not hide the others.
//!
//! Contract: nothing is trusted. Every offset, length and page number is checked; a row that does not hold together is
//! left out. <https://www.sqlite.org/fileformat2.html> describes the format.

use std::collections::HashSet;
use std::fs::File;
use std::io;
use std::os::unix::fs::FileExt as _;
use std::path::Path;

const MAGIC: &[u8] = b"SQLite format 3\0";
const HEADER_BYTES: usize = 100;
/// SQLite's default, which all our files have.
const DEFAULT_PAGE_BYTES: usize = 4096;
/// No row of ours is longer.
const MAX_ROW_BYTES: usize = 256 * 1024 * 1024;

#[derive(Debug)]
pub(super) struct PageFile {
    file: File,
    page_bytes: usize,
    pages: u32,
    /// Pages that hold nothing any more: deleted rows must stay deleted.
    free: HashSet<u32>,
}

#[derive(Debug, Clone, PartialEq)]
pub(super) enum CellValue {
    Null,
    Integer(i64),
    Text(String),
    /// A number with a fraction, or bytes: no table of ours has them.
    Other,
}

/// A row of a table, or an entry of an index.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct PageRow {
    /// `None` for an entry of an index.
    pub(super) number: Option<i64>,
    pub(super) values: Vec<CellValue>,
}

impl PageFile {
    pub(super) fn open(path: &Path) -> io::Result<Self> {
        let file = File::open(path)?;
        let mut header = [0; HEADER_BYTES];
        let is_header = file.read_exact_at(&mut header, 0).is_ok() && header.starts_with(MAGIC);
        let stated = number_at(&header, 16, 2).filter(|_| is_header).map(|size| size as usize);
        let page_bytes =
            stated.filter(|size| size.is_power_of_two() && *size >= 512).unwrap_or(DEFAULT_PAGE_BYTES);
        let pages = u32::try_from(file.metadata()?.len() / page_bytes as u64).unwrap_or(u32::MAX);
        let mut pages = Self { file, page_bytes, pages, free: HashSet::new() };
        if is_header {
            pages.free = pages.free_pages(&header);
        }
        Ok(pages)
    }

    /// The rows that can be read, page by page, each with its place.
    pub(super) fn rows(&self) -> impl Iterator<Item = ((u32, usize), PageRow)> {
        let pages = (1..=self.pages).filter(|page| !self.free.contains(page));
        pages.flat_map(move |page| {
            let cells = self.read_page(page).map(|bytes| PageCells::new(page, bytes));
            let cells = cells.into_iter().flat_map(PageCells::into_cells);
            cells.filter_map(move |cell| Some(((page, cell.index), self.row(&cell)?)))
        })
    }

    pub(super) fn row_at(&self, (page, index): (u32, usize)) -> Option<PageRow> {
        self.row(&PageCells::new(page, self.read_page(page)?).cell(index)?)
    }

    fn free_pages(&self, header: &[u8]) -> HashSet<u32> {
        let mut free = HashSet::new();
        let mut trunk = number_at(header, 32, 4).unwrap_or(0);
        while trunk != 0 && free.insert(trunk) {
            let Some(page) = self.read_page(trunk) else { break };
            let count = number_at(&page, 4, 4).unwrap_or(0) as usize;
            let leaves =
                (0..count.min(self.page_bytes / 4)).map_while(|leaf| number_at(&page, 8 + 4 * leaf, 4));
            free.extend(leaves);
            trunk = number_at(&page, 0, 4).unwrap_or(0);
        }
        free
    }

    fn read_page(&self, page: u32) -> Option<Vec<u8>> {
        let at = u64::from(page.checked_sub(1).filter(|_| page <= self.pages)?) * self.page_bytes as u64;
        let mut bytes = vec![0; self.page_bytes];
        self.file.read_exact_at(&mut bytes, at).ok()?;
        Some(bytes)
    }

    fn row(&self, cell: &PageCell) -> Option<PageRow> {
        let mut reader = CellReader(&cell.bytes);
        let length = usize::try_from(reader.varint()?).ok().filter(|length| *length <= MAX_ROW_BYTES)?;
        let number = if cell.is_table { Some(reader.varint()?) } else { None };
        let payload = self.payload(reader, length, cell.is_table)?;
        Some(PageRow { number, values: values(&payload)? })
    }

    /// The bytes of a row: those in its page, and those on the pages that its overflow chain names.
    fn payload(&self, mut cell: CellReader<'_>, length: usize, is_table: bool) -> Option<Vec<u8>> {
        let usable = self.page_bytes;
        let least = (usable - 12) * 32 / 255 - 23;
        let most = if is_table { usable - 35 } else { (usable - 12) * 64 / 255 - 23 };
        let wanted = least + length.saturating_sub(least) % (usable - 4);
        let local = match length <= most {
            true => length,
            false if wanted <= most => wanted,
            false => least,
        };
        let mut payload = cell.take(local)?.to_vec();
        let mut next = if local < length { u32::try_from(cell.number(4)?).ok()? } else { 0 };
        while payload.len() < length {
            let page = self.read_page(next)?;
            next = number_at(&page, 0, 4)?;
            payload.extend_from_slice(page.get(4..usable.min(4 + length - payload.len()))?);
        }
        Some(payload)
    }
}

/// The cells of one page.
struct PageCells {
    bytes: Vec<u8>,
    head: usize,
    kind: u8,
    count: usize,
}

struct PageCell {
    index: usize,
    is_table: bool,
    bytes: Vec<u8>,
}

impl PageCells {
    const TABLE_LEAF: u8 = 0x0d;
    const INDEX_LEAF: u8 = 0x0a;
    const INDEX_INTERIOR: u8 = 0x02;

    fn new(page: u32, bytes: Vec<u8>) -> Self {
        let head = if page == 1 { HEADER_BYTES } else { 0 };
        let kind = bytes.get(head).copied().unwrap_or(0);
        let has_rows = matches!(kind, Self::TABLE_LEAF | Self::INDEX_LEAF | Self::INDEX_INTERIOR);
        let count = number_at(&bytes, head + 3, 2).filter(|_| has_rows).unwrap_or(0) as usize;
        Self { bytes, head, kind, count }
    }

    fn into_cells(self) -> impl Iterator<Item = PageCell> {
        (0..self.count).filter_map(move |index| self.cell(index))
    }

    fn cell(&self, index: usize) -> Option<PageCell> {
        let is_interior = self.kind == Self::INDEX_INTERIOR;
        let pointer = self.head + if is_interior { 12 } else { 8 } + 2 * index;
        let at = number_at(&self.bytes, pointer, 2)? as usize;
        // An inner entry begins with the page of the entries before it.
        let bytes = self.bytes.get(at + if is_interior { 4 } else { 0 }..)?.to_vec();
        (index < self.count).then_some(PageCell { index, is_table: self.kind == Self::TABLE_LEAF, bytes })
    }
}

/// The values of a record.
fn values(record: &[u8]) -> Option<Vec<CellValue>> {
    let mut header = CellReader(record);
    let size = usize::try_from(header.varint()?).ok()?;
    let mut body = CellReader(record.get(size..)?);
    let mut header = CellReader(header.0.get(..size.checked_sub(record.len() - header.0.len())?)?);
    let mut values = Vec::new();
    while !header.0.is_empty() {
        values.push(match header.varint()? {
            0 => CellValue::Null,
            size @ 1..=4 => CellValue::Integer(body.number(size as usize)?),
            5 => CellValue::Integer(body.number(6)?),
            6 => CellValue::Integer(body.number(8)?),
            8 => CellValue::Integer(0),
            9 => CellValue::Integer(1),
            kind if kind >= 13 && kind % 2 == 1 => {
                let bytes = body.take(usize::try_from((kind - 13) / 2).ok()?)?;
                CellValue::Text(std::str::from_utf8(bytes).ok()?.to_owned())
            }
            kind if kind >= 12 => {
                body.take(usize::try_from((kind - 12) / 2).ok()?)?;
                CellValue::Other
            }
            7 => {
                body.take(8)?;
                CellValue::Other
            }
            _ => return None,
        });
    }
    Some(values)
}

fn number_at(bytes: &[u8], at: usize, size: usize) -> Option<u32> {
    u32::try_from(
        CellReader(bytes.get(at..)?).take(size)?.iter().fold(0_u64, |sum, byte| sum << 8 | u64::from(*byte)),
    )
    .ok()
}

struct CellReader<'a>(&'a [u8]);

impl<'a> CellReader<'a> {
    fn take(&mut self, size: usize) -> Option<&'a [u8]> {
        let (taken, rest) = self.0.split_at_checked(size)?;
        self.0 = rest;
        Some(taken)
    }

    /// A signed number of up to eight bytes.
    fn number(&mut self, size: usize) -> Option<i64> {
        let bytes = self.take(size)?;
        let sign = if bytes.first().is_some_and(|first| first & 0x80 != 0) { -1 } else { 0 };
        Some(bytes.iter().fold(sign, |sum, byte| sum << 8 | i64::from(*byte)))
    }

    fn varint(&mut self) -> Option<i64> {
        let mut value: i64 = 0;
        for place in 0..9 {
            let byte = *self.take(1)?.first()?;
            if place == 8 {
                return Some(value << 8 | i64::from(byte));
            }
            value = value << 7 | i64::from(byte & 0x7f);
            if byte & 0x80 == 0 {
                return Some(value);
            }
        }
        None
    }
}
