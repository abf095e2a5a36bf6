-- Ranges of pages are summed up by the load itself once its lines are there, and by vacuum: not while they are being filled.
ALTER INDEX statement_lines_statement_idx SET (autosummarize = off);

-- What contains a former statement and adds to it has its lines too, whatever they have grown to: as the load keeps it now.
INSERT INTO statement_duplicates (statement_id, other_id, month, currency, rows, amount)
SELECT d.statement_id, d.other_id, c.month, c.currency, d.rows, c.amount
  FROM (SELECT s.id, f.statement_id AS former_id, own.month, own.currency, sum(own.rows) AS rows, sum(f.rows) AS former_rows,
               sum(f.amount) AS amount
          FROM statements s
         CROSS JOIN LATERAL jsonb_array_elements_text(CASE jsonb_typeof(s.findings -> 'contains') WHEN 'array' THEN s.findings -> 'contains' ELSE '[]' END) AS former (id)
          JOIN statements o ON o.id = former.id::bigint AND o.status IN ('loaded', 'checked') AND o.counted_rows <= s.counted_rows
          JOIN statement_sums f ON f.statement_id = o.id
          JOIN statement_sums own ON own.statement_id = s.id AND own.month = f.month AND own.item = f.item AND own.kind = f.kind
           AND own.currency = f.currency
         WHERE s.status IN ('loaded', 'checked')
         GROUP BY s.id, f.statement_id, own.month, own.currency) c
 CROSS JOIN LATERAL (VALUES (c.id, c.former_id, c.rows), (c.former_id, c.id, c.former_rows)) d (statement_id, other_id, rows)
ON CONFLICT DO NOTHING;
