-- A search of the journal finds rare words without reading it.
CREATE INDEX audit_log_search_idx ON audit_log USING gin (search gin_trgm_ops);
CREATE INDEX audit_log_fields_idx ON audit_log USING gin (fields);
CREATE INDEX audit_log_action_idx ON audit_log (action);
CREATE INDEX audit_log_entity_id_idx ON audit_log (entity_id);
