-- See functions/catalogue.sql and statements.sql.
CREATE TRIGGER accounts_inserted AFTER INSERT ON accounts
  REFERENCING NEW TABLE AS inserted FOR EACH STATEMENT EXECUTE FUNCTION accounts_inserted();
CREATE TRIGGER accounts_updated AFTER UPDATE ON accounts
  REFERENCING OLD TABLE AS before NEW TABLE AS after FOR EACH STATEMENT EXECUTE FUNCTION accounts_updated();
CREATE TRIGGER releases_inserted AFTER INSERT ON releases
  REFERENCING NEW TABLE AS inserted FOR EACH STATEMENT EXECUTE FUNCTION releases_inserted();
CREATE TRIGGER releases_updated AFTER UPDATE ON releases
  REFERENCING OLD TABLE AS before NEW TABLE AS after FOR EACH STATEMENT EXECUTE FUNCTION releases_updated();
CREATE TRIGGER tracks_inserted AFTER INSERT ON tracks
  REFERENCING NEW TABLE AS inserted FOR EACH STATEMENT EXECUTE FUNCTION tracks_inserted();
CREATE TRIGGER tracks_updated AFTER UPDATE ON tracks
  REFERENCING OLD TABLE AS before NEW TABLE AS after FOR EACH STATEMENT EXECUTE FUNCTION tracks_updated();
CREATE TRIGGER track_credits_inserted AFTER INSERT ON track_credits
  REFERENCING NEW TABLE AS inserted FOR EACH STATEMENT EXECUTE FUNCTION track_credits_inserted();
CREATE TRIGGER track_credits_deleted AFTER DELETE ON track_credits
  REFERENCING OLD TABLE AS deleted FOR EACH STATEMENT EXECUTE FUNCTION track_credits_deleted();
CREATE TRIGGER people_inserted AFTER INSERT ON people
  REFERENCING NEW TABLE AS inserted FOR EACH STATEMENT EXECUTE FUNCTION people_inserted();
CREATE TRIGGER statements_updated AFTER UPDATE OF status, source, accounting_month ON statements
  FOR EACH ROW WHEN ((OLD.status, OLD.source, OLD.accounting_month) IS DISTINCT FROM (NEW.status, NEW.source, NEW.accounting_month))
  EXECUTE FUNCTION statements_updated();
