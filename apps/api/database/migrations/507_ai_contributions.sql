-- How much generative AI made, as declared by the customer; NULL is not declared.
ALTER TABLE tracks
  ADD COLUMN recording_ai text CHECK (recording_ai IN ('none', 'partly', 'all')),
  ADD COLUMN composition_ai text CHECK (composition_ai IN ('none', 'partly', 'all'));
ALTER TABLE releases ADD COLUMN cover_ai text CHECK (cover_ai IN ('none', 'partly', 'all'));
