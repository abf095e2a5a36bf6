-- Triggers of other areas follow these tables: income items (09), insight (10), duplicates (13), search words (14).

CREATE TABLE files (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  storage_key text COLLATE "C" NOT NULL UNIQUE,
  kind text NOT NULL CHECK (kind IN ('cover', 'audio', 'statement', 'document', 'lines')),
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
  binned_at timestamptz,
  peak_amplitude real CHECK (peak_amplitude >= 0),
  clipped_runs bigint CHECK (clipped_runs >= 0),
  is_clipped boolean,
  is_silent boolean
);
CREATE INDEX files_binned_idx ON files (binned_at) WHERE binned_at IS NOT NULL;
COMMENT ON COLUMN files.binned_at IS 'no longer used since; removed 30 days later';
COMMENT ON COLUMN files.peaks IS 'waveform of an audio file, one signed byte pair per step';
COMMENT ON COLUMN files.peak_amplitude IS 'largest sample of an audio file, 1 being full scale; float files may go beyond';
COMMENT ON COLUMN files.clipped_runs IS 'how often three or more samples of one channel in a row stand at full scale';
COMMENT ON COLUMN files.is_clipped IS 'at least ten such runs';
COMMENT ON COLUMN files.is_silent IS 'no sample above -60 dBFS';

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
  UNIQUE (id, account_id),
  CHECK (btrim(digital_label) <> '')
);
REVOKE DELETE ON releases FROM regie_app;
CREATE INDEX releases_account_idx ON releases (account_id);
-- The lists of releases: one index for each order and filter.
CREATE INDEX releases_status_idx ON releases (status, created_at, id) WHERE deleted_at IS NULL;
CREATE INDEX releases_title_idx ON releases (status, title, id) WHERE deleted_at IS NULL;
CREATE INDEX releases_genre_idx ON releases (status, genre, created_at, id) WHERE deleted_at IS NULL;
CREATE INDEX releases_artist_idx ON releases (status, coalesce(artist_name, ''), id) WHERE deleted_at IS NULL;
CREATE INDEX releases_account_list_idx ON releases (account_id, status, created_at, id) WHERE deleted_at IS NULL;
-- The nightly file job, and the foreign key.
CREATE INDEX releases_cover_file_idx ON releases (cover_file_id) WHERE cover_file_id IS NOT NULL;
CREATE INDEX releases_barcode_idx ON releases (barcode);
-- The tools page: releases without a barcode or with a wrong one.
CREATE INDEX releases_without_barcode_idx ON releases (title, id) WHERE barcode IS NULL AND deleted_at IS NULL;
CREATE INDEX releases_without_barcode_order_idx ON releases (id) WHERE barcode IS NULL AND deleted_at IS NULL;
CREATE INDEX releases_wrong_barcode_idx ON releases (title, id) WHERE NOT is_barcode(barcode) AND deleted_at IS NULL;
CREATE INDEX releases_wrong_barcode_order_idx ON releases (id) WHERE NOT is_barcode(barcode) AND deleted_at IS NULL;
-- Spreadsheets drop leading zeros of a GTIN.
CREATE INDEX releases_gtin_idx ON releases ((ltrim(barcode, '0')));
COMMENT ON COLUMN releases.territories IS 'ISO 3166 alpha-2 codes, or the single word all';
COMMENT ON COLUMN releases.barcode IS 'digits; imports keep one whose check digit is wrong, forms refuse it';
COMMENT ON COLUMN releases.language IS 'ISO 639 code (zxx: no words), or what was written where no code is known';
COMMENT ON COLUMN releases.digital_label IS 'the label name that is paid for; NULL is the free digital label, or no choice yet where plan is NULL';

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
  -- Imports find the account with the ISRC; this key keeps both equal.
  FOREIGN KEY (release_id, account_id) REFERENCES releases (id, account_id) ON UPDATE CASCADE
);
REVOKE DELETE ON tracks FROM regie_app;
CREATE INDEX tracks_release_idx ON tracks (release_id, position);
CREATE INDEX tracks_isrc_idx ON tracks (isrc) INCLUDE (account_id, id) WHERE isrc IS NOT NULL;
CREATE INDEX tracks_account_idx ON tracks (account_id);
CREATE INDEX tracks_search_idx ON tracks USING gin (search gin_trgm_ops);
CREATE INDEX tracks_audio_file_idx ON tracks (audio_file_id) WHERE audio_file_id IS NOT NULL;
CREATE INDEX tracks_title_idx ON tracks (title, id) WHERE deleted_at IS NULL;
-- Tracks are counted from credits, minus the few deleted ones.
CREATE INDEX tracks_deleted_idx ON tracks (id) WHERE deleted_at IS NOT NULL;
-- The tools page: tracks without an ISRC.
CREATE INDEX tracks_without_isrc_idx ON tracks (title, id) WHERE isrc IS NULL AND deleted_at IS NULL;
CREATE INDEX tracks_without_isrc_order_idx ON tracks (id) WHERE isrc IS NULL AND deleted_at IS NULL;
COMMENT ON COLUMN tracks.isrc IS 'normalised: upper case, no prefix word, hyphens or spaces; not unique, the tools page finds duplicates';
COMMENT ON COLUMN tracks.language IS 'ISO 639 code (zxx: no words), or what was written where no code is known';

CREATE TABLE people (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  full_name text NOT NULL CHECK (length(full_name) BETWEEN 1 AND 200),
  spotify_id text CHECK (spotify_id ~ '^[0-7][0-9A-Za-z]{21}$'),
  apple_music_id text CHECK (apple_music_id ~ '^[0-9]{1,20}$'),
  created_at timestamptz NOT NULL DEFAULT now(),
  search text GENERATED ALWAYS AS (fold(full_name)) STORED,
  is_artist boolean NOT NULL DEFAULT false
);
REVOKE UPDATE, DELETE ON people FROM regie_app;
GRANT UPDATE (spotify_id, apple_music_id) ON people TO regie_app;
CREATE INDEX people_name_idx ON people (full_name, id);
-- Typed names match by their folded form.
CREATE INDEX people_folded_idx ON people (search, id);
COMMENT ON COLUMN people.is_artist IS 'entered as an artist: listed as one before a track credits them';

CREATE TABLE track_credits (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  track_id bigint NOT NULL REFERENCES tracks (id),
  person_id bigint NOT NULL REFERENCES people (id),
  kind text NOT NULL CHECK (kind IN ('artist', 'contributor', 'musician', 'editor')),
  role text NOT NULL CHECK (length(role) BETWEEN 1 AND 80),
  position integer NOT NULL DEFAULT 0,
  UNIQUE (track_id, person_id, kind, role)
);
REVOKE UPDATE ON track_credits FROM regie_app;
CREATE INDEX track_credits_person_idx ON track_credits (person_id, kind, track_id) INCLUDE (role);

-- One upload is one (admin, name, size, target) (product §34.12).
CREATE TABLE uploads (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  admin_id bigint NOT NULL REFERENCES admins (id),
  kind text COLLATE "C" NOT NULL CHECK (kind IN ('audio', 'statement')),
  track_id bigint REFERENCES tracks (id),
  replaces bigint,
  file_name text NOT NULL CHECK (length(file_name) BETWEEN 1 AND 255),
  size_bytes bigint NOT NULL CHECK (size_bytes > 0),
  received bigint NOT NULL DEFAULT 0 CHECK (received >= 0 AND received < size_bytes),
  spool_name text COLLATE "C" NOT NULL UNIQUE,
  started_at timestamptz NOT NULL DEFAULT now(),
  touched_at timestamptz NOT NULL DEFAULT now(),
  CHECK ((kind = 'audio') = (track_id IS NOT NULL)),
  CHECK (kind = 'statement' OR replaces IS NULL),
  UNIQUE NULLS NOT DISTINCT (admin_id, file_name, size_bytes, kind, track_id)
);
CREATE INDEX uploads_touched_idx ON uploads (touched_at);
COMMENT ON COLUMN uploads.replaces IS 'the statement that this one corrects';
COMMENT ON COLUMN uploads.received IS 'bytes that the spool file is known to hold; it may hold more, which count for nothing';
COMMENT ON COLUMN uploads.spool_name IS 'name in the folder of uploads; another one each time an upload begins anew';
-- In a bucket, chunks are objects: any server can receive the next one.
CREATE TABLE upload_parts (
  upload_id bigint NOT NULL REFERENCES uploads (id) ON DELETE CASCADE,
  starts bigint NOT NULL CHECK (starts >= 0),
  storage_key text COLLATE "C" NOT NULL UNIQUE,
  PRIMARY KEY (upload_id, starts)
);
COMMENT ON COLUMN upload_parts.starts IS 'byte of the file that the object begins with; it ends where the next one begins';
