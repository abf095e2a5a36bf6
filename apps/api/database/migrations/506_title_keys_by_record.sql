-- With the scope first, it was taken for the lookup of a key while the table had no statistics: each of thousands of
-- keys read all rows of its scope.
DROP INDEX title_keys_record_idx;
CREATE INDEX title_keys_record_idx ON title_keys (record_id);
