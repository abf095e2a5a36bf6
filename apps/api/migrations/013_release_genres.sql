-- A list filtered by genre is counted and read in its order without looking at the releases of other genres.
CREATE INDEX releases_genre_idx ON releases (status, genre, created_at, id) WHERE deleted_at IS NULL;
