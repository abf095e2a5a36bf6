-- Slices of a large text that is being read, each by whichever worker is free (docs/decisions/460). They go with the load.
CREATE TABLE statement_slices (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  statement_id bigint NOT NULL REFERENCES statements (id) ON DELETE CASCADE,
  number integer NOT NULL CHECK (number >= 0),
  start_byte bigint NOT NULL,
  end_byte bigint NOT NULL CHECK (end_byte > start_byte),
  plan text NOT NULL,
  -- Set when it was read: what it has beside its lines, which are an object of the storage.
  seen jsonb,
  storage_key text,
  places text,
  is_unfit boolean NOT NULL DEFAULT false,
  created_at timestamptz NOT NULL DEFAULT now(),
  UNIQUE (statement_id, number),
  CHECK ((seen IS NULL) = (storage_key IS NULL) AND (seen IS NULL) = (places IS NULL))
);
REVOKE INSERT, UPDATE, DELETE ON statement_slices FROM regie_app;
COMMENT ON COLUMN statement_slices.plan IS 'digest of all that decides how the rows are read; other slices are read anew';
COMMENT ON COLUMN statement_slices.is_unfit IS 'its rows cannot be read without those of others: the file is read as a whole';
