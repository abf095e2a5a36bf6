-- Extensions and the application's rights. The owner migrates and runs the jobs; the application logs in as regie_app, which
-- exists before this file runs.

CREATE EXTENSION IF NOT EXISTS pg_trgm;
CREATE EXTENSION IF NOT EXISTS unaccent;
CREATE EXTENSION IF NOT EXISTS citext;

-- The application may read and write every table, unless the table's file revokes that.
GRANT USAGE ON SCHEMA public TO regie_app;
ALTER DEFAULT PRIVILEGES IN SCHEMA public GRANT SELECT, INSERT, UPDATE, DELETE ON TABLES TO regie_app;
ALTER DEFAULT PRIVILEGES IN SCHEMA public GRANT USAGE ON SEQUENCES TO regie_app;

-- A function with the owner's rights should end its search_path with pg_temp, or a caller's temporary tables are found before
-- the real ones.
