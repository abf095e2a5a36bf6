-- Analytics include reports of imports, and what is posted at its import's rate: add all months up again.
GRANT INSERT ON analytics_marks TO regie_app;
INSERT INTO analytics_marks (month)
SELECT coalesce(st.accounting_month, m.month) FROM statement_months m JOIN statements st ON st.id = m.statement_id
UNION SELECT month FROM imports;
