-- Searching by words. A list is read in its own order whatever is searched: each of its words stands, with the list's
-- order, in one B-tree, so the first page of a common word, of a rare one and of a beginning of many costs the same
-- at any size. The triggers below keep the words; the application only reads them.

CREATE FUNCTION words_of(value text) RETURNS text[]
  LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
  RETURN ARRAY(SELECT DISTINCT left(word, 60)
                 FROM string_to_table(regexp_replace(public.fold(value), '[^[:alnum:]]+', ' ', 'g'), ' ') AS word
                WHERE word <> '');
COMMENT ON FUNCTION words_of IS 'the words of a text, folded, each once; no dictionary of any language';

-- Live releases: title, artist, barcode, and the names of the account.
CREATE TABLE release_words (
  status text COLLATE "C" NOT NULL,
  word text COLLATE "C" NOT NULL,
  created_at timestamptz NOT NULL,
  release_id bigint NOT NULL,
  genre text
);
COMMENT ON COLUMN release_words.genre IS 'so that a word within a genre is counted without looking at its releases';
-- Live tracks: title.
CREATE TABLE track_words (
  word text COLLATE "C" NOT NULL,
  title text NOT NULL,
  track_id bigint NOT NULL
);
-- People, by the list of the library where they stand, for a credit on a live track; list `all` has everybody. The
-- empty word is the list itself.
CREATE TABLE people_words (
  list text COLLATE "C" NOT NULL CHECK (list IN ('all', 'artists', 'contributors', 'editors')),
  word text COLLATE "C" NOT NULL,
  full_name text NOT NULL,
  person_id bigint NOT NULL
);
REVOKE INSERT, UPDATE, DELETE ON release_words, track_words, people_words FROM regie_app;

CREATE FUNCTION rewrite_release_words(ids bigint[]) RETURNS void LANGUAGE sql SECURITY DEFINER SET search_path = public AS $$
  WITH fresh AS MATERIALIZED (
    SELECT r.status, word, r.created_at, r.id, r.genre
      FROM releases r JOIN accounts a ON a.id = r.account_id
     CROSS JOIN unnest(words_of(concat_ws(' ', r.title, r.artist_name, r.barcode, a.first_name, a.last_name, a.company))) AS word
     WHERE r.id = ANY (ids) AND r.deleted_at IS NULL),
  gone AS (
    DELETE FROM release_words w
     WHERE w.release_id = ANY (ids)
       AND NOT EXISTS (SELECT 1 FROM fresh f
                        WHERE (f.status, f.word, f.created_at, f.id) = (w.status, w.word, w.created_at, w.release_id)))
  INSERT INTO release_words (status, word, created_at, release_id, genre) SELECT * FROM fresh
  ON CONFLICT (status, word, created_at, release_id) DO UPDATE SET genre = excluded.genre
  WHERE release_words.genre IS DISTINCT FROM excluded.genre
$$;

CREATE FUNCTION releases_add_words() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path = public AS $$
BEGIN
  -- Whoever renames the account at the same time waits, and then meets these releases.
  PERFORM 1 FROM accounts WHERE id IN (SELECT account_id FROM added) ORDER BY id FOR SHARE;
  INSERT INTO release_words (status, word, created_at, release_id, genre)
    SELECT r.status, word, r.created_at, r.id, r.genre
      FROM added r JOIN accounts a ON a.id = r.account_id
     CROSS JOIN unnest(words_of(concat_ws(' ', r.title, r.artist_name, r.barcode, a.first_name, a.last_name, a.company))) AS word
     WHERE r.deleted_at IS NULL;
  RETURN NULL;
END $$;
CREATE FUNCTION releases_change_words() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path = public AS $$
DECLARE
  ids bigint[];
BEGIN
  SELECT array_agg(n.id) INTO ids FROM after n JOIN before o ON o.id = n.id
   WHERE (n.status, n.title, n.artist_name, n.barcode, n.genre, n.account_id, n.created_at, n.deleted_at)
     IS DISTINCT FROM (o.status, o.title, o.artist_name, o.barcode, o.genre, o.account_id, o.created_at, o.deleted_at);
  IF ids IS NOT NULL THEN PERFORM rewrite_release_words(ids); END IF;
  RETURN NULL;
END $$;
CREATE FUNCTION releases_drop_words() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path = public AS $$
BEGIN
  DELETE FROM release_words WHERE release_id IN (SELECT id FROM gone);
  RETURN NULL;
END $$;
CREATE FUNCTION accounts_change_words() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path = public AS $$
DECLARE
  ids bigint[];
BEGIN
  SELECT array_agg(n.id) INTO ids FROM after n JOIN before o ON o.id = n.id
   WHERE (n.first_name, n.last_name, n.company) IS DISTINCT FROM (o.first_name, o.last_name, o.company);
  IF ids IS NULL THEN RETURN NULL; END IF;
  SELECT array_agg(id) INTO ids
    FROM (SELECT id FROM releases WHERE account_id = ANY (ids) ORDER BY id FOR NO KEY UPDATE) AS locked;
  IF ids IS NOT NULL THEN PERFORM rewrite_release_words(ids); END IF;
  RETURN NULL;
END $$;

CREATE FUNCTION tracks_add_words() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path = public AS $$
BEGIN
  INSERT INTO track_words (word, title, track_id)
    SELECT word, t.title, t.id FROM added t CROSS JOIN unnest(words_of(t.title)) AS word WHERE t.deleted_at IS NULL;
  RETURN NULL;
END $$;
CREATE FUNCTION tracks_change_words() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path = public AS $$
DECLARE
  ids bigint[];
BEGIN
  SELECT array_agg(n.id) INTO ids FROM after n JOIN before o ON o.id = n.id
   WHERE (n.title, n.deleted_at) IS DISTINCT FROM (o.title, o.deleted_at);
  IF ids IS NOT NULL THEN
    DELETE FROM track_words WHERE track_id = ANY (ids);
    INSERT INTO track_words (word, title, track_id)
      SELECT word, t.title, t.id FROM tracks t CROSS JOIN unnest(words_of(t.title)) AS word
       WHERE t.id = ANY (ids) AND t.deleted_at IS NULL;
  END IF;
  SELECT array_agg(DISTINCT c.person_id) INTO ids
    FROM after n JOIN before o ON o.id = n.id JOIN track_credits c ON c.track_id = n.id
   WHERE (n.deleted_at IS NULL) <> (o.deleted_at IS NULL);
  IF ids IS NOT NULL THEN PERFORM rewrite_people_words(ids); END IF;
  RETURN NULL;
END $$;
CREATE FUNCTION tracks_drop_words() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path = public AS $$
BEGIN
  DELETE FROM track_words WHERE track_id IN (SELECT id FROM gone);
  RETURN NULL;
END $$;

CREATE FUNCTION list_of_credit(kind text) RETURNS text LANGUAGE sql IMMUTABLE PARALLEL SAFE
  RETURN CASE kind WHEN 'artist' THEN 'artists' WHEN 'editor' THEN 'editors' ELSE 'contributors' END;

CREATE FUNCTION rewrite_people_words(ids bigint[]) RETURNS void LANGUAGE plpgsql SECURITY DEFINER SET search_path = public AS $$
BEGIN
  -- Two tracks of one person may be deleted at the same time: the second sees what the first left.
  PERFORM 1 FROM people WHERE id = ANY (ids) ORDER BY id FOR NO KEY UPDATE;
  WITH fresh AS MATERIALIZED (
    SELECT l.list, word, p.full_name, p.id
      FROM people p
     CROSS JOIN LATERAL (
       SELECT 'all' AS list
       UNION ALL
       SELECT list FROM (VALUES ('artists'), ('contributors'), ('editors')) AS lists (list)
        WHERE EXISTS (SELECT 1 FROM track_credits c JOIN tracks t ON t.id = c.track_id AND t.deleted_at IS NULL
                       WHERE c.person_id = p.id AND list_of_credit(c.kind) = list)) AS l
     CROSS JOIN unnest(array_append(words_of(p.full_name), '')) AS word
     WHERE p.id = ANY (ids)),
  gone AS (
    DELETE FROM people_words w
     WHERE w.person_id = ANY (ids)
       AND NOT EXISTS (SELECT 1 FROM fresh f
                        WHERE (f.list, f.word, f.full_name, f.id) = (w.list, w.word, w.full_name, w.person_id)))
  INSERT INTO people_words (list, word, full_name, person_id) SELECT * FROM fresh ON CONFLICT DO NOTHING;
END $$;

CREATE FUNCTION people_add_words() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path = public AS $$
BEGIN
  INSERT INTO people_words (list, word, full_name, person_id)
    SELECT 'all', word, p.full_name, p.id FROM added p CROSS JOIN unnest(array_append(words_of(p.full_name), '')) AS word;
  RETURN NULL;
END $$;
CREATE FUNCTION people_change_words() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path = public AS $$
DECLARE
  ids bigint[];
BEGIN
  SELECT array_agg(n.id) INTO ids FROM after n JOIN before o ON o.id = n.id WHERE n.full_name <> o.full_name;
  IF ids IS NOT NULL THEN PERFORM rewrite_people_words(ids); END IF;
  RETURN NULL;
END $$;
CREATE FUNCTION people_drop_words() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path = public AS $$
BEGIN
  DELETE FROM people_words WHERE person_id IN (SELECT id FROM gone);
  RETURN NULL;
END $$;
CREATE FUNCTION credits_add_words() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path = public AS $$
BEGIN
  -- Whoever is just taken off their last track is seen again after that.
  PERFORM 1 FROM people WHERE id IN (SELECT person_id FROM added) ORDER BY id FOR SHARE;
  INSERT INTO people_words (list, word, full_name, person_id)
    SELECT l.list, word, p.full_name, p.id
      FROM (SELECT DISTINCT list_of_credit(c.kind) AS list, c.person_id
              FROM added c JOIN tracks t ON t.id = c.track_id AND t.deleted_at IS NULL) AS l
      JOIN people p ON p.id = l.person_id
     CROSS JOIN unnest(array_append(words_of(p.full_name), '')) AS word
    ON CONFLICT DO NOTHING;
  RETURN NULL;
END $$;
CREATE FUNCTION credits_change_words() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path = public AS $$
DECLARE
  ids bigint[];
BEGIN
  SELECT array_agg(DISTINCT person_id) INTO ids FROM (SELECT person_id FROM before UNION SELECT person_id FROM after) AS touched;
  IF ids IS NOT NULL THEN PERFORM rewrite_people_words(ids); END IF;
  RETURN NULL;
END $$;
CREATE FUNCTION credits_drop_words() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path = public AS $$
DECLARE
  ids bigint[];
BEGIN
  SELECT array_agg(DISTINCT person_id) INTO ids FROM gone;
  IF ids IS NOT NULL THEN PERFORM rewrite_people_words(ids); END IF;
  RETURN NULL;
END $$;

CREATE TRIGGER releases_add_words AFTER INSERT ON releases
  REFERENCING NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION releases_add_words();
CREATE TRIGGER releases_change_words AFTER UPDATE ON releases
  REFERENCING OLD TABLE AS before NEW TABLE AS after FOR EACH STATEMENT EXECUTE FUNCTION releases_change_words();
CREATE TRIGGER releases_drop_words AFTER DELETE ON releases
  REFERENCING OLD TABLE AS gone FOR EACH STATEMENT EXECUTE FUNCTION releases_drop_words();
CREATE TRIGGER accounts_change_words AFTER UPDATE ON accounts
  REFERENCING OLD TABLE AS before NEW TABLE AS after FOR EACH STATEMENT EXECUTE FUNCTION accounts_change_words();
CREATE TRIGGER tracks_add_words AFTER INSERT ON tracks
  REFERENCING NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION tracks_add_words();
CREATE TRIGGER tracks_change_words AFTER UPDATE ON tracks
  REFERENCING OLD TABLE AS before NEW TABLE AS after FOR EACH STATEMENT EXECUTE FUNCTION tracks_change_words();
CREATE TRIGGER tracks_drop_words AFTER DELETE ON tracks
  REFERENCING OLD TABLE AS gone FOR EACH STATEMENT EXECUTE FUNCTION tracks_drop_words();
CREATE TRIGGER people_add_words AFTER INSERT ON people
  REFERENCING NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION people_add_words();
CREATE TRIGGER people_change_words AFTER UPDATE ON people
  REFERENCING OLD TABLE AS before NEW TABLE AS after FOR EACH STATEMENT EXECUTE FUNCTION people_change_words();
CREATE TRIGGER people_drop_words AFTER DELETE ON people
  REFERENCING OLD TABLE AS gone FOR EACH STATEMENT EXECUTE FUNCTION people_drop_words();
CREATE TRIGGER track_credits_add_words AFTER INSERT ON track_credits
  REFERENCING NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION credits_add_words();
CREATE TRIGGER track_credits_change_words AFTER UPDATE ON track_credits
  REFERENCING OLD TABLE AS before NEW TABLE AS after FOR EACH STATEMENT EXECUTE FUNCTION credits_change_words();
CREATE TRIGGER track_credits_drop_words AFTER DELETE ON track_credits
  REFERENCING OLD TABLE AS gone FOR EACH STATEMENT EXECUTE FUNCTION credits_drop_words();

-- What is there already; tables loaded without their triggers are filled the same way.
CREATE FUNCTION fill_search_words() RETURNS void LANGUAGE sql SET search_path = public AS $$
  INSERT INTO release_words (status, word, created_at, release_id, genre)
    SELECT r.status, word, r.created_at, r.id, r.genre
      FROM releases r JOIN accounts a ON a.id = r.account_id
     CROSS JOIN unnest(words_of(concat_ws(' ', r.title, r.artist_name, r.barcode, a.first_name, a.last_name, a.company))) AS word
     WHERE r.deleted_at IS NULL;
  INSERT INTO track_words (word, title, track_id)
    SELECT word, t.title, t.id FROM tracks t CROSS JOIN unnest(words_of(t.title)) AS word WHERE t.deleted_at IS NULL;
  INSERT INTO people_words (list, word, full_name, person_id)
    SELECT l.list, word, p.full_name, p.id
      FROM (SELECT 'all' AS list, id AS person_id FROM people
            UNION ALL
            SELECT DISTINCT list_of_credit(c.kind), c.person_id
              FROM track_credits c JOIN tracks t ON t.id = c.track_id AND t.deleted_at IS NULL) AS l
      JOIN people p ON p.id = l.person_id
     CROSS JOIN unnest(array_append(words_of(p.full_name), '')) AS word;
$$;
REVOKE EXECUTE ON FUNCTION fill_search_words, rewrite_release_words, rewrite_people_words FROM PUBLIC;
SELECT fill_search_words();

ALTER TABLE release_words ADD PRIMARY KEY (status, word, created_at, release_id) INCLUDE (genre);
ALTER TABLE track_words ADD PRIMARY KEY (word, title, track_id);
ALTER TABLE people_words ADD PRIMARY KEY (list, word, full_name, person_id);
-- One page costs less than starting workers for it.
ALTER TABLE release_words SET (parallel_workers = 0);
ALTER TABLE track_words SET (parallel_workers = 0);
ALTER TABLE people_words SET (parallel_workers = 0);
CREATE INDEX release_words_release_idx ON release_words (release_id);
CREATE INDEX track_words_track_idx ON track_words (track_id);
CREATE INDEX people_words_person_idx ON people_words (person_id);

-- Each order and filter of the lists has its index; what searched by trigrams is no longer read.
CREATE INDEX releases_artist_idx ON releases (status, coalesce(artist_name, ''), id) WHERE deleted_at IS NULL;
CREATE INDEX releases_account_list_idx ON releases (account_id, status, created_at, id) WHERE deleted_at IS NULL;
DROP INDEX tracks_title_idx;
CREATE INDEX tracks_title_idx ON tracks (title, id) WHERE deleted_at IS NULL;
DROP INDEX releases_search_idx;
ALTER TABLE releases DROP COLUMN search;
DROP INDEX people_search_idx;
-- The tracks of a person are counted by it and by the few that are deleted, whoever has thousands.
DROP INDEX track_credits_person_idx;
CREATE INDEX track_credits_person_idx ON track_credits (person_id, kind, track_id) INCLUDE (role);
CREATE INDEX tracks_deleted_idx ON tracks (id) WHERE deleted_at IS NOT NULL;
