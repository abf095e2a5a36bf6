-- Which presets read a statement that staff validated.
CREATE INDEX statements_proven_idx ON statements (preset) WHERE checked_at IS NOT NULL;
