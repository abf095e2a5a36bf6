-- What the journal shows of an entry, so that each word of it finds the entry without reading its states anew.

-- The values of the fields that differ between two states, nested fields by path, a list member by member.
CREATE FUNCTION journal_values(before jsonb, after jsonb) RETURNS TABLE (path text, value text)
  LANGUAGE sql IMMUTABLE PARALLEL SAFE
BEGIN ATOMIC
  WITH RECURSIVE nodes (path, node) AS (
    SELECT e.key, e.value
      FROM (VALUES (before, after), (after, before)) AS s (own, other)
     CROSS JOIN jsonb_each(CASE jsonb_typeof(s.own) WHEN 'object' THEN s.own ELSE '{}' END) AS e
     WHERE nullif(e.value, 'null') IS DISTINCT FROM nullif(s.other -> e.key, 'null')
    UNION ALL
    SELECT inside.path, inside.node
      FROM nodes n
     CROSS JOIN LATERAL (
       SELECT n.path || '.' || o.key, o.value FROM jsonb_each(CASE jsonb_typeof(n.node) WHEN 'object' THEN n.node ELSE '{}' END) AS o
       UNION ALL
       SELECT n.path, a.value FROM jsonb_array_elements(CASE jsonb_typeof(n.node) WHEN 'array' THEN n.node ELSE '[]' END) AS a (value)
     ) AS inside (path, node))
  SELECT n.path, n.node #>> '{}' FROM nodes n WHERE jsonb_typeof(n.node) NOT IN ('object', 'array');
END;

-- `1234.5` as `1 234.5000`, and to the cent where that reads differently, with and without its spaces.
CREATE FUNCTION grouped_number(value numeric) RETURNS text
  LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
  RETURN (SELECT concat_ws(' ', shown, replace(shown, ' ', ''))
            FROM (SELECT replace(
                           to_char(value, 'FM999,999,999,999,999,990.0000999999')
                             || CASE WHEN value <> trunc(value, 2) THEN to_char(round(value, 2), '" "FM999,999,999,999,999,990.00') ELSE '' END,
                           ',', ' ') AS shown) AS s);

-- A value as stored and as shown: numbers, months and days in French.
CREATE FUNCTION journal_text(value text) RETURNS text
  LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
  RETURN CASE
    WHEN value = 'true' THEN 'oui'
    WHEN value = 'false' THEN 'non'
    WHEN value ~ '^-?\d{1,18}(\.\d{1,20})?$' THEN value || ' ' || grouped_number(value::numeric)
    ELSE concat_ws(' ', value,
      (SELECT string_agg(concat_ws(' ', m[2] || '/' || m[1],
                (ARRAY['janvier janv.', 'février févr.', 'mars', 'avril avr.', 'mai', 'juin', 'juillet juil.', 'août', 'septembre sept.',
                       'octobre oct.', 'novembre nov.', 'décembre déc.'])[m[2]::integer], m[1]), ' ')
         FROM regexp_matches(value, '(?<!\d)(\d{4})-(0[1-9]|1[0-2])(?!\d)', 'g') AS m),
      CASE WHEN value ~ '^\d{4}-\d{2}-\d{2}' THEN regexp_replace(value, '^(\d{4})-(\d{2})-(\d{2}).*$', '\3/\2/\1') END)
  END;

CREATE FUNCTION journal_fields(before jsonb, after jsonb) RETURNS text[]
  LANGUAGE sql IMMUTABLE PARALLEL SAFE
  RETURN ARRAY(SELECT DISTINCT regexp_replace(v.path, '^contractTemplates\.[^.]+\.', 'contractTemplates.') FROM journal_values(before, after) AS v);

-- The number of an entry's record, the names that the entry keeps of it, and what changed. Records shown by their names are
-- left out: their numbers are not shown. Batches of a file are stored from 0 and shown from 1. The decimal comma is written as a dot:
-- typed commas separate words.
CREATE FUNCTION journal_search(entity text, entity_id text, before jsonb, after jsonb) RETURNS text
  LANGUAGE sql IMMUTABLE PARALLEL SAFE
  RETURN regexp_replace(fold(concat_ws(' ', 'n°',
    CASE WHEN entity = 'payout' THEN 'V-' || lpad(entity_id, greatest(6, length(entity_id)), '0') WHEN entity IN ('month', 'exchange_rate') THEN journal_text(entity_id)
         ELSE entity_id END,
    (SELECT string_agg(concat_ws(' ', s.state ->> 'fname', s.state ->> 'lname', s.state ->> 'title', s.state ->> 'name', s.state ->> 'fullname',
                                 s.state ->> 'fileName', s.state ->> 'file', s.state ->> 'messageId', s.state ->> 'email'), ' ')
       FROM (VALUES (before), (after)) AS s (state)),
    (SELECT string_agg(CASE WHEN v.path = 'batch' AND v.value ~ '^\d{1,9}$' THEN (v.value::integer + 1)::text
                            WHEN v.path = 'payoutId' THEN 'V-' || lpad(v.value, greatest(6, length(v.value)), '0')
                            ELSE journal_text(v.value) END, ' ')
       FROM journal_values(before, after) AS v
      WHERE v.path NOT IN ('userId', 'referrerId', 'referredId', 'trackId', 'trackIds', 'libraryId', 'billingAccountId')))), '(?<=\d),(?=\d)', '.', 'g');

ALTER TABLE audit_log
  ADD COLUMN fields text[] GENERATED ALWAYS AS (journal_fields(before, after)) STORED,
  ADD COLUMN search text GENERATED ALWAYS AS (journal_search(entity, entity_id, before, after)) STORED;
COMMENT ON COLUMN audit_log.fields IS 'the fields that differ between the two states, by path';
COMMENT ON COLUMN audit_log.search IS 'the folded words that the journal shows of the entry and that no other table or the contract knows';
