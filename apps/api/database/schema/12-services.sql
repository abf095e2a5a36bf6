-- Smartlinks and claim tickets.

-- clicks sums smartlink_clicks: the list is sorted by it.
CREATE TABLE smartlinks (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  release_id bigint NOT NULL REFERENCES releases (id),
  slug text COLLATE "C" NOT NULL UNIQUE CHECK (slug ~ '^[a-z0-9]+(-[a-z0-9]+)*$' AND length(slug) <= 120),
  status text NOT NULL DEFAULT 'pending' CHECK (status IN ('pending', 'enabled')),
  created_at timestamptz NOT NULL DEFAULT now(),
  created_by bigint REFERENCES admins (id),
  updated_at timestamptz NOT NULL DEFAULT now(),
  clicks bigint NOT NULL DEFAULT 0 CHECK (clicks >= 0)
);
CREATE INDEX smartlinks_status_idx ON smartlinks (status, created_at, id);
CREATE INDEX smartlinks_release_idx ON smartlinks (release_id);
CREATE INDEX smartlinks_clicks_idx ON smartlinks (status, clicks, id);

CREATE TABLE smartlink_urls (
  smartlink_id bigint NOT NULL REFERENCES smartlinks (id) ON DELETE CASCADE,
  platform text NOT NULL CHECK (platform IN
    ('facebook', 'instagram', 'deezer', 'spotify', 'youtube', 'youtube-music', 'anghami', 'apple-music')),
  url text NOT NULL CHECK (url ~ '^https?://' AND length(url) <= 2000),
  PRIMARY KEY (smartlink_id, platform)
);

-- Clicks without personal data.
CREATE TABLE smartlink_clicks (
  smartlink_id bigint NOT NULL REFERENCES smartlinks (id) ON DELETE CASCADE,
  day date NOT NULL,
  platform text NOT NULL,
  clicks bigint NOT NULL CHECK (clicks > 0),
  PRIMARY KEY (smartlink_id, day, platform)
);

CREATE TABLE tickets (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  title text NOT NULL CHECK (length(title) BETWEEN 1 AND 300),
  status text NOT NULL DEFAULT 'opened' CHECK (status IN ('opened', 'closed')),
  url text NOT NULL CHECK (length(url) BETWEEN 1 AND 2000),
  start_seconds integer CHECK (start_seconds >= 0),
  end_seconds integer CHECK (end_seconds >= 0),
  is_claimed boolean NOT NULL DEFAULT false,
  is_protected boolean NOT NULL DEFAULT false,
  account_id bigint REFERENCES accounts (id),
  track_id bigint REFERENCES tracks (id),
  created_at timestamptz NOT NULL DEFAULT now(),
  updated_at timestamptz NOT NULL DEFAULT now(),
  created_by bigint REFERENCES admins (id),
  search text GENERATED ALWAYS AS (fold(title || ' ' || url)) STORED,
  note text NOT NULL DEFAULT '' CHECK (length(note) <= 2000),
  CHECK (end_seconds IS NULL OR start_seconds IS NULL OR end_seconds >= start_seconds)
);
-- Staff open the link. Not valid for rows from before the check.
ALTER TABLE tickets ADD CONSTRAINT tickets_url_web CHECK (url ~* '^https?://') NOT VALID;
CREATE INDEX tickets_status_idx ON tickets (status, id);
CREATE INDEX tickets_account_idx ON tickets (account_id) WHERE account_id IS NOT NULL;
CREATE INDEX tickets_search_idx ON tickets USING gin (search gin_trgm_ops);
CREATE INDEX tickets_track_idx ON tickets (track_id) WHERE track_id IS NOT NULL;
