-- Where lines of a statement's file begin, one about each megabyte, so that a jump into the file need not read what stands before.
-- Noted while the file is read, of plain text only; without them the file is read from its beginning.
CREATE TABLE statement_line_offsets (
  statement_id bigint NOT NULL REFERENCES statements (id),
  line bigint NOT NULL CHECK (line > 1),
  byte_offset bigint NOT NULL CHECK (byte_offset > 0),
  PRIMARY KEY (statement_id, line)
);
REVOKE INSERT, UPDATE, DELETE ON statement_line_offsets FROM regie_app;
