-- Audio: files on their way here, and what is known of those that arrived.

-- One row per (admin, track, name, size): that is what an upload is (decisions §4).
CREATE TABLE uploads (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  admin_id bigint NOT NULL REFERENCES admins (id),
  track_id bigint NOT NULL REFERENCES tracks (id),
  file_name text NOT NULL CHECK (length(file_name) BETWEEN 1 AND 255),
  size_bytes bigint NOT NULL CHECK (size_bytes > 0),
  received bigint NOT NULL CHECK (received >= 0 AND received < size_bytes),
  spool_name text COLLATE "C" NOT NULL UNIQUE,
  started_at timestamptz NOT NULL DEFAULT now(),
  touched_at timestamptz NOT NULL DEFAULT now(),
  UNIQUE (admin_id, track_id, file_name, size_bytes)
);
CREATE INDEX uploads_touched_idx ON uploads (touched_at);
COMMENT ON COLUMN uploads.received IS 'bytes that the spool file is known to hold; it may hold more, which count for nothing';
COMMENT ON COLUMN uploads.spool_name IS 'name in the folder of uploads; another one each time an upload begins anew';

ALTER TABLE files
  ADD COLUMN peak_amplitude real CHECK (peak_amplitude >= 0),
  ADD COLUMN clipped_runs bigint CHECK (clipped_runs >= 0),
  ADD COLUMN is_clipped boolean,
  ADD COLUMN is_silent boolean;
COMMENT ON COLUMN files.peak_amplitude IS 'largest sample of an audio file, 1 being full scale; float files may go beyond';
COMMENT ON COLUMN files.clipped_runs IS 'how often three or more samples of one channel in a row stand at full scale';
COMMENT ON COLUMN files.is_clipped IS 'at least ten such runs';
COMMENT ON COLUMN files.is_silent IS 'no sample above -60 dBFS';
