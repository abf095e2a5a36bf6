CREATE OR REPLACE FUNCTION rewrite_release_words(ids bigint[]) RETURNS void
  LANGUAGE sql SECURITY DEFINER SET search_path = public, pg_temp AS $$
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

CREATE OR REPLACE FUNCTION rewrite_people_words(ids bigint[]) RETURNS void LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
BEGIN
  -- Of two tracks deleted at the same time, the second sees what the first left.
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

CREATE OR REPLACE FUNCTION rewrite_track_words(ids bigint[]) RETURNS void
  LANGUAGE sql SECURITY DEFINER SET search_path = public, pg_temp AS $$
  DELETE FROM track_words WHERE track_id = ANY (ids);
  INSERT INTO track_words (word, title, track_id)
    SELECT word, t.title, t.id FROM tracks t CROSS JOIN unnest(words_of(t.title)) AS word
     WHERE t.id = ANY (ids) AND t.deleted_at IS NULL;
$$;
REVOKE EXECUTE ON FUNCTION rewrite_track_words FROM PUBLIC;

CREATE OR REPLACE FUNCTION rewrite_account_words(ids bigint[]) RETURNS void
  LANGUAGE sql SECURITY DEFINER SET search_path = public, pg_temp AS $$
  DELETE FROM account_words WHERE account_id = ANY (ids);
  INSERT INTO account_words (word, last_name, account_id)
    SELECT word, a.last_name, a.id
      FROM accounts a CROSS JOIN unnest(words_of_account(a.first_name, a.last_name, a.company, a.email)) AS word
     WHERE a.id = ANY (ids);
$$;
REVOKE EXECUTE ON FUNCTION rewrite_account_words FROM PUBLIC;

-- For records that were loaded without triggers.
CREATE OR REPLACE FUNCTION fill_search_words() RETURNS void LANGUAGE sql SET search_path = public AS $$
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

CREATE OR REPLACE FUNCTION fill_account_words() RETURNS void LANGUAGE sql SET search_path = public AS $$
  INSERT INTO account_words (word, last_name, account_id)
    SELECT word, a.last_name, a.id
      FROM accounts a CROSS JOIN unnest(words_of_account(a.first_name, a.last_name, a.company, a.email)) AS word;
$$;
REVOKE EXECUTE ON FUNCTION fill_account_words FROM PUBLIC;
