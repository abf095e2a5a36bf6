-- Who attributed statement income to a track is asked for whenever its account is paid (docs/decisions/280).
CREATE INDEX audit_log_assigned_track_idx ON audit_log ((after ->> 'trackId'))
 WHERE action IN ('income_item.assign', 'income_item.match');
-- Which track had an ISRC before is asked for whenever one is given.
CREATE INDEX audit_log_former_isrc_idx ON audit_log ((before ->> 'isrc')) WHERE entity = 'track' AND before ? 'isrc';
