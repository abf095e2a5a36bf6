CREATE FUNCTION rewrite_release_words(ids bigint[]) RETURNS void
  LANGUAGE sql SECURITY DEFINER SET search_path = public AS $$
  WITH fresh AS MATERIALIZED (
    SELECT r.status, word, r.created_at, r.id, r.genre
      FROM releases r JOIN accounts a ON a.id = r.account_id
     CROSS JOIN unnest(words_of_release(r.title, r.artist_name, concat_ws(' ', r.barcode, a.first_name, a.last_name, a.company))) AS word
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
REVOKE EXECUTE ON FUNCTION rewrite_release_words FROM PUBLIC;

CREATE FUNCTION releases_add_words() RETURNS trigger
  LANGUAGE plpgsql SECURITY DEFINER SET search_path = public AS $$
BEGIN
  -- Whoever renames the account at the same time waits, and then meets these releases.
  PERFORM 1 FROM accounts WHERE id IN (SELECT account_id FROM added) ORDER BY id FOR SHARE;
  INSERT INTO release_words (status, word, created_at, release_id, genre)
    SELECT r.status, word, r.created_at, r.id, r.genre
      FROM added r JOIN accounts a ON a.id = r.account_id
     CROSS JOIN unnest(words_of_release(r.title, r.artist_name, concat_ws(' ', r.barcode, a.first_name, a.last_name, a.company))) AS word
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
        WHERE p.is_artist AND list = 'artists'
           OR EXISTS (SELECT 1 FROM track_credits c JOIN tracks t ON t.id = c.track_id AND t.deleted_at IS NULL
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
REVOKE EXECUTE ON FUNCTION rewrite_people_words FROM PUBLIC;

CREATE FUNCTION people_add_words() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path = public AS $$
BEGIN
  INSERT INTO people_words (list, word, full_name, person_id)
    SELECT l.list, word, p.full_name, p.id
      FROM added p
     CROSS JOIN LATERAL (SELECT 'all' AS list UNION ALL SELECT 'artists' WHERE p.is_artist) AS l
     CROSS JOIN unnest(array_append(words_of(p.full_name), '')) AS word;
  RETURN NULL;
END $$;

CREATE FUNCTION people_change_words() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path = public AS $$
DECLARE
  ids bigint[];
BEGIN
  SELECT array_agg(n.id) INTO ids FROM after n JOIN before o ON o.id = n.id
   WHERE (n.full_name, n.is_artist) <> (o.full_name, o.is_artist);
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

CREATE FUNCTION accounts_add_own_words() RETURNS trigger
  LANGUAGE plpgsql SECURITY DEFINER SET search_path = public AS $$
BEGIN
  INSERT INTO account_words (word, last_name, account_id)
    SELECT word, a.last_name, a.id
      FROM added a CROSS JOIN unnest(words_of_account(a.first_name, a.last_name, a.company, a.email)) AS word;
  RETURN NULL;
END $$;

CREATE FUNCTION accounts_change_own_words() RETURNS trigger
  LANGUAGE plpgsql SECURITY DEFINER SET search_path = public AS $$
DECLARE
  ids bigint[];
BEGIN
  SELECT array_agg(n.id) INTO ids FROM after n JOIN before o ON o.id = n.id
   WHERE (n.first_name, n.last_name, n.company, n.email) IS DISTINCT FROM (o.first_name, o.last_name, o.company, o.email);
  IF ids IS NULL THEN RETURN NULL; END IF;
  DELETE FROM account_words WHERE account_id = ANY (ids);
  INSERT INTO account_words (word, last_name, account_id)
    SELECT word, a.last_name, a.id
      FROM accounts a CROSS JOIN unnest(words_of_account(a.first_name, a.last_name, a.company, a.email)) AS word
     WHERE a.id = ANY (ids);
  RETURN NULL;
END $$;

CREATE FUNCTION accounts_drop_own_words() RETURNS trigger
  LANGUAGE plpgsql SECURITY DEFINER SET search_path = public AS $$
BEGIN
  DELETE FROM account_words WHERE account_id IN (SELECT id FROM gone);
  RETURN NULL;
END $$;

-- For records that were loaded without triggers.
CREATE FUNCTION fill_search_words() RETURNS void LANGUAGE sql SET search_path = public AS $$
  INSERT INTO release_words (status, word, created_at, release_id, genre)
    SELECT r.status, word, r.created_at, r.id, r.genre
      FROM releases r JOIN accounts a ON a.id = r.account_id
     CROSS JOIN unnest(words_of_release(r.title, r.artist_name, concat_ws(' ', r.barcode, a.first_name, a.last_name, a.company))) AS word
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
REVOKE EXECUTE ON FUNCTION fill_search_words FROM PUBLIC;

CREATE FUNCTION fill_account_words() RETURNS void LANGUAGE sql SET search_path = public AS $$
  INSERT INTO account_words (word, last_name, account_id)
    SELECT word, a.last_name, a.id
      FROM accounts a CROSS JOIN unnest(words_of_account(a.first_name, a.last_name, a.company, a.email)) AS word;
$$;
REVOKE EXECUTE ON FUNCTION fill_account_words FROM PUBLIC;
