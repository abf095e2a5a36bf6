-- What stands more than once in the catalogue: ISRCs, barcodes, titles, and titles of one artist that differ by a slip.
-- The groups of two and more are kept by triggers, so a page of them costs the same in any catalogue; a nightly job
-- counts them anew, since two transactions that give the same new code at the same moment do not see each other.

-- A title without what it was only heard with: "Nuit blanche (feat. Ida Roux) [Live]" is "nuit blanche [live]".
CREATE FUNCTION bare_title(title text, version text) RETURNS text
  LANGUAGE sql IMMUTABLE PARALLEL SAFE
  RETURN regexp_replace(public.fold(concat_ws(' ', title, version)),
                        '[\s([]+(feat|ft|featuring)(\.\s*|\s+)[^][()]*[])]?', ' ', 'g');

-- The same title, whatever its case, accents, punctuation and guests.
CREATE FUNCTION title_key(title text, version text) RETURNS text
  LANGUAGE sql IMMUTABLE PARALLEL SAFE
  RETURN (SELECT left(coalesce(nullif(regexp_replace(bare, '[^[:alnum:]]+', '', 'g'), ''),
                               regexp_replace(bare, '\s+', '', 'g')), 300)
            FROM (SELECT public.bare_title(title, version) AS bare) AS b);

-- Titles that differ by articles, plurals, doubled letters, and where enough letters are left by vowels and by letters
-- that changed places. Numbers count as they stand, Roman ones too: the second part is not the third. Null: too short.
CREATE FUNCTION sound_key(title text, version text) RETURNS text
  LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE SET search_path = public AS $$
DECLARE
  words text := regexp_replace(bare_title(title, version), '[^[:alnum:]]+', ' ', 'g');
  numbers text := '';
  letters text;
  consonants text;
BEGIN
  words := regexp_replace(words, '\m(l|le|la|les|un|une|d|de|des|du|the|a|an|et|and)\M', '', 'g');
  IF words ~ '\m([0-9]+|[ivx]+)\M' THEN
    SELECT coalesce(string_agg(digits[1], '.'), '') INTO numbers FROM regexp_matches(words, '\m([0-9]+|[ivx]+)\M', 'g') AS digits;
    words := regexp_replace(words, '\m([0-9]+|[ivx]+)\M', '', 'g');
  END IF;
  letters := regexp_replace(regexp_replace(replace(regexp_replace(words, '(es|[sexz])\M', '', 'g'), ' ', ''), '(.)\1+', '\1', 'g'),
                            '[^[:alnum:]]', '', 'g');
  IF length(letters) < 3 THEN RETURN NULL; END IF;
  consonants := translate(letters, 'aeiouyhw', '');
  IF length(consonants) >= 6 THEN
    SELECT string_agg(letter, '' ORDER BY letter COLLATE "C") INTO letters FROM string_to_table(consonants, NULL) AS letter;
  END IF;
  RETURN left(letters, 200) || '#' || left(numbers, 40);
END $$;

CREATE FUNCTION similar_key(artist text, title text, version text) RETURNS text
  LANGUAGE sql IMMUTABLE PARALLEL SAFE
  RETURN '~' || left(artist, 80) || ':' || public.sound_key(title, version);

-- The titles of live tracks and releases by their keys; those of one artist begin with `~`.
CREATE TABLE title_keys (
  scope text COLLATE "C" NOT NULL CHECK (scope IN ('tracks', 'libraries')),
  key text COLLATE "C" NOT NULL,
  record_id bigint NOT NULL,
  exact text COLLATE "C" NOT NULL
);
COMMENT ON COLUMN title_keys.exact IS 'the key of the title itself: alike titles are a group only where they are not all the same';

CREATE TABLE doubles (
  scope text COLLATE "C" NOT NULL CHECK (scope IN ('isrc', 'barcode', 'tracks', 'libraries')),
  key text COLLATE "C" NOT NULL,
  is_similar boolean NOT NULL DEFAULT false,
  size integer NOT NULL CHECK (size > 1),
  -- The largest groups first, in one column, which a page can begin after.
  rank text COLLATE "C" NOT NULL GENERATED ALWAYS AS (lpad(size::text, 9, '0') || ' ' || key) STORED,
  PRIMARY KEY (scope, key)
);
CREATE INDEX doubles_rank_idx ON doubles (scope, rank);
CREATE INDEX doubles_similar_idx ON doubles (scope, is_similar, key);
CREATE INDEX doubles_similar_rank_idx ON doubles (scope, is_similar, rank);
REVOKE INSERT, UPDATE, DELETE ON title_keys, doubles FROM regie_app;

-- A GTIN is the same number without its leading zeros, which spreadsheets drop.
CREATE INDEX releases_gtin_idx ON releases ((ltrim(barcode, '0')));

CREATE FUNCTION write_doubles(of_scope text, keys text[], sizes bigint[]) RETURNS void
  LANGUAGE sql SECURITY DEFINER SET search_path = public AS $$
  DELETE FROM doubles d USING unnest(keys, sizes) AS c (key, size)
   WHERE d.scope = of_scope AND d.key = c.key AND c.size < 2;
  INSERT INTO doubles (scope, key, is_similar, size)
  SELECT of_scope, c.key, starts_with(c.key, '~'), c.size FROM unnest(keys, sizes) AS c (key, size)
   WHERE c.size > 1 ORDER BY c.key
  ON CONFLICT (scope, key) DO UPDATE SET size = excluded.size WHERE doubles.size <> excluded.size
$$;

-- Each key is looked up in its index, whatever is known so far of a table that is just being filled.
-- What a group counts, and 0 where its titles are all the same title of the same artist: that is another group.
CREATE FUNCTION recount_titles(of_scope text, keys text[]) RETURNS void
  LANGUAGE sql SECURITY DEFINER SET search_path = public SET enable_bitmapscan = off SET enable_seqscan = off AS $$
  SELECT write_doubles(of_scope, array_agg(c.key), array_agg(c.size))
    FROM (SELECT k.key, n.size
            FROM (SELECT DISTINCT key FROM unnest(keys) AS key WHERE key IS NOT NULL) AS k
           CROSS JOIN LATERAL (
             SELECT CASE WHEN starts_with(k.key, '~') AND count(DISTINCT t.exact) < 2 THEN 0 ELSE count(*) END AS size
               FROM title_keys t WHERE t.scope = of_scope AND t.key = k.key) AS n
           -- One that is alone and was alone is neither written nor removed.
           WHERE n.size > 1 OR EXISTS (SELECT FROM doubles d WHERE d.scope = of_scope AND d.key = k.key)) AS c
  HAVING count(*) > 0
$$;
CREATE FUNCTION recount_isrcs(isrcs text[]) RETURNS void
  LANGUAGE sql SECURITY DEFINER SET search_path = public SET enable_bitmapscan = off SET enable_seqscan = off AS $$
  SELECT write_doubles('isrc', array_agg(c.key), array_agg(c.size))
    FROM (SELECT k.key, n.size
            FROM (SELECT DISTINCT key FROM unnest(isrcs) AS key WHERE key IS NOT NULL) AS k
           -- The deleted ones are left out afterwards: a planner that knows nothing of the table yet may otherwise take any
           -- index of live tracks for this one.
           CROSS JOIN LATERAL (
             SELECT count(*) FILTER (WHERE t.deleted_at IS NULL) AS size FROM tracks t WHERE t.isrc = k.key) AS n
           WHERE n.size > 1 OR EXISTS (SELECT FROM doubles d WHERE d.scope = 'isrc' AND d.key = k.key)) AS c
  HAVING count(*) > 0
$$;
CREATE FUNCTION recount_barcodes(barcodes text[]) RETURNS void
  LANGUAGE sql SECURITY DEFINER SET search_path = public SET enable_bitmapscan = off SET enable_seqscan = off AS $$
  SELECT write_doubles('barcode', array_agg(c.key), array_agg(c.size))
    FROM (SELECT k.key, n.size
            FROM (SELECT DISTINCT ltrim(code, '0') AS key FROM unnest(barcodes) AS code WHERE code IS NOT NULL) AS k
           CROSS JOIN LATERAL (
             SELECT count(*) FILTER (WHERE r.deleted_at IS NULL) AS size FROM releases r
              WHERE ltrim(r.barcode, '0') = k.key) AS n
           WHERE n.size > 1 OR EXISTS (SELECT FROM doubles d WHERE d.scope = 'barcode' AND d.key = k.key)) AS c
  HAVING count(*) > 0
$$;

-- Puts the keys of these tracks right; `stale` are keys that they may have had.
CREATE FUNCTION rewrite_track_titles(ids bigint[], stale text[]) RETURNS void
  LANGUAGE plpgsql SECURITY DEFINER SET search_path = public AS $$
DECLARE
  fresh text[];
BEGIN
  DELETE FROM title_keys k WHERE k.scope = 'tracks' AND k.key = ANY (stale) AND k.record_id = ANY (ids);
  WITH live AS MATERIALIZED (
    SELECT t.id, t.title, t.version, title_key(t.title, t.version) AS exact
      FROM tracks t WHERE t.id = ANY (ids) AND t.deleted_at IS NULL),
  added AS (
    INSERT INTO title_keys (scope, key, record_id, exact)
    SELECT 'tracks', exact, id, exact FROM live
    UNION
    SELECT 'tracks', k.key, l.id, l.exact
      FROM live l JOIN track_credits c ON c.track_id = l.id AND c.kind = 'artist'
     CROSS JOIN LATERAL (SELECT similar_key(c.person_id::text, l.title, l.version) AS key) AS k
     WHERE k.key IS NOT NULL
    ON CONFLICT (scope, key, record_id) DO UPDATE SET exact = excluded.exact
    RETURNING key)
  SELECT array_agg(key) INTO fresh FROM added;
  PERFORM recount_titles('tracks', stale || fresh);
END $$;
CREATE FUNCTION rewrite_release_titles(ids bigint[], stale text[]) RETURNS void
  LANGUAGE plpgsql SECURITY DEFINER SET search_path = public AS $$
DECLARE
  fresh text[];
BEGIN
  DELETE FROM title_keys k WHERE k.scope = 'libraries' AND k.key = ANY (stale) AND k.record_id = ANY (ids);
  WITH live AS MATERIALIZED (
    SELECT r.id, r.title, r.version, r.artist_name, title_key(r.title, r.version) AS exact
      FROM releases r WHERE r.id = ANY (ids) AND r.deleted_at IS NULL),
  added AS (
    INSERT INTO title_keys (scope, key, record_id, exact)
    SELECT 'libraries', exact, id, exact FROM live
    UNION
    SELECT 'libraries', k.key, l.id, l.exact
      FROM live l
     CROSS JOIN LATERAL (SELECT similar_key(title_key(l.artist_name, NULL), l.title, l.version) AS key) AS k
     WHERE l.artist_name IS NOT NULL AND k.key IS NOT NULL
    ON CONFLICT (scope, key, record_id) DO UPDATE SET exact = excluded.exact
    RETURNING key)
  SELECT array_agg(key) INTO fresh FROM added;
  PERFORM recount_titles('libraries', stale || fresh);
END $$;

CREATE FUNCTION tracks_add_doubles() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path = public AS $$
BEGIN
  INSERT INTO title_keys (scope, key, record_id, exact)
    SELECT 'tracks', k.key, t.id, k.key
      FROM added t CROSS JOIN LATERAL (SELECT title_key(t.title, t.version) AS key) AS k
     WHERE t.deleted_at IS NULL;
  PERFORM recount_titles('tracks', array_agg(DISTINCT title_key(t.title, t.version))) FROM added t WHERE t.deleted_at IS NULL;
  PERFORM recount_isrcs(array_agg(DISTINCT t.isrc)) FROM added t WHERE t.isrc IS NOT NULL AND t.deleted_at IS NULL;
  RETURN NULL;
END $$;
CREATE FUNCTION tracks_change_doubles() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path = public AS $$
DECLARE
  ids bigint[];
  stale text[];
BEGIN
  SELECT array_agg(n.id) INTO ids FROM after n JOIN before o ON o.id = n.id
   WHERE (n.title, n.version, n.deleted_at) IS DISTINCT FROM (o.title, o.version, o.deleted_at);
  IF ids IS NOT NULL THEN
    SELECT array_agg(DISTINCT key) INTO stale
      FROM (SELECT title_key(o.title, o.version) AS key FROM before o WHERE o.id = ANY (ids)
            UNION ALL
            SELECT similar_key(c.person_id::text, o.title, o.version)
              FROM before o JOIN track_credits c ON c.track_id = o.id AND c.kind = 'artist' WHERE o.id = ANY (ids)) AS k;
    PERFORM rewrite_track_titles(ids, stale);
  END IF;
  SELECT array_agg(o.isrc) || array_agg(n.isrc) INTO stale FROM after n JOIN before o ON o.id = n.id
   WHERE (n.isrc, n.deleted_at) IS DISTINCT FROM (o.isrc, o.deleted_at);
  IF stale IS NOT NULL THEN PERFORM recount_isrcs(stale); END IF;
  RETURN NULL;
END $$;
CREATE FUNCTION tracks_drop_doubles() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path = public AS $$
BEGIN
  -- Its credits went before it.
  PERFORM rewrite_track_titles(array_agg(o.id), array_agg(title_key(o.title, o.version))) FROM gone o HAVING count(*) > 0;
  PERFORM recount_isrcs(array_agg(o.isrc)) FROM gone o WHERE o.isrc IS NOT NULL HAVING count(*) > 0;
  RETURN NULL;
END $$;

CREATE FUNCTION credits_add_doubles() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path = public AS $$
DECLARE
  fresh text[];
BEGIN
  WITH written AS (
    INSERT INTO title_keys (scope, key, record_id, exact)
    SELECT DISTINCT 'tracks', k.key, t.id, title_key(t.title, t.version)
      FROM added c JOIN tracks t ON t.id = c.track_id AND t.deleted_at IS NULL
     CROSS JOIN LATERAL (SELECT similar_key(c.person_id::text, t.title, t.version) AS key) AS k
     WHERE c.kind = 'artist' AND k.key IS NOT NULL
    ON CONFLICT (scope, key, record_id) DO NOTHING
    RETURNING key)
  SELECT array_agg(DISTINCT key) INTO fresh FROM written;
  IF fresh IS NOT NULL THEN PERFORM recount_titles('tracks', fresh); END IF;
  RETURN NULL;
END $$;
CREATE FUNCTION credits_drop_doubles() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path = public AS $$
BEGIN
  PERFORM rewrite_track_titles(array_agg(t.id), array_agg(similar_key(c.person_id::text, t.title, t.version)))
     FROM gone c JOIN tracks t ON t.id = c.track_id WHERE c.kind = 'artist' HAVING count(*) > 0;
  RETURN NULL;
END $$;
CREATE FUNCTION credits_change_doubles() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path = public AS $$
BEGIN
  PERFORM rewrite_track_titles(array_agg(t.id), array_agg(similar_key(c.person_id::text, t.title, t.version)))
     FROM (SELECT o.track_id, o.person_id FROM before o JOIN after n ON n.id = o.id
            WHERE (n.track_id, n.person_id, n.kind) IS DISTINCT FROM (o.track_id, o.person_id, o.kind)
            UNION
           SELECT n.track_id, n.person_id FROM before o JOIN after n ON n.id = o.id
            WHERE (n.track_id, n.person_id, n.kind) IS DISTINCT FROM (o.track_id, o.person_id, o.kind)) AS c
     JOIN tracks t ON t.id = c.track_id HAVING count(*) > 0;
  RETURN NULL;
END $$;

CREATE FUNCTION releases_add_doubles() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path = public AS $$
BEGIN
  PERFORM rewrite_release_titles(array_agg(r.id), '{}') FROM added r WHERE r.deleted_at IS NULL HAVING count(*) > 0;
  PERFORM recount_barcodes(array_agg(r.barcode)) FROM added r WHERE r.barcode IS NOT NULL AND r.deleted_at IS NULL HAVING count(*) > 0;
  RETURN NULL;
END $$;
CREATE FUNCTION releases_change_doubles() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path = public AS $$
DECLARE
  ids bigint[];
  stale text[];
BEGIN
  SELECT array_agg(n.id) INTO ids FROM after n JOIN before o ON o.id = n.id
   WHERE (n.title, n.version, n.artist_name, n.deleted_at) IS DISTINCT FROM (o.title, o.version, o.artist_name, o.deleted_at);
  IF ids IS NOT NULL THEN
    SELECT array_agg(title_key(o.title, o.version))
           || array_agg(similar_key(title_key(o.artist_name, NULL), o.title, o.version)) FILTER (WHERE o.artist_name IS NOT NULL)
      INTO stale FROM before o WHERE o.id = ANY (ids);
    PERFORM rewrite_release_titles(ids, stale);
  END IF;
  SELECT array_agg(o.barcode) || array_agg(n.barcode) INTO stale FROM after n JOIN before o ON o.id = n.id
   WHERE (n.barcode, n.deleted_at) IS DISTINCT FROM (o.barcode, o.deleted_at);
  IF stale IS NOT NULL THEN PERFORM recount_barcodes(stale); END IF;
  RETURN NULL;
END $$;
CREATE FUNCTION releases_drop_doubles() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path = public AS $$
BEGIN
  PERFORM rewrite_release_titles(array_agg(o.id), array_agg(title_key(o.title, o.version))
            || array_agg(similar_key(title_key(o.artist_name, NULL), o.title, o.version)))
     FROM gone o HAVING count(*) > 0;
  PERFORM recount_barcodes(array_agg(o.barcode)) FROM gone o WHERE o.barcode IS NOT NULL HAVING count(*) > 0;
  RETURN NULL;
END $$;

-- Counts every group anew from the codes and keys that there are.
CREATE FUNCTION recount_doubles() RETURNS void LANGUAGE plpgsql SET search_path = public AS $$
BEGIN
  LOCK TABLE doubles IN SHARE ROW EXCLUSIVE MODE;
  CREATE TEMP TABLE counted ON COMMIT DROP AS
    SELECT 'isrc' AS scope, isrc AS key, count(*)::integer AS size FROM tracks
     WHERE isrc IS NOT NULL AND deleted_at IS NULL GROUP BY isrc HAVING count(*) > 1
    UNION ALL
    SELECT 'barcode', ltrim(barcode, '0'), count(*) FROM releases
     WHERE barcode IS NOT NULL AND deleted_at IS NULL GROUP BY ltrim(barcode, '0') HAVING count(*) > 1
    UNION ALL
    SELECT scope, key, count(*) FROM title_keys GROUP BY scope, key
    HAVING count(*) > 1 AND (NOT starts_with(key, '~') OR count(DISTINCT exact) > 1);
  DELETE FROM doubles d WHERE NOT EXISTS (SELECT FROM counted c WHERE (c.scope, c.key) = (d.scope, d.key));
  INSERT INTO doubles (scope, key, is_similar, size) SELECT scope, key, starts_with(key, '~'), size FROM counted
  ON CONFLICT (scope, key) DO UPDATE SET size = excluded.size WHERE doubles.size <> excluded.size;
  DROP TABLE counted;
END $$;

-- What is there already; tables loaded without their triggers are filled the same way.
CREATE FUNCTION fill_doubles() RETURNS void LANGUAGE sql SET search_path = public AS $$
  INSERT INTO title_keys (scope, key, record_id, exact)
    SELECT 'tracks', k.key, t.id, k.key
      FROM tracks t CROSS JOIN LATERAL (SELECT title_key(t.title, t.version) AS key) AS k WHERE t.deleted_at IS NULL
    UNION ALL
    SELECT DISTINCT 'tracks', k.key, t.id, title_key(t.title, t.version)
      FROM tracks t JOIN track_credits c ON c.track_id = t.id AND c.kind = 'artist'
     CROSS JOIN LATERAL (SELECT similar_key(c.person_id::text, t.title, t.version) AS key) AS k
     WHERE t.deleted_at IS NULL AND k.key IS NOT NULL
    UNION ALL
    SELECT 'libraries', k.key, r.id, k.key
      FROM releases r CROSS JOIN LATERAL (SELECT title_key(r.title, r.version) AS key) AS k WHERE r.deleted_at IS NULL
    UNION ALL
    SELECT 'libraries', k.key, r.id, title_key(r.title, r.version)
      FROM releases r
     CROSS JOIN LATERAL (SELECT similar_key(title_key(r.artist_name, NULL), r.title, r.version) AS key) AS k
     WHERE r.deleted_at IS NULL AND r.artist_name IS NOT NULL AND k.key IS NOT NULL;
  SELECT recount_doubles();
$$;
REVOKE EXECUTE ON FUNCTION fill_doubles, recount_doubles, write_doubles, recount_titles, recount_isrcs, recount_barcodes,
  rewrite_track_titles, rewrite_release_titles FROM PUBLIC;
SELECT fill_doubles();

ALTER TABLE title_keys ADD PRIMARY KEY (scope, key, record_id) INCLUDE (exact);
ALTER TABLE title_keys SET (parallel_workers = 0);
ALTER TABLE doubles SET (parallel_workers = 0);

CREATE TRIGGER tracks_add_doubles AFTER INSERT ON tracks
  REFERENCING NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION tracks_add_doubles();
CREATE TRIGGER tracks_change_doubles AFTER UPDATE ON tracks
  REFERENCING OLD TABLE AS before NEW TABLE AS after FOR EACH STATEMENT EXECUTE FUNCTION tracks_change_doubles();
CREATE TRIGGER tracks_drop_doubles AFTER DELETE ON tracks
  REFERENCING OLD TABLE AS gone FOR EACH STATEMENT EXECUTE FUNCTION tracks_drop_doubles();
CREATE TRIGGER releases_add_doubles AFTER INSERT ON releases
  REFERENCING NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION releases_add_doubles();
CREATE TRIGGER releases_change_doubles AFTER UPDATE ON releases
  REFERENCING OLD TABLE AS before NEW TABLE AS after FOR EACH STATEMENT EXECUTE FUNCTION releases_change_doubles();
CREATE TRIGGER releases_drop_doubles AFTER DELETE ON releases
  REFERENCING OLD TABLE AS gone FOR EACH STATEMENT EXECUTE FUNCTION releases_drop_doubles();
CREATE TRIGGER track_credits_add_doubles AFTER INSERT ON track_credits
  REFERENCING NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION credits_add_doubles();
CREATE TRIGGER track_credits_change_doubles AFTER UPDATE ON track_credits
  REFERENCING OLD TABLE AS before NEW TABLE AS after FOR EACH STATEMENT EXECUTE FUNCTION credits_change_doubles();
CREATE TRIGGER track_credits_drop_doubles AFTER DELETE ON track_credits
  REFERENCING OLD TABLE AS gone FOR EACH STATEMENT EXECUTE FUNCTION credits_drop_doubles();
