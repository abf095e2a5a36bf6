-- Ranges of pages are summed up by the load itself once its lines are there, and by vacuum: not while they are being filled.
ALTER INDEX statement_lines_statement_idx SET (autosummarize = off);
