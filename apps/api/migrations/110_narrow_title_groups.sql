-- Alike titles of one artist, of one account, or of both: each is a group of its own, so that a page of them costs what a
-- page of all groups costs. A key is the title's, a space, and whose it is: `nuitblanche =12` of the artist 12,
-- `nuitblanche @5` of the account 5, `nuitblanche @5=12` of both. A similar key names its artist already.
DROP FUNCTION rewrite_track_titles, rewrite_release_titles;

CREATE INDEX title_keys_record_idx ON title_keys (scope, record_id);

ALTER TABLE doubles
  ADD COLUMN of_account boolean NOT NULL GENERATED ALWAYS AS (starts_with(split_part(key, ' ', 2), '@')) STORED,
  ADD COLUMN of_artist boolean GENERATED ALWAYS AS (
    CASE WHEN starts_with(key, '~') THEN NULL ELSE position('=' IN split_part(key, ' ', 2)) > 0 END) STORED;
COMMENT ON COLUMN doubles.of_artist IS 'null of similar titles: they are always one artist''s';
CREATE INDEX doubles_account_idx ON doubles (scope, of_account, key);
CREATE INDEX doubles_account_rank_idx ON doubles (scope, of_account, rank);

-- The keys that these live records have. The artist of a track is the first one credited.
CREATE FUNCTION title_keys_of(of_scope text, ids bigint[]) RETURNS TABLE (key text, record_id bigint, exact text)
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

-- Puts the keys of these records right, and counts the groups that they left or came to.
CREATE FUNCTION rewrite_titles(of_scope text, ids bigint[]) RETURNS void
  LANGUAGE plpgsql SECURITY DEFINER SET search_path = public AS $$
DECLARE
  changed text[];
BEGIN
  IF ids IS NULL THEN RETURN; END IF;
  WITH fresh AS MATERIALIZED (SELECT * FROM title_keys_of(of_scope, ids)),
  former AS MATERIALIZED (
    SELECT k.key, k.record_id FROM unnest(ids) AS i (id) JOIN title_keys k ON k.scope = of_scope AND k.record_id = i.id),
  -- EXCEPT and not an anti-join: of an array the planner expects ten ids, and would compare each key with every other.
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

CREATE OR REPLACE FUNCTION tracks_add_doubles() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path = public AS $$
BEGIN
  PERFORM rewrite_titles('tracks', array_agg(t.id)) FROM added t WHERE t.deleted_at IS NULL;
  PERFORM recount_isrcs(array_agg(DISTINCT t.isrc)) FROM added t WHERE t.isrc IS NOT NULL AND t.deleted_at IS NULL;
  RETURN NULL;
END $$;
CREATE OR REPLACE FUNCTION tracks_change_doubles() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path = public AS $$
DECLARE
  stale text[];
BEGIN
  PERFORM rewrite_titles('tracks', array_agg(n.id)) FROM after n JOIN before o ON o.id = n.id
    WHERE (n.title, n.version, n.account_id, n.deleted_at) IS DISTINCT FROM (o.title, o.version, o.account_id, o.deleted_at);
  SELECT array_agg(o.isrc) || array_agg(n.isrc) INTO stale FROM after n JOIN before o ON o.id = n.id
   WHERE (n.isrc, n.deleted_at) IS DISTINCT FROM (o.isrc, o.deleted_at);
  IF stale IS NOT NULL THEN PERFORM recount_isrcs(stale); END IF;
  RETURN NULL;
END $$;
CREATE OR REPLACE FUNCTION tracks_drop_doubles() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path = public AS $$
BEGIN
  PERFORM rewrite_titles('tracks', array_agg(o.id)) FROM gone o;
  PERFORM recount_isrcs(array_agg(o.isrc)) FROM gone o WHERE o.isrc IS NOT NULL HAVING count(*) > 0;
  RETURN NULL;
END $$;

CREATE OR REPLACE FUNCTION credits_add_doubles() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path = public AS $$
BEGIN
  PERFORM rewrite_titles('tracks', array_agg(DISTINCT c.track_id)) FROM added c WHERE c.kind = 'artist';
  RETURN NULL;
END $$;
CREATE OR REPLACE FUNCTION credits_change_doubles() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path = public AS $$
BEGIN
  PERFORM rewrite_titles('tracks', array_agg(DISTINCT c.track_id))
     FROM before o JOIN after n ON n.id = o.id CROSS JOIN LATERAL (VALUES (o.track_id), (n.track_id)) AS c (track_id)
    WHERE (n.track_id, n.person_id, n.kind, n.position) IS DISTINCT FROM (o.track_id, o.person_id, o.kind, o.position);
  RETURN NULL;
END $$;
CREATE OR REPLACE FUNCTION credits_drop_doubles() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path = public AS $$
BEGIN
  PERFORM rewrite_titles('tracks', array_agg(DISTINCT c.track_id)) FROM gone c WHERE c.kind = 'artist';
  RETURN NULL;
END $$;

CREATE OR REPLACE FUNCTION releases_add_doubles() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path = public AS $$
BEGIN
  PERFORM rewrite_titles('libraries', array_agg(r.id)) FROM added r WHERE r.deleted_at IS NULL;
  PERFORM recount_barcodes(array_agg(r.barcode)) FROM added r WHERE r.barcode IS NOT NULL AND r.deleted_at IS NULL HAVING count(*) > 0;
  RETURN NULL;
END $$;
CREATE OR REPLACE FUNCTION releases_change_doubles() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path = public AS $$
DECLARE
  stale text[];
BEGIN
  PERFORM rewrite_titles('libraries', array_agg(n.id)) FROM after n JOIN before o ON o.id = n.id
    WHERE (n.title, n.version, n.artist_name, n.account_id, n.deleted_at)
          IS DISTINCT FROM (o.title, o.version, o.artist_name, o.account_id, o.deleted_at);
  SELECT array_agg(o.barcode) || array_agg(n.barcode) INTO stale FROM after n JOIN before o ON o.id = n.id
   WHERE (n.barcode, n.deleted_at) IS DISTINCT FROM (o.barcode, o.deleted_at);
  IF stale IS NOT NULL THEN PERFORM recount_barcodes(stale); END IF;
  RETURN NULL;
END $$;
CREATE OR REPLACE FUNCTION releases_drop_doubles() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path = public AS $$
BEGIN
  PERFORM rewrite_titles('libraries', array_agg(o.id)) FROM gone o;
  PERFORM recount_barcodes(array_agg(o.barcode)) FROM gone o WHERE o.barcode IS NOT NULL HAVING count(*) > 0;
  RETURN NULL;
END $$;

CREATE OR REPLACE FUNCTION fill_doubles() RETURNS void LANGUAGE sql SET search_path = public AS $$
  INSERT INTO title_keys (scope, key, record_id, exact)
    SELECT s.scope, k.key, k.record_id, k.exact
      FROM (SELECT 'tracks' AS scope, array_agg(id) AS ids FROM tracks
            UNION ALL SELECT 'libraries', array_agg(id) FROM releases) AS s
     CROSS JOIN LATERAL title_keys_of(s.scope, s.ids) AS k
  ON CONFLICT (scope, key, record_id) DO NOTHING;
  SELECT recount_doubles();
$$;
REVOKE EXECUTE ON FUNCTION title_keys_of, rewrite_titles FROM PUBLIC;
SELECT fill_doubles();
