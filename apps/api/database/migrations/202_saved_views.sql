-- A list's search, sorting and columns under a name, per admin.
CREATE TABLE saved_views (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  admin_id bigint NOT NULL REFERENCES admins (id),
  list text COLLATE "C" NOT NULL CHECK (length(list) BETWEEN 1 AND 100),
  name text NOT NULL CHECK (length(name) BETWEEN 1 AND 60),
  search text NOT NULL CHECK (length(search) <= 4000),
  created_at timestamptz NOT NULL DEFAULT now()
);
CREATE UNIQUE INDEX saved_views_name_idx ON saved_views (admin_id, list, lower(name));
