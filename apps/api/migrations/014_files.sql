-- The nightly job asks of each file who still uses it, and removing a file's row asks it again.
CREATE INDEX releases_cover_file_idx ON releases (cover_file_id) WHERE cover_file_id IS NOT NULL;
CREATE INDEX tracks_audio_file_idx ON tracks (audio_file_id) WHERE audio_file_id IS NOT NULL;
CREATE INDEX files_binned_idx ON files (binned_at) WHERE binned_at IS NOT NULL;
