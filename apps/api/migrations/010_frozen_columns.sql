-- What an import froze, whom a report pays and by which percentages are decided once: the application may only
-- move the sums, end a referral, and reverse.
REVOKE UPDATE ON imports, referrals, reports, report_referral_shares FROM regie_app;
GRANT UPDATE (batches, rows, saved, unsaved, reports, gross_usd, gross_eur, accounts_eur, referrals_eur, platform_eur,
              reversed_at, reversed_by) ON imports TO regie_app;
GRANT UPDATE (deleted_version, deleted_at) ON referrals TO regie_app;
GRANT UPDATE (num_streams, income_streams_usd, num_downloads, income_downloads_usd, num_youtube, income_youtube_usd,
              gross_eur, account_eur, referrals_eur, platform_eur, reversed_at) ON reports TO regie_app;
GRANT UPDATE (amount_eur) ON report_referral_shares TO regie_app;
