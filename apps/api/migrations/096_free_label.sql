-- The free digital label has one form: NULL.
UPDATE releases SET digital_label = NULL WHERE btrim(digital_label) = '';
ALTER TABLE releases ADD CHECK (btrim(digital_label) <> '');
COMMENT ON COLUMN releases.digital_label IS 'the label name that is paid for; NULL is the free digital label, or no choice yet where plan is NULL';
