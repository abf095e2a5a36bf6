-- What follows a change of accounts and the catalogue: search words, duplicates, tracks of income items, months of the
-- statistics. Live records are only marked as deleted; credits and people's names are never updated.

CREATE OR REPLACE FUNCTION accounts_inserted() RETURNS trigger
  LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
BEGIN
  PERFORM rewrite_account_words(array_agg(id)) FROM inserted;
  INSERT INTO account_terms (account_id, version, library_percentile, youtube_percentile)
    SELECT id, terms_version, library_percentile, youtube_percentile FROM inserted
    ON CONFLICT DO NOTHING;
  RETURN NULL;
END $$;

CREATE OR REPLACE FUNCTION accounts_updated() RETURNS trigger
  LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
DECLARE
  ids bigint[];
BEGIN
  SELECT array_agg(n.id) INTO ids FROM after n JOIN before o ON o.id = n.id
   WHERE (n.first_name, n.last_name, n.company, n.email) IS DISTINCT FROM (o.first_name, o.last_name, o.company, o.email);
  IF ids IS NOT NULL THEN PERFORM rewrite_account_words(ids); END IF;
  SELECT array_agg(n.id) INTO ids FROM after n JOIN before o ON o.id = n.id
   WHERE (n.first_name, n.last_name, n.company) IS DISTINCT FROM (o.first_name, o.last_name, o.company);
  IF ids IS NOT NULL THEN
    SELECT array_agg(id) INTO ids
      FROM (SELECT id FROM releases WHERE account_id = ANY (ids) ORDER BY id FOR NO KEY UPDATE) AS locked;
    IF ids IS NOT NULL THEN PERFORM rewrite_release_words(ids); END IF;
  END IF;
  INSERT INTO account_terms (account_id, version, library_percentile, youtube_percentile)
    SELECT id, terms_version, library_percentile, youtube_percentile FROM after
    ON CONFLICT DO NOTHING;
  RETURN NULL;
END $$;

CREATE OR REPLACE FUNCTION releases_inserted() RETURNS trigger
  LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
BEGIN
  PERFORM rewrite_titles('libraries', array_agg(id)) FROM inserted WHERE deleted_at IS NULL;
  PERFORM recount_barcodes(array_agg(barcode)) FROM inserted WHERE barcode IS NOT NULL AND deleted_at IS NULL HAVING count(*) > 0;
  -- Who renames the account meanwhile waits, and then meets these releases.
  PERFORM 1 FROM accounts WHERE id IN (SELECT account_id FROM inserted) ORDER BY id FOR SHARE;
  PERFORM rewrite_release_words(array_agg(id)) FROM inserted;
  RETURN NULL;
END $$;

CREATE OR REPLACE FUNCTION releases_updated() RETURNS trigger
  LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
DECLARE
  ids bigint[];
  codes text[];
BEGIN
  PERFORM rewrite_titles('libraries', array_agg(n.id)) FROM after n JOIN before o ON o.id = n.id
    WHERE (n.title, n.version, n.artist_name, n.account_id, n.deleted_at)
          IS DISTINCT FROM (o.title, o.version, o.artist_name, o.account_id, o.deleted_at);
  SELECT array_agg(o.barcode) || array_agg(n.barcode) INTO codes FROM after n JOIN before o ON o.id = n.id
   WHERE (n.barcode, n.deleted_at) IS DISTINCT FROM (o.barcode, o.deleted_at);
  IF codes IS NOT NULL THEN PERFORM recount_barcodes(codes); END IF;

  SELECT array_agg(n.id) INTO ids FROM after n JOIN before o ON o.id = n.id
   WHERE (n.status, n.title, n.artist_name, n.barcode, n.genre, n.account_id, n.created_at, n.deleted_at)
     IS DISTINCT FROM (o.status, o.title, o.artist_name, o.barcode, o.genre, o.account_id, o.created_at, o.deleted_at);
  IF ids IS NOT NULL THEN PERFORM rewrite_release_words(ids); END IF;

  -- May change which track an ISRC resolves to.
  SELECT array_agg(n.id) INTO ids FROM after n JOIN before o ON o.id = n.id
   WHERE (n.status IN ('delivered', 'closed')) <> (o.status IN ('delivered', 'closed'));
  IF ids IS NOT NULL THEN
    PERFORM pg_advisory_xact_lock_shared(hashtext('match_items'));
    SELECT array_agg(DISTINCT i.key) INTO codes
      FROM tracks t JOIN income_items i ON i.key = t.isrc
     WHERE t.release_id = ANY (ids) AND EXISTS (SELECT FROM tracks other WHERE other.isrc = t.isrc AND other.id <> t.id);
    IF codes IS NOT NULL THEN PERFORM match_items(codes); END IF;
  END IF;
  RETURN NULL;
END $$;

CREATE OR REPLACE FUNCTION tracks_inserted() RETURNS trigger
  LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
DECLARE
  codes text[];
BEGIN
  PERFORM rewrite_titles('tracks', array_agg(id)) FROM inserted WHERE deleted_at IS NULL;
  PERFORM recount_isrcs(array_agg(DISTINCT isrc)) FROM inserted WHERE isrc IS NOT NULL AND deleted_at IS NULL;
  PERFORM rewrite_track_words(array_agg(id)) FROM inserted;
  -- Also without a known item: a load may be about to commit one.
  PERFORM pg_advisory_xact_lock_shared(hashtext('match_items'));
  SELECT array_agg(DISTINCT i.key) INTO codes FROM inserted t JOIN income_items i ON i.key = t.isrc;
  IF codes IS NOT NULL THEN PERFORM match_items(codes); END IF;
  RETURN NULL;
END $$;

CREATE OR REPLACE FUNCTION tracks_updated() RETURNS trigger
  LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
DECLARE
  ids bigint[];
  codes text[];
BEGIN
  PERFORM rewrite_titles('tracks', array_agg(n.id)) FROM after n JOIN before o ON o.id = n.id
    WHERE (n.title, n.version, n.account_id, n.deleted_at) IS DISTINCT FROM (o.title, o.version, o.account_id, o.deleted_at);
  SELECT array_agg(o.isrc) || array_agg(n.isrc) INTO codes FROM after n JOIN before o ON o.id = n.id
   WHERE (n.isrc, n.deleted_at) IS DISTINCT FROM (o.isrc, o.deleted_at);
  IF codes IS NOT NULL THEN PERFORM recount_isrcs(codes); END IF;

  SELECT array_agg(n.id) INTO ids FROM after n JOIN before o ON o.id = n.id
   WHERE (n.title, n.deleted_at) IS DISTINCT FROM (o.title, o.deleted_at);
  IF ids IS NOT NULL THEN PERFORM rewrite_track_words(ids); END IF;
  SELECT array_agg(DISTINCT c.person_id) INTO ids
    FROM after n JOIN before o ON o.id = n.id JOIN track_credits c ON c.track_id = n.id
   WHERE (n.deleted_at IS NULL) <> (o.deleted_at IS NULL);
  IF ids IS NOT NULL THEN PERFORM rewrite_people_words(ids); END IF;

  PERFORM pg_advisory_xact_lock_shared(hashtext('match_items'));
  SELECT array_agg(DISTINCT i.key) INTO codes
    FROM after n JOIN before o ON o.id = n.id JOIN income_items i ON i.key IN (n.isrc, o.isrc)
   WHERE n.isrc IS DISTINCT FROM o.isrc OR n.account_id <> o.account_id OR n.release_id <> o.release_id;
  IF codes IS NOT NULL THEN PERFORM match_items(codes); END IF;
  -- Its income moves to the new release and account.
  SELECT array_agg(n.id), array_agg(n.isrc) INTO ids, codes FROM after n JOIN before o ON o.id = n.id
   WHERE (n.release_id, n.account_id) <> (o.release_id, o.account_id);
  IF ids IS NOT NULL THEN
    INSERT INTO analytics_marks (month)
    SELECT DISTINCT coalesce(st.accounting_month, s.month)
      FROM income_items i JOIN statement_sums s ON s.item = i.key JOIN statements st ON st.id = s.statement_id
     WHERE i.key = ANY (codes) OR i.alias_track_id = ANY (ids)
    UNION SELECT month FROM reports WHERE track_id = ANY (ids) AND reversed_at IS NULL;
  END IF;
  RETURN NULL;
END $$;

CREATE OR REPLACE FUNCTION track_credits_inserted() RETURNS trigger
  LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
BEGIN
  PERFORM rewrite_titles('tracks', array_agg(DISTINCT track_id)) FROM inserted WHERE kind = 'artist';
  -- Who is just taken off their last track is seen again after that.
  PERFORM 1 FROM people WHERE id IN (SELECT person_id FROM inserted) ORDER BY id FOR SHARE;
  INSERT INTO people_words (list, word, full_name, person_id)
    SELECT l.list, word, p.full_name, p.id
      FROM (SELECT DISTINCT list_of_credit(c.kind) AS list, c.person_id
              FROM inserted c JOIN tracks t ON t.id = c.track_id AND t.deleted_at IS NULL) AS l
      JOIN people p ON p.id = l.person_id
     CROSS JOIN unnest(array_append(words_of(p.full_name), '')) AS word
    ON CONFLICT DO NOTHING;
  RETURN NULL;
END $$;

CREATE OR REPLACE FUNCTION track_credits_deleted() RETURNS trigger
  LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
BEGIN
  PERFORM rewrite_titles('tracks', array_agg(DISTINCT track_id)) FROM deleted WHERE kind = 'artist';
  PERFORM rewrite_people_words(array_agg(DISTINCT person_id)) FROM deleted;
  RETURN NULL;
END $$;

CREATE OR REPLACE FUNCTION people_inserted() RETURNS trigger
  LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
BEGIN
  PERFORM rewrite_people_words(array_agg(id)) FROM inserted;
  RETURN NULL;
END $$;
