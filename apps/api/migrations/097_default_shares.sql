-- What a new account starts with is a setting of the house: the service writes it.
ALTER TABLE accounts ALTER COLUMN library_percentile DROP DEFAULT, ALTER COLUMN youtube_percentile DROP DEFAULT;
