import { credit, type Entity, ofTrack, type Tables, toOwner } from '#src/entity.ts';

export const incomeItem = {
  label: 'Revenu de relevés',
  link: (record) =>
    record.place
      ? { to: '/reporting/unmatched', search: { tab: record.place, q: record.name ?? record.id } }
      : toOwner('/library/release')(record),
  actions: {
    'income_item.assign': 'Revenu attribué à un titre',
    'income_item.match': 'Revenu en attente reconnu par un ISRC',
    'income_item.unassign': 'Attribution d’un revenu retirée',
  },
} as const satisfies Entity;

export const incomeItemTables: Tables = {
  income_items: {
    record: {
      join: `LEFT JOIN tracks k ON k.id = t.track_id AND k.deleted_at IS NULL
      LEFT JOIN releases r ON r.id = k.release_id AND r.deleted_at IS NULL`,
      key: 't.key',
      name: `coalesce(nullif(t.title, ''), t.key)`,
      isGone: 't.track_id IS NULL AND t.unmatched IS NULL',
      owner: 'r.id',
      place: `CASE WHEN t.alias_track_id IS NOT NULL THEN 'aliases' WHEN t.unmatched IS NOT NULL THEN 'inbox' END`,
      search: false,
    },
    says: 'Titres reconnus dans les relevés',
    of: { account: `(t.alias_track_id IN (SELECT k.id FROM tracks k WHERE k.account_id = $id) OR ${ofTrack})` },
    columns: 'key isrc upc title alias_track_id alias_at track_id unmatched id alias_by',
    third: { artist: credit },
  },
  unmatched_totals: { columns: 'source month item_id sums eur' },
  unmatched_counts: { columns: 'source month items' },
  track_differences: { columns: 'source month without found' },
  import_duplicates: { columns: 'statement_id import_id month currency income_month rows amount' },
};
