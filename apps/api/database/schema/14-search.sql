-- Each word is in a B-tree with its list's order: first pages cost the same at any size. Triggers write, the
-- application reads. A page costs less than parallel workers.

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

-- By the list of a credit on a live track; `all` has everybody, the empty word is the list itself.
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
