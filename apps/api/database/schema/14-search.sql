-- Searching by words. Each word is in a B-tree with the order of its list, so the first page of a common word, of a rare one
-- and of a prefix costs the same at any size. Triggers keep the words; the application only reads them. Reading one page
-- costs less than starting parallel workers for it.

-- Live releases: title, artist, barcode, and the names of the account.
CREATE TABLE release_words (
  status text COLLATE "C" NOT NULL,
  word text COLLATE "C" NOT NULL,
  created_at timestamptz NOT NULL,
  release_id bigint NOT NULL,
  genre text,
  PRIMARY KEY (status, word, created_at, release_id) INCLUDE (genre)
) WITH (parallel_workers = 0);
CREATE INDEX release_words_release_idx ON release_words (release_id);
REVOKE INSERT, UPDATE, DELETE ON release_words FROM regie_app;
COMMENT ON COLUMN release_words.genre IS 'so that a word within a genre is counted without looking at its releases';

-- Live tracks: title.
CREATE TABLE track_words (
  word text COLLATE "C" NOT NULL,
  title text NOT NULL,
  track_id bigint NOT NULL,
  PRIMARY KEY (word, title, track_id)
) WITH (parallel_workers = 0);
CREATE INDEX track_words_track_idx ON track_words (track_id);
REVOKE INSERT, UPDATE, DELETE ON track_words FROM regie_app;

-- People, by the list of the library that a credit on a live track puts them in; the list `all` has everybody. The empty
-- word is the list itself.
CREATE TABLE people_words (
  list text COLLATE "C" NOT NULL CHECK (list IN ('all', 'artists', 'contributors', 'editors')),
  word text COLLATE "C" NOT NULL,
  full_name text NOT NULL,
  person_id bigint NOT NULL,
  PRIMARY KEY (list, word, full_name, person_id)
) WITH (parallel_workers = 0);
CREATE INDEX people_words_person_idx ON people_words (person_id);
REVOKE INSERT, UPDATE, DELETE ON people_words FROM regie_app;

-- Accounts: names, company and e-mail.
CREATE TABLE account_words (
  word text COLLATE "C" NOT NULL,
  last_name text NOT NULL,
  account_id bigint NOT NULL,
  PRIMARY KEY (word, last_name, account_id)
) WITH (parallel_workers = 0);
CREATE INDEX account_words_account_idx ON account_words (account_id);
REVOKE INSERT, UPDATE, DELETE ON account_words FROM regie_app;

CREATE TRIGGER accounts_change_words AFTER UPDATE ON accounts
  REFERENCING OLD TABLE AS before NEW TABLE AS after FOR EACH STATEMENT EXECUTE FUNCTION accounts_change_words();
CREATE TRIGGER accounts_add_own_words AFTER INSERT ON accounts
  REFERENCING NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION accounts_add_own_words();
CREATE TRIGGER accounts_change_own_words AFTER UPDATE ON accounts
  REFERENCING OLD TABLE AS before NEW TABLE AS after FOR EACH STATEMENT EXECUTE FUNCTION accounts_change_own_words();
CREATE TRIGGER accounts_drop_own_words AFTER DELETE ON accounts
  REFERENCING OLD TABLE AS gone FOR EACH STATEMENT EXECUTE FUNCTION accounts_drop_own_words();
CREATE TRIGGER releases_add_words AFTER INSERT ON releases
  REFERENCING NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION releases_add_words();
CREATE TRIGGER releases_change_words AFTER UPDATE ON releases
  REFERENCING OLD TABLE AS before NEW TABLE AS after FOR EACH STATEMENT EXECUTE FUNCTION releases_change_words();
CREATE TRIGGER releases_drop_words AFTER DELETE ON releases
  REFERENCING OLD TABLE AS gone FOR EACH STATEMENT EXECUTE FUNCTION releases_drop_words();
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
