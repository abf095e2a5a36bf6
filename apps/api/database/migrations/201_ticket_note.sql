ALTER TABLE tickets ADD COLUMN note text NOT NULL DEFAULT '' CHECK (length(note) <= 2000);
