-- Sections fold unless one opens them: what a person folded until now is folded.
ALTER TABLE sidebars RENAME COLUMN folded TO opened;
ALTER TABLE sidebars RENAME CONSTRAINT sidebars_folded_check TO sidebars_opened_check;
UPDATE sidebars SET opened = '{}';
