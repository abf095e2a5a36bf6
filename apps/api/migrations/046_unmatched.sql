-- The inbox of income without a track: items in the order in which they came, and those that have no track at once.
ALTER TABLE income_items ADD COLUMN id bigint NOT NULL GENERATED ALWAYS AS IDENTITY UNIQUE;
CREATE INDEX income_items_unmatched_idx ON income_items (id) WHERE unmatched IS NOT NULL;
