-- Customers, what they released, who made it, and the files that go with it.

-- Percentages and referrals change while an import runs; an import must see them as they stood at its first
-- batch. Every change takes a number from this sequence under the exclusive form of the lock that an import
-- takes in its shared form when it notes its own number, so "changed before" is never in doubt.
CREATE SEQUENCE terms_versions;

CREATE TABLE accounts (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  first_name text NOT NULL DEFAULT '' CHECK (length(first_name) <= 50),
  last_name text NOT NULL DEFAULT '' CHECK (length(last_name) <= 50),
  email citext CHECK (length(email) <= 254),
  company text CHECK (length(company) <= 120),
  address text CHECK (length(address) <= 120),
  address2 text CHECK (length(address2) <= 120),
  city text CHECK (length(city) <= 50),
  postcode text CHECK (length(postcode) <= 20),
  country text CHECK (length(country) <= 80),
  vat_number text CHECK (length(vat_number) <= 40),
  timezone text CHECK (length(timezone) <= 40),
  role text NOT NULL DEFAULT 'customer' CHECK (role IN ('customer', 'label')),
  state text NOT NULL DEFAULT 'enabled' CHECK (state IN ('enabled', 'hold', 'disabled')),
  library_percentile numeric(5, 2) NOT NULL DEFAULT 80 CHECK (library_percentile BETWEEN 0 AND 100),
  youtube_percentile numeric(5, 2) NOT NULL DEFAULT 80 CHECK (youtube_percentile BETWEEN 0 AND 100),
  terms_version bigint NOT NULL DEFAULT 0,
  memo text CHECK (length(memo) <= 5000),
  created_at timestamptz NOT NULL DEFAULT now(),
  updated_at timestamptz NOT NULL DEFAULT now(),
  search text GENERATED ALWAYS AS (
    fold(first_name || ' ' || last_name || ' ' || coalesce(company, '') || ' ' || coalesce(email::text, ''))
  ) STORED
);
CREATE INDEX accounts_name_idx ON accounts (last_name, id);
CREATE INDEX accounts_search_idx ON accounts USING gin (search gin_trgm_ops);
COMMENT ON COLUMN accounts.library_percentile IS 'percent of every income of a platform report that the account keeps';
COMMENT ON COLUMN accounts.youtube_percentile IS 'the same for video-platform reports';
COMMENT ON COLUMN accounts.terms_version IS 'from terms_versions: since when the two percentages hold';

-- Every pair of percentages an account ever had, the present one included.
CREATE TABLE account_terms (
  account_id bigint NOT NULL REFERENCES accounts (id),
  version bigint NOT NULL,
  library_percentile numeric(5, 2) NOT NULL,
  youtube_percentile numeric(5, 2) NOT NULL,
  PRIMARY KEY (account_id, version)
);
REVOKE INSERT, UPDATE, DELETE ON account_terms FROM regie_app;

CREATE FUNCTION lock_terms() RETURNS bigint LANGUAGE plpgsql AS $$
BEGIN
  PERFORM pg_advisory_xact_lock(7243, 1);
  RETURN nextval('terms_versions');
END $$;
COMMENT ON FUNCTION lock_terms IS 'Number of a change to percentages or referrals; held until the transaction ends';

CREATE FUNCTION freeze_terms() RETURNS bigint LANGUAGE plpgsql AS $$
BEGIN
  PERFORM pg_advisory_xact_lock_shared(7243, 1);
  RETURN nextval('terms_versions');
END $$;
COMMENT ON FUNCTION freeze_terms IS 'Number at which an import sees percentages and referrals';

CREATE FUNCTION accounts_number_terms() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  -- One row of a bulk load locks for all of them; a new account cannot yet be in any import.
  IF TG_OP = 'INSERT' OR (NEW.library_percentile, NEW.youtube_percentile)
    IS DISTINCT FROM (OLD.library_percentile, OLD.youtube_percentile) THEN
    NEW.terms_version := lock_terms();
  ELSE
    NEW.terms_version := OLD.terms_version;
  END IF;
  RETURN NEW;
END $$;
CREATE TRIGGER accounts_number_terms BEFORE INSERT OR UPDATE ON accounts
  FOR EACH ROW EXECUTE FUNCTION accounts_number_terms();

CREATE FUNCTION accounts_keep_terms() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path = public AS $$
BEGIN
  INSERT INTO account_terms (account_id, version, library_percentile, youtube_percentile)
    SELECT id, terms_version, library_percentile, youtube_percentile FROM changed
    ON CONFLICT DO NOTHING;
  RETURN NULL;
END $$;
CREATE TRIGGER accounts_keep_terms_on_insert AFTER INSERT ON accounts
  REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION accounts_keep_terms();
CREATE TRIGGER accounts_keep_terms_on_update AFTER UPDATE ON accounts
  REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION accounts_keep_terms();

-- Who brought whom: the referrer gets a percentage of the referred account's net, out of the platform's share.
CREATE TABLE referrals (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  referrer_id bigint NOT NULL REFERENCES accounts (id),
  referred_id bigint NOT NULL REFERENCES accounts (id),
  percentile numeric(5, 2) NOT NULL CHECK (percentile BETWEEN 0 AND 100),
  created_version bigint NOT NULL DEFAULT lock_terms(),
  deleted_version bigint,
  created_at timestamptz NOT NULL DEFAULT now(),
  deleted_at timestamptz,
  CHECK (referrer_id <> referred_id),
  CHECK ((deleted_version IS NULL) = (deleted_at IS NULL))
);
CREATE UNIQUE INDEX referrals_pair_key ON referrals (referrer_id, referred_id) WHERE deleted_at IS NULL;
CREATE INDEX referrals_referred_idx ON referrals (referred_id);
REVOKE DELETE ON referrals FROM regie_app;
COMMENT ON COLUMN referrals.created_version IS 'imports with a later terms_version see this referral, until deleted_version';

CREATE TABLE files (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  storage_key text COLLATE "C" NOT NULL UNIQUE,
  kind text NOT NULL CHECK (kind IN ('cover', 'audio', 'statement', 'document')),
  original_name text NOT NULL CHECK (length(original_name) <= 255),
  content_type text NOT NULL,
  size_bytes bigint NOT NULL CHECK (size_bytes >= 0),
  sha256 bytea NOT NULL CHECK (length(sha256) = 32),
  width integer,
  height integer,
  duration_ms bigint,
  sample_rate_hz integer,
  bit_depth integer,
  channels integer,
  peaks bytea,
  created_by bigint REFERENCES admins (id),
  created_at timestamptz NOT NULL DEFAULT now(),
  binned_at timestamptz
);
COMMENT ON COLUMN files.binned_at IS 'no longer used since; removed 30 days later';
COMMENT ON COLUMN files.peaks IS 'waveform of an audio file, one signed byte pair per step';

CREATE TABLE releases (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  account_id bigint NOT NULL REFERENCES accounts (id),
  title text NOT NULL CHECK (length(title) BETWEEN 1 AND 500),
  version text CHECK (length(version) <= 200),
  artist_name text CHECK (length(artist_name) <= 500),
  label text NOT NULL DEFAULT '' CHECK (length(label) <= 200),
  status text NOT NULL DEFAULT 'pending'
    CHECK (status IN ('draft', 'pending', 'opened', 'paid', 'delivered', 'closed', 'cancelled')),
  note text CHECK (length(note) <= 5000),
  language text CHECK (length(language) <= 60),
  genre text CHECK (length(genre) <= 60),
  subgenre text CHECK (length(subgenre) <= 60),
  original_release_date date,
  digital_release_date date,
  publisher_link text CHECK (length(publisher_link) <= 500),
  recording_year smallint CHECK (recording_year BETWEEN 1860 AND 2200),
  recording_owner text CHECK (length(recording_owner) <= 200),
  cover_file_id bigint REFERENCES files (id),
  cover_owner text CHECK (length(cover_owner) <= 200),
  cover_year smallint CHECK (cover_year BETWEEN 1860 AND 2200),
  barcode text COLLATE "C" CHECK (barcode ~ '^[0-9]{1,20}$'),
  catalog_number text CHECK (length(catalog_number) <= 100),
  digital_label text CHECK (length(digital_label) <= 200),
  digital_genre text CHECK (length(digital_genre) <= 60),
  digital_subgenre text CHECK (length(digital_subgenre) <= 60),
  plan text CHECK (plan IN ('single', 'ep', 'album', 'label')),
  has_express_delivery boolean NOT NULL DEFAULT false,
  territories text[] NOT NULL DEFAULT '{all}',
  platforms text[] NOT NULL DEFAULT '{}',
  created_at timestamptz NOT NULL DEFAULT now(),
  updated_at timestamptz NOT NULL DEFAULT now(),
  deleted_at timestamptz,
  search text GENERATED ALWAYS AS (fold(title || ' ' || coalesce(artist_name, '') || ' ' || coalesce(barcode, ''))) STORED,
  UNIQUE (id, account_id)
);
CREATE INDEX releases_account_idx ON releases (account_id);
CREATE INDEX releases_status_idx ON releases (status, created_at, id) WHERE deleted_at IS NULL;
CREATE INDEX releases_barcode_idx ON releases (barcode);
CREATE INDEX releases_search_idx ON releases USING gin (search gin_trgm_ops);
COMMENT ON COLUMN releases.territories IS 'ISO 3166 alpha-2 codes, or the single word all';
COMMENT ON COLUMN releases.barcode IS 'digits; imports keep one whose check digit is wrong, forms refuse it';

CREATE TABLE tracks (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  release_id bigint NOT NULL,
  account_id bigint NOT NULL,
  position integer NOT NULL CHECK (position >= 0),
  title text NOT NULL CHECK (length(title) BETWEEN 1 AND 500),
  version text CHECK (length(version) <= 200),
  isrc text COLLATE "C" CHECK (isrc ~ '^[A-Z]{2}[A-Z0-9]{3}[0-9]{7}$'),
  language text CHECK (length(language) <= 60),
  has_no_voice boolean NOT NULL DEFAULT false,
  genre text CHECK (length(genre) <= 60),
  subgenre text CHECK (length(subgenre) <= 60),
  recording_year smallint CHECK (recording_year BETWEEN 1860 AND 2200),
  recording_owner text CHECK (length(recording_owner) <= 200),
  preview_start_seconds integer CHECK (preview_start_seconds >= 0),
  youtube_video_id text CHECK (length(youtube_video_id) <= 40),
  audio_file_id bigint REFERENCES files (id),
  created_at timestamptz NOT NULL DEFAULT now(),
  updated_at timestamptz NOT NULL DEFAULT now(),
  deleted_at timestamptz,
  search text GENERATED ALWAYS AS (fold(title || ' ' || coalesce(isrc, ''))) STORED,
  -- The owner stands on the track too, so that an import finds it with the ISRC; the key keeps both alike.
  FOREIGN KEY (release_id, account_id) REFERENCES releases (id, account_id) ON UPDATE CASCADE
);
CREATE INDEX tracks_release_idx ON tracks (release_id, position);
CREATE INDEX tracks_isrc_idx ON tracks (isrc) INCLUDE (account_id, id) WHERE isrc IS NOT NULL;
CREATE INDEX tracks_account_idx ON tracks (account_id);
CREATE INDEX tracks_search_idx ON tracks USING gin (search gin_trgm_ops);
COMMENT ON COLUMN tracks.isrc IS 'normalised: upper case, no prefix word, hyphens or spaces; not unique, the tools page finds doubles';

CREATE TABLE people (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  full_name text NOT NULL CHECK (length(full_name) BETWEEN 1 AND 200),
  spotify_id text CHECK (spotify_id ~ '^[0-7][0-9A-Za-z]{21}$'),
  apple_music_id text CHECK (apple_music_id ~ '^[0-9]{1,20}$'),
  created_at timestamptz NOT NULL DEFAULT now(),
  search text GENERATED ALWAYS AS (fold(full_name)) STORED
);
CREATE INDEX people_search_idx ON people USING gin (search gin_trgm_ops);
CREATE INDEX people_name_idx ON people (full_name, id);

CREATE TABLE track_credits (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  track_id bigint NOT NULL REFERENCES tracks (id),
  person_id bigint NOT NULL REFERENCES people (id),
  kind text NOT NULL CHECK (kind IN ('artist', 'contributor', 'musician', 'editor')),
  role text NOT NULL CHECK (length(role) BETWEEN 1 AND 80),
  position integer NOT NULL DEFAULT 0,
  UNIQUE (track_id, person_id, kind, role)
);
CREATE INDEX track_credits_person_idx ON track_credits (person_id, kind);
