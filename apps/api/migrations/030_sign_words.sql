-- Titles and names made of signs alone ("!!!", "+/-", "∞") are found too: where a text has no letter and no digit, its
-- words are its signs between spaces. Beside letters signs are no words: they tell nothing apart, and would have to be
-- typed. So nothing is added to what has a name in letters.

CREATE OR REPLACE FUNCTION words_of(value text) RETURNS text[]
  LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
  RETURN ARRAY(SELECT DISTINCT left(word, 60)
                 FROM (SELECT public.fold(value) AS folded) AS f
                CROSS JOIN LATERAL string_to_table(
                  regexp_replace(f.folded, CASE WHEN f.folded ~ '[[:alnum:]]' THEN '[^[:alnum:]]+' ELSE '\s+' END, ' ', 'g'),
                  ' ') AS word
                WHERE word <> '');
COMMENT ON FUNCTION words_of IS 'the words of a text, folded, each once, its signs where it has nothing else; no dictionary of any language';

-- Of a release title and artist are looked at by themselves: beside the account's name they never stand alone.
CREATE FUNCTION words_of_release(title text, artist text, others text) RETURNS text[]
  LANGUAGE sql IMMUTABLE PARALLEL SAFE
  RETURN ARRAY(SELECT unnest(public.words_of(concat_ws(' ', title, artist, others)))
               UNION
               SELECT unnest(public.words_of(title)) WHERE title !~ '[[:alnum:]]'
               UNION
               SELECT unnest(public.words_of(artist)) WHERE artist !~ '[[:alnum:]]');

CREATE OR REPLACE FUNCTION rewrite_release_words(ids bigint[]) RETURNS void
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

CREATE OR REPLACE FUNCTION releases_add_words() RETURNS trigger
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

-- What is there already.
SELECT rewrite_release_words(array_agg(id)) FROM releases
 WHERE deleted_at IS NULL AND (title !~ '[[:alnum:]]' OR artist_name !~ '[[:alnum:]]') HAVING count(*) > 0;
INSERT INTO track_words (word, title, track_id)
  SELECT word, t.title, t.id FROM tracks t CROSS JOIN unnest(words_of(t.title)) AS word
   WHERE t.deleted_at IS NULL AND t.title !~ '[[:alnum:]]'
  ON CONFLICT DO NOTHING;
SELECT rewrite_people_words(array_agg(id)) FROM people WHERE full_name !~ '[[:alnum:]]' HAVING count(*) > 0;
