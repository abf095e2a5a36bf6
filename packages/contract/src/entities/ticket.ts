import { blank, type Entity, ofAccount, ofTrack, type Tables, toPage } from '#src/entity.ts';
import { fieldNames } from '#src/field-names.ts';
import * as names from '#src/state-names.ts';
import { common } from './common.ts';

export const ticket = {
  label: 'Ticket',
  link: toPage('/tools/ticket'),
  isNumbered: true,
  isOfAccount: true,
  actions: { 'ticket.create': 'Ticket créé', 'ticket.edit': 'Ticket modifié' },
  fields: {
    status: [names.ticketStatuses, 'état'],
    startAt: ['code', 'début du passage'],
    endAt: ['code', 'fin du passage'],
    isClaimed: ['boolean', fieldNames.isClaimed],
    isProtected: ['boolean', fieldNames.isProtected],
  },
  personal: { title: common.title, url: ['text', 'lien'], note: common.note },
} as const satisfies Entity;

export const ticketTables: Tables = {
  tickets: {
    record: { name: 't.title', search: 't.search' },
    says: 'Tickets',
    of: { account: `(${ofAccount} OR ${ofTrack})` },
    columns: `id status start_seconds end_seconds is_claimed is_protected account_id track_id created_at updated_at
      created_by`,
    account: {
      title: { put: `'Ticket supprimé'` },
      url: { put: `'https://supprime.invalid'` },
      note: blank,
      search: 'follow',
    },
  },
};
