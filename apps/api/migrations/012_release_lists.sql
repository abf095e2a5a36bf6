-- The lists of releases stand in the order of their titles too; a person typed anew is found by the folded name.
CREATE INDEX releases_title_idx ON releases (status, title, id) WHERE deleted_at IS NULL;
CREATE INDEX people_folded_idx ON people (search, id);
