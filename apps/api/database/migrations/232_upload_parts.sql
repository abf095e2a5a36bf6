-- Where files are in a bucket, the chunks of an upload are objects there: any server can receive the next one.
CREATE TABLE upload_parts (
  upload_id bigint NOT NULL REFERENCES uploads (id) ON DELETE CASCADE,
  starts bigint NOT NULL CHECK (starts >= 0),
  storage_key text COLLATE "C" NOT NULL UNIQUE,
  PRIMARY KEY (upload_id, starts)
);
COMMENT ON COLUMN upload_parts.starts IS 'byte of the file that the object begins with; it ends where the next one begins';
