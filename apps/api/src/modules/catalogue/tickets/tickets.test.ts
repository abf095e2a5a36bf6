import { messages } from '@regie/contract/messages.ts';
import type { Ticket } from '@regie/contract/routes/tickets.ts';
import { ticketMessages } from '@regie/contract/tickets.ts';
import { beforeAll, describe, expect, it } from 'vitest';
import { type TestClient, useApp } from '#test/app.ts';
import { buildAccount, buildTrack } from '#test/factories.ts';

const app = useApp();
let client: TestClient & { admin: { id: number } };
let account: number;
let track: { id: number; isrc: string };

beforeAll(async () => {
  client = await app.signInWith(['edit_tools']);
  account = await buildAccount(app.db, { firstName: 'Inès', lastName: 'Béranger' });
  track = await buildTrack(app.db, account, { title: 'Marée haute' });
});

const url = 'https://www.youtube.com/watch?v=abc123';
const form = { title: 'Inès Béranger – Marée haute (reprise)', url };
const create = async (values: object = {}) => {
  const reply = await client.post('/api/tools/ticket', { ...form, ...values });
  expect(reply).toMatchObject({ status: 200 });
  return reply.data as Ticket;
};
const edit = (ticket: Ticket, values: object) => client.put(`/api/tools/ticket/${ticket.id}`, { ...ticket, ...values });
const list = async (status: string, query = '') =>
  (await client.get(`/api/tools/ticket/${status}/all${query}`)).data as Ticket[];

describe('a new ticket', () => {
  it('is opened for the track’s customer, and journalled', async () => {
    const ticket = await create({ startAt: '1:05', endAt: '120:00', isProtected: true, trackId: track.id });
    const expected = {
      ...{ title: form.title, status: 'OPENED', url, startAt: '01:05', endAt: '120:00' },
      ...{ isClaimed: false, isProtected: true },
      Track: { id: track.id, title: 'Marée haute', isrc: track.isrc },
      Account: { id: account, fname: 'Inès', lname: 'Béranger' },
    };
    expect(ticket).toMatchObject(expected);
    expect((await list('opened'))[0]).toEqual(ticket);
    expect((await app.journal('ticket.create')).at(-1)).toMatchObject({
      adminId: client.admin.id,
      entityId: String(ticket.id),
      after: { title: form.title, url, startAt: '01:05', trackId: track.id, userId: account },
    });
  });

  it('may have only an account, or no customer yet', async () => {
    expect(await create({ userId: account })).toMatchObject({ Track: null, Account: { id: account } });
    expect(await create({ trackId: null, startAt: '', endAt: null })).toMatchObject({
      ...{ Track: null, Account: null, startAt: null, endAt: null },
    });
  });

  it('is created once per Idempotency-Key', async () => {
    const key = { 'idempotency-key': 'ticket-une-seule-fois' };
    const first = await client.post('/api/tools/ticket', form, key);
    const again = await client.post('/api/tools/ticket', form, key);
    expect(again.headers['idempotency-replayed']).toBe('true');
    expect(again.data).toEqual(first.data);
  });

  it.each([
    [{ title: ' ' }, 'title', ticketMessages.title],
    [{ title: undefined }, 'title', ticketMessages.title],
    [{ url: '' }, 'url', ticketMessages.url],
    [{ url: undefined }, 'url', ticketMessages.url],
    [{ url: 'youtube' }, 'url', ticketMessages.urlNotWeb],
    [{ url: 'javascript:alert(1)//youtu.be' }, 'url', ticketMessages.urlNotWeb],
    [{ startAt: '1:2' }, 'startAt', ticketMessages.timing],
    [{ endAt: '01:60' }, 'endAt', ticketMessages.timing],
    [{ startAt: '02:00', endAt: '01:59' }, 'endAt', messages.invalidPeriod],
    [{ trackId: 999_999 }, 'trackId', ticketMessages.unknownTrack],
    [{ userId: 999_999 }, 'userId', messages.unknownAccount],
  ])('is refused with %o', async (values, field, sentence) => {
    const reply = await client.post('/api/tools/ticket', { ...form, ...values });
    expect(reply).toMatchObject({ status: 422, errors: { [field]: sentence } });
  });

  it.each([
    [{ url: 'http://youtu.be/x' }, { url: 'http://youtu.be/x' }],
    [{ url: ' www.youtube.com/watch?v=x ' }, { url: 'https://www.youtube.com/watch?v=x' }],
    [
      { startAt: '0:01:05', endAt: '1:02:45' },
      { startAt: '01:05', endAt: '62:45' },
    ],
  ])('accepts %o and stores %o', async (values, kept) => {
    expect(await client.post('/api/tools/ticket', { ...form, ...values })).toMatchObject({ status: 200, data: kept });
  });

  it('is refused for a track of another account', async () => {
    const other = await buildAccount(app.db);
    const reply = await client.post('/api/tools/ticket', { ...form, trackId: track.id, userId: other });
    expect(reply).toMatchObject({ status: 422, errors: { trackId: ticketMessages.trackOfOther } });
  });
});

describe('saving a ticket', () => {
  it('moves it to the other list, and journals the changes', async () => {
    const ticket = await create({ trackId: track.id });
    const reply = await edit(ticket, { status: 'CLOSED', isClaimed: true, startAt: '00:10', title: 'Autre titre' });
    expect(reply).toMatchObject({ status: 200, data: { status: 'CLOSED', startAt: '00:10', title: form.title } });
    expect((await list('opened')).map(({ id }) => id)).not.toContain(ticket.id);
    expect((await list('closed')).map(({ id }) => id)).toContain(ticket.id);
    expect((await app.journal('ticket.edit')).at(-1)).toMatchObject({
      ...{ adminId: client.admin.id, entityId: String(ticket.id) },
      before: { status: 'OPENED', isClaimed: false, startAt: null },
      after: { status: 'CLOSED', isClaimed: true, startAt: '00:10' },
    });
    expect((await edit(reply.data as Ticket, { status: 'OPENED' })).status).toBe(200);
    expect((await list('opened')).map(({ id }) => id)).toContain(ticket.id);
  });

  it('stores and journals a note, which does not change when it is not sent', async () => {
    const ticket = await create();
    expect(ticket.note).toBe('');
    const closed = await edit(ticket, { status: 'CLOSED', note: ' Revendication levée. ' });
    expect(closed).toMatchObject({ status: 200, data: { status: 'CLOSED', note: 'Revendication levée.' } });
    expect((await app.journal('ticket.edit')).at(-1)).toMatchObject({
      before: { note: '' },
      after: { note: 'Revendication levée.' },
    });
    const opened = await edit(closed.data as Ticket, { status: 'OPENED', note: undefined });
    expect(opened).toMatchObject({ status: 200, data: { note: 'Revendication levée.' } });
    expect(await edit(opened.data as Ticket, { note: 'a'.repeat(2001) })).toMatchObject({
      ...{ status: 422, errors: { note: messages.maxLength(2000) } },
    });
  });

  it('without changes writes no journal entry and no new version', async () => {
    const ticket = await create({ startAt: '01:23' });
    const entries = (await app.journal('ticket.edit')).length;
    const reply = await edit(ticket, { updatedAt: undefined, startAt: '00:01:23' });
    expect(reply).toMatchObject({ status: 200, data: ticket });
    expect(await app.journal('ticket.edit')).toHaveLength(entries);
  });

  it('does not overwrite a newer version', async () => {
    const ticket = await create();
    expect((await edit(ticket, { isClaimed: true })).status).toBe(200);
    expect(await edit(ticket, { isProtected: true })).toMatchObject({ status: 409, message: ticketMessages.changed });
    const [seen] = await list('opened', `?q=dt-${ticket.id}`);
    expect(seen).toMatchObject({ isClaimed: true, isProtected: false });
    // A client without a version overwrites.
    expect((await edit(ticket, { updatedAt: undefined, isProtected: true })).status).toBe(200);
    expect((await list('opened', `?q=dt-${ticket.id}`))[0]).toMatchObject({ isClaimed: false, isProtected: true });
  });

  it.each([
    [{ status: 'PENDING' }, 'status', ticketMessages.status],
    [{ url: 'ftp://exemple.fr/x' }, 'url', ticketMessages.urlNotWeb],
    [{ startAt: '10' }, 'startAt', ticketMessages.timing],
    [{ startAt: '00:02', endAt: '00:01' }, 'endAt', messages.invalidPeriod],
  ])('is refused with %o', async (values, field, sentence) => {
    const ticket = await create();
    expect(await edit(ticket, values)).toMatchObject({ status: 422, errors: { [field]: sentence } });
  });

  it('needs an existing ticket and the capability', async () => {
    const ticket = await create();
    expect((await edit({ ...ticket, id: 999_999 }, {})).status).toBe(404);
    const reader = await app.signInWith(['read_tools']);
    expect((await reader.get('/api/tools/ticket/opened/all')).status).toBe(200);
    expect((await reader.get('/api/tools/ticket/999999')).status).toBe(404);
    expect((await reader.put(`/api/tools/ticket/${ticket.id}`, ticket)).status).toBe(403);
    expect((await reader.post('/api/tools/ticket', form)).status).toBe(403);
    const other = await app.signInWith(['read_reports']);
    expect((await other.get('/api/tools/ticket/opened/all')).status).toBe(403);
  });
});

describe('the list', () => {
  it('searches number, words, customer and ISRC, also within one account', async () => {
    const owner = await buildAccount(app.db, { firstName: 'Zéphyrine', lastName: 'Quint' });
    const its = await buildTrack(app.db, owner, { title: 'Sillage' });
    const ticket = await create({ title: 'Vlog du phare', trackId: its.id });
    for (const q of [
      `dt-${ticket.id}`,
      String(ticket.id),
      'PHARE',
      'zephyrine',
      its.isrc,
      'sillage',
      'quint phare sillage',
      `ticket ${ticket.id}`,
    ]) {
      expect((await list('opened', `?q=${encodeURIComponent(q)}`)).map(({ id }) => id)).toEqual([ticket.id]);
    }
    expect((await list('opened', `?userId=${owner}`)).map(({ id }) => id)).toEqual([ticket.id]);
    expect(await list('closed', `?userId=${owner}`)).toEqual([]);
  });

  it('has an address for each ticket, between its neighbours of the same status and filter', async () => {
    const owner = await buildAccount(app.db);
    const [first, second, closed, third] = [
      await create({ userId: owner }),
      await create({ userId: owner, title: 'Cap au large' }),
      await create({ userId: owner }),
      await create({ userId: owner }),
    ];
    await edit(closed, { status: 'CLOSED' });
    const other = await create();
    const get = async (ticket: Ticket, query = '') =>
      (await client.get(`/api/tools/ticket/${ticket.id}${query}`)).data as Ticket;
    expect(await get(second, `?userId=${owner}`)).toEqual({ ...second, newerId: third.id, olderId: first.id });
    expect(await get(third, `?userId=${owner}`)).toMatchObject({ newerId: null, olderId: second.id });
    expect(await get(third)).toMatchObject({ newerId: other.id });
    expect(await get(third, `?userId=${owner}&q=large`)).toMatchObject({ newerId: null, olderId: second.id });
    expect(await get(closed, `?userId=${owner}`)).toMatchObject({ newerId: null, olderId: null });
  });

  it('is paged', async () => {
    const first = await client.get('/api/tools/ticket/opened/all?limit=2');
    const second = await client.get(`/api/tools/ticket/opened/all?limit=2&cursor=${first.meta?.nextCursor}`);
    const ids = [...(first.data as Ticket[]), ...(second.data as Ticket[])].map(({ id }) => id);
    expect(ids).toEqual(ids.toSorted((a, b) => b - a));
    expect(new Set(ids).size).toBe(4);
  });

  it('filters by two states, and omits links to deleted tracks', async () => {
    expect((await client.get('/api/tools/ticket/pending/all')).status).toBe(404);
    const gone = await buildTrack(app.db, account);
    const ticket = await create({ trackId: gone.id });
    expect(ticket.Track?.releaseId).toBeGreaterThan(0);
    await app.owner.updateTable('tracks').set({ deletedAt: new Date() }).where('id', '=', gone.id).execute();
    expect((await list('opened', `?q=dt-${ticket.id}`))[0]?.Track).toMatchObject({ id: gone.id, releaseId: null });
  });
});
