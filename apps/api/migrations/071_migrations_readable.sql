-- A web process has no owner's login: it reads whether the database is at its level.
GRANT SELECT ON kysely_migration TO regie_app;
