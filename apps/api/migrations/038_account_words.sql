-- Accounts are searched by words as releases and tracks are (022): names, company and e-mail, in the order of the list.

CREATE TABLE account_words (
  word text COLLATE "C" NOT NULL,
  last_name text NOT NULL,
  account_id bigint NOT NULL
);
REVOKE INSERT, UPDATE, DELETE ON account_words FROM regie_app;

CREATE FUNCTION words_of_account(first_name text, last_name text, company text, email citext) RETURNS text[]
  LANGUAGE sql IMMUTABLE PARALLEL SAFE
  RETURN public.words_of(concat_ws(' ', first_name, last_name, company, email::text));

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
CREATE TRIGGER accounts_add_own_words AFTER INSERT ON accounts
  REFERENCING NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION accounts_add_own_words();
CREATE TRIGGER accounts_change_own_words AFTER UPDATE ON accounts
  REFERENCING OLD TABLE AS before NEW TABLE AS after FOR EACH STATEMENT EXECUTE FUNCTION accounts_change_own_words();
CREATE TRIGGER accounts_drop_own_words AFTER DELETE ON accounts
  REFERENCING OLD TABLE AS gone FOR EACH STATEMENT EXECUTE FUNCTION accounts_drop_own_words();

-- What is there already; tables loaded without their triggers are filled the same way, beside fill_search_words.
CREATE FUNCTION fill_account_words() RETURNS void LANGUAGE sql SET search_path = public AS $$
  INSERT INTO account_words (word, last_name, account_id)
    SELECT word, a.last_name, a.id
      FROM accounts a CROSS JOIN unnest(words_of_account(a.first_name, a.last_name, a.company, a.email)) AS word;
$$;
REVOKE EXECUTE ON FUNCTION fill_account_words FROM PUBLIC;
SELECT fill_account_words();

ALTER TABLE account_words ADD PRIMARY KEY (word, last_name, account_id);
ALTER TABLE account_words SET (parallel_workers = 0);
CREATE INDEX account_words_account_idx ON account_words (account_id);

-- A payout is also looked for by its amount.
CREATE INDEX payouts_amount_idx ON payouts (amount_eur) WHERE deleted_at IS NULL;
