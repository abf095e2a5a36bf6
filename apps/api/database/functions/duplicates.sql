-- A track's artist is the first one credited.
CREATE OR REPLACE FUNCTION title_keys_of(of_scope text, ids bigint[]) RETURNS TABLE (key text, record_id bigint, exact text)
  LANGUAGE sql STABLE SET search_path = public AS $$
  WITH live AS MATERIALIZED (
    SELECT t.id, t.title, t.version, t.account_id, title_key(t.title, t.version) AS exact,
           (SELECT c.person_id::text FROM track_credits c WHERE c.track_id = t.id AND c.kind = 'artist'
             ORDER BY c.position, c.id LIMIT 1) AS artist
      FROM unnest(ids) AS i (id) JOIN tracks t ON t.id = i.id WHERE of_scope = 'tracks' AND t.deleted_at IS NULL
    UNION ALL
    SELECT r.id, r.title, r.version, r.account_id, title_key(r.title, r.version), title_key(r.artist_name, NULL)
      FROM unnest(ids) AS i (id) JOIN releases r ON r.id = i.id WHERE of_scope = 'libraries' AND r.deleted_at IS NULL),
  sounds AS MATERIALIZED (
    SELECT DISTINCT l.id, l.account_id, l.exact, similar_key(a.artist, l.title, l.version) AS key
      FROM live l
     CROSS JOIN LATERAL (
       SELECT c.person_id::text AS artist FROM track_credits c
        WHERE of_scope = 'tracks' AND c.track_id = l.id AND c.kind = 'artist'
       UNION ALL SELECT l.artist WHERE of_scope = 'libraries' AND l.artist IS NOT NULL) AS a)
  SELECT k.key, l.id, l.exact
    FROM live l
   CROSS JOIN LATERAL (VALUES (l.exact), (l.exact || ' @' || l.account_id), (l.exact || ' =' || l.artist),
                              (l.exact || ' @' || l.account_id || '=' || l.artist)) AS k (key)
   WHERE k.key IS NOT NULL
  UNION ALL
  SELECT k.key, s.id, s.exact
    FROM sounds s CROSS JOIN LATERAL (VALUES (s.key), (s.key || ' @' || s.account_id)) AS k (key)
   WHERE s.key IS NOT NULL
$$;
REVOKE EXECUTE ON FUNCTION title_keys_of FROM PUBLIC;

CREATE OR REPLACE FUNCTION write_duplicates(of_scope text, keys text[], sizes bigint[]) RETURNS void
  LANGUAGE sql SECURITY DEFINER SET search_path = public, pg_temp AS $$
  DELETE FROM duplicate_groups d USING unnest(keys, sizes) AS c (key, size)
   WHERE d.scope = of_scope AND d.key = c.key AND c.size < 2;
  INSERT INTO duplicate_groups (scope, key, is_similar, size)
  SELECT of_scope, c.key, starts_with(c.key, '~'), c.size FROM unnest(keys, sizes) AS c (key, size)
   WHERE c.size > 1 ORDER BY c.key
  ON CONFLICT (scope, key) DO UPDATE SET size = excluded.size WHERE duplicate_groups.size <> excluded.size
$$;
REVOKE EXECUTE ON FUNCTION write_duplicates FROM PUBLIC;

-- The recounts look keys up in an index; without these settings the planner scans a table that is being filled.

-- Similar titles that are all equal form another group.
CREATE OR REPLACE FUNCTION recount_titles(of_scope text, keys text[]) RETURNS void
  LANGUAGE sql SECURITY DEFINER SET search_path = public, pg_temp SET enable_bitmapscan = off SET enable_seqscan = off AS $$
  SELECT write_duplicates(of_scope, array_agg(c.key), array_agg(c.size))
    FROM (SELECT k.key, n.size
            FROM (SELECT DISTINCT key FROM unnest(keys) AS key WHERE key IS NOT NULL) AS k
           CROSS JOIN LATERAL (
             SELECT CASE WHEN starts_with(k.key, '~') AND count(DISTINCT t.exact) < 2 THEN 0 ELSE count(*) END AS size
               FROM title_keys t WHERE t.scope = of_scope AND t.key = k.key) AS n
           -- Single before and after: nothing to write.
           WHERE n.size > 1 OR EXISTS (SELECT FROM duplicate_groups d WHERE d.scope = of_scope AND d.key = k.key)) AS c
  HAVING count(*) > 0
$$;
REVOKE EXECUTE ON FUNCTION recount_titles FROM PUBLIC;

CREATE OR REPLACE FUNCTION recount_isrcs(isrcs text[]) RETURNS void
  LANGUAGE sql SECURITY DEFINER SET search_path = public, pg_temp SET enable_bitmapscan = off SET enable_seqscan = off AS $$
  SELECT write_duplicates('isrc', array_agg(c.key), array_agg(c.size))
    FROM (SELECT k.key, n.size
            FROM (SELECT DISTINCT key FROM unnest(isrcs) AS key WHERE key IS NOT NULL) AS k
           -- Deleted ones are left out afterwards: without statistics the planner may take any index of live tracks.
           CROSS JOIN LATERAL (
             SELECT count(*) FILTER (WHERE t.deleted_at IS NULL) AS size FROM tracks t WHERE t.isrc = k.key) AS n
           WHERE n.size > 1 OR EXISTS (SELECT FROM duplicate_groups d WHERE d.scope = 'isrc' AND d.key = k.key)) AS c
  HAVING count(*) > 0
$$;
REVOKE EXECUTE ON FUNCTION recount_isrcs FROM PUBLIC;

CREATE OR REPLACE FUNCTION recount_barcodes(barcodes text[]) RETURNS void
  LANGUAGE sql SECURITY DEFINER SET search_path = public, pg_temp SET enable_bitmapscan = off SET enable_seqscan = off AS $$
  SELECT write_duplicates('barcode', array_agg(c.key), array_agg(c.size))
    FROM (SELECT k.key, n.size
            FROM (SELECT DISTINCT ltrim(code, '0') AS key FROM unnest(barcodes) AS code WHERE code IS NOT NULL) AS k
           CROSS JOIN LATERAL (
             SELECT count(*) FILTER (WHERE r.deleted_at IS NULL) AS size FROM releases r
              WHERE ltrim(r.barcode, '0') = k.key) AS n
           WHERE n.size > 1 OR EXISTS (SELECT FROM duplicate_groups d WHERE d.scope = 'barcode' AND d.key = k.key)) AS c
  HAVING count(*) > 0
$$;
REVOKE EXECUTE ON FUNCTION recount_barcodes FROM PUBLIC;

-- Also recounts the groups they left or joined.
CREATE OR REPLACE FUNCTION rewrite_titles(of_scope text, ids bigint[]) RETURNS void
  LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
DECLARE
  changed text[];
BEGIN
  IF ids IS NULL THEN RETURN; END IF;
  WITH fresh AS MATERIALIZED (SELECT * FROM title_keys_of(of_scope, ids)),
  former AS MATERIALIZED (
    SELECT k.key, k.record_id FROM unnest(ids) AS i (id) JOIN title_keys k ON k.scope = of_scope AND k.record_id = i.id),
  -- EXCEPT, not an anti-join: for an array the planner expects ten ids and compares each key with every other.
  stale AS MATERIALIZED (SELECT key, record_id FROM former EXCEPT SELECT key, record_id FROM fresh),
  gone AS (
    DELETE FROM title_keys k USING stale s
     WHERE k.scope = of_scope AND k.key = s.key AND k.record_id = s.record_id RETURNING k.key),
  added AS (
    INSERT INTO title_keys (scope, key, record_id, exact) SELECT of_scope, f.key, f.record_id, f.exact FROM fresh f
    ON CONFLICT (scope, key, record_id) DO UPDATE SET exact = excluded.exact WHERE title_keys.exact <> excluded.exact
    RETURNING title_keys.key)
  SELECT array_agg(DISTINCT c.key) INTO changed FROM (SELECT key FROM gone UNION ALL SELECT key FROM added) AS c;
  IF changed IS NOT NULL THEN PERFORM recount_titles(of_scope, changed); END IF;
END $$;
REVOKE EXECUTE ON FUNCTION rewrite_titles FROM PUBLIC;

-- From the codes and keys.
CREATE OR REPLACE FUNCTION recount_duplicates() RETURNS void LANGUAGE plpgsql SET search_path = public AS $$
BEGIN
  LOCK TABLE duplicate_groups IN SHARE ROW EXCLUSIVE MODE;
  CREATE TEMP TABLE counted ON COMMIT DROP AS
    SELECT 'isrc' AS scope, isrc AS key, count(*)::integer AS size FROM tracks
     WHERE isrc IS NOT NULL AND deleted_at IS NULL GROUP BY isrc HAVING count(*) > 1
    UNION ALL
    SELECT 'barcode', ltrim(barcode, '0'), count(*) FROM releases
     WHERE barcode IS NOT NULL AND deleted_at IS NULL GROUP BY ltrim(barcode, '0') HAVING count(*) > 1
    UNION ALL
    SELECT scope, key, count(*) FROM title_keys GROUP BY scope, key
    HAVING count(*) > 1 AND (NOT starts_with(key, '~') OR count(DISTINCT exact) > 1);
  DELETE FROM duplicate_groups d WHERE NOT EXISTS (SELECT FROM counted c WHERE (c.scope, c.key) = (d.scope, d.key));
  INSERT INTO duplicate_groups (scope, key, is_similar, size) SELECT scope, key, starts_with(key, '~'), size FROM counted
  ON CONFLICT (scope, key) DO UPDATE SET size = excluded.size WHERE duplicate_groups.size <> excluded.size;
  DROP TABLE counted;
END $$;
REVOKE EXECUTE ON FUNCTION recount_duplicates FROM PUBLIC;

-- For records that were loaded without triggers.
CREATE OR REPLACE FUNCTION fill_duplicates() RETURNS void LANGUAGE sql SET search_path = public AS $$
  INSERT INTO title_keys (scope, key, record_id, exact)
    SELECT s.scope, k.key, k.record_id, k.exact
      FROM (SELECT 'tracks' AS scope, array_agg(id) AS ids FROM tracks
            UNION ALL SELECT 'libraries', array_agg(id) FROM releases) AS s
     CROSS JOIN LATERAL title_keys_of(s.scope, s.ids) AS k
  ON CONFLICT (scope, key, record_id) DO NOTHING;
  SELECT recount_duplicates();
$$;
REVOKE EXECUTE ON FUNCTION fill_duplicates FROM PUBLIC;
