"""The formats that a session's file has had, and what brings an older one to the present."""

# 1: first format. 2: a trial has a kind, a verdict has a cause instead of a sentence. 3: the benchmark
# executed whole is a column, no longer the reason of a good trial; tallies say `injected` and `requested`.
# 4: of the cells of a score those are listed that are not alike. 5: what of a trial is no invocation's.
FORMAT = "5"
FROM_2 = (
    "ALTER TABLE trial ADD COLUMN executed_whole TEXT NOT NULL DEFAULT ''",
    "ALTER TABLE trial DROP COLUMN higher_is_better",
    "UPDATE trial SET executed_whole = reason, reason = '' WHERE status = 'ok'",
    "UPDATE trial SET tally = REPLACE(tally, '\"paid_s\":', '\"injected_s\":')",
    "UPDATE trial SET tally = REPLACE(tally, '\"owed_s\":', '\"requested_s\":')",
    "UPDATE about SET value = '3' WHERE name = 'format'",
)
FROM_3 = (
    "UPDATE result SET document = json_set(document,"
    " '$.evidence.cells', json_object('listed', json_extract(document, '$.evidence.cells')),"
    " '$.result.cells', json_object('listed', json_extract(document, '$.result.cells')))"
    " WHERE kind = 'score'",
    "UPDATE about SET value = '4' WHERE name = 'format'",
)
FROM_4 = (
    "ALTER TABLE trial ADD COLUMN outside_s REAL NOT NULL DEFAULT 0",
    "UPDATE about SET value = '5' WHERE name = 'format'",
)
STEPS = {"2": (*FROM_2, *FROM_3, *FROM_4), "3": (*FROM_3, *FROM_4), "4": FROM_4}
"""Format → the statements that bring a file of it up to date."""
