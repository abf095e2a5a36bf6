-- The owner migrates and runs the jobs; the application logs in as regie_app, which exists before this file runs.

CREATE EXTENSION IF NOT EXISTS pg_trgm;
CREATE EXTENSION IF NOT EXISTS unaccent;
CREATE EXTENSION IF NOT EXISTS citext;

-- A table's file may revoke rights.
GRANT USAGE ON SCHEMA public TO regie_app;
ALTER DEFAULT PRIVILEGES IN SCHEMA public GRANT SELECT, INSERT, UPDATE, DELETE ON TABLES TO regie_app;
ALTER DEFAULT PRIVILEGES IN SCHEMA public GRANT USAGE ON SEQUENCES TO regie_app;

-- Functions with the owner's rights end their search_path with pg_temp, or a caller's temporary tables are found first.
