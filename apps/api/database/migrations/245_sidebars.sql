-- The sidebar as an admin arranges it: the addresses of pinned entries, and the sections that are folded.
CREATE TABLE sidebars (
  admin_id bigint PRIMARY KEY REFERENCES admins (id),
  favourites text[] NOT NULL CHECK (cardinality(favourites) <= 100),
  folded text[] NOT NULL CHECK (cardinality(folded) <= 100)
);
