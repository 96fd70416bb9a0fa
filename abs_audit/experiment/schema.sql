-- Of the file itself: `format`, which session.py reads and brings up to date.
CREATE TABLE IF NOT EXISTS about (name TEXT PRIMARY KEY, value TEXT NOT NULL);

-- Under which conditions trials and results were made; their digest is the key of both.
CREATE TABLE IF NOT EXISTS context (
    digest TEXT PRIMARY KEY, description TEXT NOT NULL, recorded_at REAL NOT NULL
);

-- What one execution of a benchmark gave, failed ones too.
CREATE TABLE IF NOT EXISTS trial (
    context TEXT NOT NULL, block TEXT NOT NULL, position INTEGER NOT NULL, benchmark TEXT NOT NULL,
    kind TEXT NOT NULL, step TEXT NOT NULL, status TEXT NOT NULL, reason TEXT NOT NULL,
    invocations INTEGER NOT NULL, sample BLOB NOT NULL, tally TEXT,
    wall_s REAL NOT NULL, recorded_at REAL NOT NULL, executed_whole TEXT NOT NULL DEFAULT '',
    outside_s REAL NOT NULL DEFAULT 0,
    PRIMARY KEY (context, block, position)
) WITHOUT ROWID;

-- On which host a trial was made, where that is told.
CREATE TABLE IF NOT EXISTS place (
    context TEXT NOT NULL, block TEXT NOT NULL, position INTEGER NOT NULL, host TEXT NOT NULL,
    PRIMARY KEY (context, block, position)
) WITHOUT ROWID;

-- Values that other tools measured.
CREATE TABLE IF NOT EXISTS imported (
    source TEXT NOT NULL, benchmark TEXT NOT NULL, instance TEXT NOT NULL, trial TEXT NOT NULL,
    fork TEXT NOT NULL, unit TEXT NOT NULL, sample BLOB NOT NULL,
    PRIMARY KEY (source, benchmark, instance, trial, fork)
);

-- What commands found out, once a kind and context.
CREATE TABLE IF NOT EXISTS result (
    context TEXT NOT NULL, kind TEXT NOT NULL, document TEXT NOT NULL, recorded_at REAL NOT NULL,
    PRIMARY KEY (context, kind)
);
