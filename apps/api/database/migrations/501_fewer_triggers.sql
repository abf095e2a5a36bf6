-- What these triggers did, set_exchange_rates() and ledger_postings_inserted() do; credits and names of people are not updated.
DROP FUNCTION IF EXISTS exchange_rates_changed(), ledger_balances_refuse_overdraft(), track_credits_updated(), people_updated() CASCADE;
REVOKE INSERT, UPDATE, DELETE ON exchange_rates FROM regie_app;
REVOKE UPDATE ON track_credits, people FROM regie_app;
GRANT UPDATE (spotify_id, apple_music_id) ON people TO regie_app;
