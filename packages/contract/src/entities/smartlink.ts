import type { Entity, Tables } from '#src/entity.ts';
import { fieldNames } from '#src/field-names.ts';
import * as names from '#src/state-names.ts';

export const smartlink = {
  label: 'Smartlink',
  link: ({ id }) => ({ to: `/services/smartlink/${id}/edit` }),
  actions: {
    'smartlink.create': 'Smartlink créé',
    'smartlink.edit': 'Smartlink modifié',
    'smartlink.delete': 'Smartlink supprimé',
  },
  fields: {
    status: [names.smartlinkStatuses, 'état'],
    slug: ['code', 'adresse'],
    urls: ['text', fieldNames.urls],
    clicks: ['number', 'clics'],
  },
} as const satisfies Entity;

const ofSmartlink =
  't.smartlink_id IN (SELECT s.id FROM smartlinks s JOIN releases r ON r.id = s.release_id WHERE r.account_id = $id)';

export const smartlinkTables: Tables = {
  smartlinks: {
    record: {
      join: 'JOIN releases r ON r.id = t.release_id',
      name: 'r.title',
      isGone: 'r.deleted_at IS NOT NULL',
      search: { release: 'r.id' },
    },
    says: 'Smartlinks',
    of: { account: 't.release_id IN (SELECT r.id FROM releases r WHERE r.account_id = $id)' },
    columns: 'id release_id slug status created_at updated_at clicks created_by',
  },
  smartlink_urls: {
    says: 'Adresses des smartlinks',
    of: { account: ofSmartlink },
    columns: 'smartlink_id platform url',
  },
  smartlink_clicks: {
    says: 'Clics des smartlinks, par jour',
    of: { account: ofSmartlink },
    columns: 'smartlink_id day platform clicks',
  },
};
