-- Whether rows of files have told of an ISRC is asked of each that a track is given (docs/decisions/280).
CREATE INDEX import_unsaved_rows_isrc_idx ON import_unsaved_rows (isrc);
