//! The schema as migrations. A released migration never changes.

pub(super) const MIGRATIONS: &[&str] = &[
    "
    CREATE TABLE session (
        id TEXT PRIMARY KEY,
        folder TEXT NOT NULL,
        title TEXT NOT NULL,
        agent TEXT NOT NULL,
        model TEXT,
        parent TEXT REFERENCES session(id) ON DELETE CASCADE,
        created INTEGER NOT NULL,
        updated INTEGER NOT NULL
    ) STRICT;
    CREATE INDEX session_updated ON session(updated DESC);
    CREATE TABLE part (
        number INTEGER PRIMARY KEY,
        id TEXT NOT NULL UNIQUE,
        session TEXT NOT NULL REFERENCES session(id) ON DELETE CASCADE,
        turn INTEGER NOT NULL,
        step INTEGER NOT NULL,
        created INTEGER NOT NULL,
        updated INTEGER NOT NULL,
        state TEXT NOT NULL,
        content TEXT NOT NULL
    ) STRICT;
    CREATE INDEX part_session ON part(session, number);
    CREATE INDEX part_open ON part(session) WHERE json_extract(state, '$.state') IN ('pending', 'running');
    CREATE VIRTUAL TABLE words USING fts5(text, tokenize = 'unicode61');
    CREATE TRIGGER part_gone AFTER DELETE ON part BEGIN DELETE FROM words WHERE rowid = old.number; END;
",
    "ALTER TABLE session ADD COLUMN review TEXT;",
    // `sequence` orders sessions by their last change: a clock may go back. `session_copy` is a second copy of every row,
    // on pages of its own: `salvage` needs it where the first is damaged.
    "
    ALTER TABLE session ADD COLUMN sequence INTEGER NOT NULL DEFAULT 0;
    UPDATE session SET sequence = (
        SELECT count(*) FROM session AS other WHERE (other.updated, other.id) <= (session.updated, session.id)
    );
    DROP INDEX session_updated;
    CREATE INDEX session_sequence ON session(sequence);
    CREATE INDEX session_copy
        ON session(id, folder, title, agent, model, parent, created, updated, review, sequence);
",
    "-- No change of the tables: parts of the kind `turn_end`, which an older version cannot read.",
    "
    ALTER TABLE session ADD COLUMN preset TEXT;
    DROP INDEX session_copy;
    CREATE INDEX session_copy
        ON session(id, folder, title, agent, model, parent, created, updated, review, sequence, preset);
",
];
