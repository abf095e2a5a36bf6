-- Artists may be entered before any track credits them.
ALTER TABLE people ADD COLUMN is_artist boolean NOT NULL DEFAULT false;
COMMENT ON COLUMN people.is_artist IS 'entered as an artist: listed as one before a track credits them';

CREATE OR REPLACE FUNCTION rewrite_people_words(ids bigint[]) RETURNS void LANGUAGE plpgsql SECURITY DEFINER SET search_path = public AS $$
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

CREATE OR REPLACE FUNCTION people_add_words() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path = public AS $$
BEGIN
  INSERT INTO people_words (list, word, full_name, person_id)
    SELECT l.list, word, p.full_name, p.id
      FROM added p
     CROSS JOIN LATERAL (SELECT 'all' AS list UNION ALL SELECT 'artists' WHERE p.is_artist) AS l
     CROSS JOIN unnest(array_append(words_of(p.full_name), '')) AS word;
  RETURN NULL;
END $$;

CREATE OR REPLACE FUNCTION people_change_words() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path = public AS $$
DECLARE
  ids bigint[];
BEGIN
  SELECT array_agg(n.id) INTO ids FROM after n JOIN before o ON o.id = n.id
   WHERE (n.full_name, n.is_artist) <> (o.full_name, o.is_artist);
  IF ids IS NOT NULL THEN PERFORM rewrite_people_words(ids); END IF;
  RETURN NULL;
END $$;
