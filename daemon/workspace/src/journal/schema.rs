//! The tables, as migrations from one version to the next. A released migration never changes.
//!
//! A row of `text` is whole, or a change against another row, its `base`. The text after an edit is always
//! the edit's own change against the text before it. `hash` is the hash of the text, `length` the length of
//! `data` unpacked.

pub(super) const STEPS: &[&str] = &[
    "
    CREATE TABLE text (
        id INTEGER PRIMARY KEY AUTOINCREMENT,
        hash BLOB NOT NULL,
        base INTEGER REFERENCES text(id),
        depth INTEGER NOT NULL,
        length INTEGER NOT NULL,
        packed INTEGER NOT NULL,
        data BLOB NOT NULL
    ) STRICT;
    CREATE INDEX text_hash ON text(hash);
    CREATE INDEX text_base ON text(base) WHERE base IS NOT NULL;
    CREATE TABLE entry (
        id INTEGER PRIMARY KEY AUTOINCREMENT,
        session TEXT NOT NULL,
        call TEXT NOT NULL,
        part_of INTEGER NOT NULL,
        place TEXT NOT NULL,
        kind TEXT NOT NULL,
        leads_to TEXT,
        outcome TEXT,
        undoes INTEGER,
        time INTEGER NOT NULL,
        before_hash BLOB,
        after_hash BLOB,
        before INTEGER REFERENCES text(id),
        after INTEGER REFERENCES text(id)
    ) STRICT;
    CREATE INDEX entry_session ON entry(session, id);
    CREATE INDEX entry_unsettled ON entry(id) WHERE outcome IS NULL;
    CREATE INDEX entry_kept ON entry(time) WHERE before IS NOT NULL OR after IS NOT NULL;
    CREATE INDEX entry_bare ON entry(id) WHERE before IS NULL AND after IS NULL;
    CREATE INDEX entry_before ON entry(before) WHERE before IS NOT NULL;
    CREATE INDEX entry_after ON entry(after) WHERE after IS NOT NULL;
",
    "
    CREATE TABLE review (
        session TEXT NOT NULL,
        number INTEGER NOT NULL,
        place TEXT NOT NULL,
        saved TEXT NOT NULL,
        PRIMARY KEY (session, number)
    ) STRICT;
",
    "
    ALTER TABLE entry ADD COLUMN mode INTEGER;
    ALTER TABLE entry ADD COLUMN bom INTEGER NOT NULL DEFAULT 0;
    ALTER TABLE review ADD COLUMN mode INTEGER;
    ALTER TABLE review ADD COLUMN bom INTEGER NOT NULL DEFAULT 0;
",
    // Hashes are BLAKE3 from here on. An older version would take them for damage, and refuses a newer journal.
    "",
];
