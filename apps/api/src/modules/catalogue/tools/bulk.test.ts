import { messages } from '@regie/contract/messages.ts';
import type { CodeEdit, ValidatedBulkRow } from '@regie/contract/routes/tools.ts';
import { toolMessages } from '@regie/contract/tools.ts';
import { beforeAll, describe, expect, it } from 'vitest';
import { type TestAdmin, type TestClient, useApp } from '#test/app.ts';
import { buildAccount, buildRelease, buildTrack } from '#test/factories.ts';

const app = useApp();
let client: TestClient & { admin: TestAdmin };
let account: number;

beforeAll(async () => {
  client = await app.signInWith(['edit_tools']);
  account = await buildAccount(app.db);
});

let codes = 0;
const newIsrc = () => {
  codes += 1;
  return `FRBLK26${String(codes).padStart(5, '0')}`;
};
const isrcOf = async (id: number) =>
  (await app.db.selectFrom('tracks').select('isrc').where('id', '=', id).executeTakeFirstOrThrow()).isrc;
const barcodeOf = async (id: number) =>
  (await app.db.selectFrom('releases').select('barcode').where('id', '=', id).executeTakeFirstOrThrow()).barcode;
const track = (title: string, isrc: string | null = null) => buildTrack(app.db, account, { title, isrc });
const release = async (title: string, barcode: string | null = null) => {
  const id = await buildRelease(app.db, account);
  await app.db.updateTable('releases').set({ title, barcode }).where('id', '=', id).execute();
  return id;
};
const put = (rows: unknown, query = '') => client.put(`/api/tools/bulk/isrc${query}`, rows);
const judge = async (kind: 'isrc' | 'barcode', rows: readonly object[]) => {
  const reply = await client.post('/api/tools/bulk/preview', { kind, rows });
  expect(reply.status).toBe(200);
  return reply.data as ValidatedBulkRow[];
};
const edits = async (query = '') => (await client.get(`/api/tools/bulk/edits${query}`)).data as CodeEdit[];
const entries = async (action: string, id: number) =>
  (await app.journal(action)).filter((entry) => entry.entityId === String(id));

describe('editing ISRCs in bulk', () => {
  it('finds each track by title or id, saves the valid rows, returns the others with reasons, and journals', async () => {
    const [one, two, twin] = [await track('Aurore'), await track('Midi', newIsrc()), await track('Jumeaux')];
    await track('Jumeaux');
    const holder = await track('Le tenant', newIsrc());
    const [first, second, third] = [newIsrc(), newIsrc(), newIsrc()];
    const rows = [
      { title: ' Aurore ', isrc: `isrc ${first.toLowerCase()}` },
      { title: 'MIDI', isrc: second },
      { title: 'Jumeaux', isrc: third },
      { id: String(twin.id), title: 'Peu importe', isrc: third },
      { title: 'Personne', isrc: newIsrc() },
      { title: 'Aurore', isrc: newIsrc() },
      { id: 999_999, isrc: newIsrc() },
      { id: 'abc', title: 'Midi', isrc: newIsrc() },
      { title: 'Le tenant', isrc: 'FR-1' },
      { id: holder.id, title: '', isrc: first },
    ];
    const judged = await judge('isrc', rows);
    expect(judged.map(({ verdict }) => verdict)).toEqual([
      'change',
      'change',
      'unsaved',
      'change',
      ...Array.from({ length: 6 }, () => 'unsaved'),
    ]);
    expect(judged[1]).toMatchObject({ title: 'Midi', recordId: two.id, before: two.isrc, after: second });
    expect(await isrcOf(one.id)).toBeNull();

    const reply = await put(rows, '?edit=fichier-un&file=isrc.csv');
    expect(reply).toMatchObject({ status: 200, message: '3 lignes sur 10 sont enregistrées' });
    const unsaved = reply.data as { row: number; title: string; isrc: string; reason: string }[];
    expect(unsaved.map(({ row, reason }) => [row, reason])).toEqual([
      [3, toolMessages.manyMatches],
      [5, toolMessages.noMatch],
      [6, toolMessages.twice],
      [7, toolMessages.unknownId],
      [8, toolMessages.idWrong],
      [9, messages.invalidIsrc],
      [10, toolMessages.codeTwice(first)],
    ]);
    expect(unsaved[0]).toEqual({ row: 3, id: '', title: 'Jumeaux', isrc: third, reason: toolMessages.manyMatches });
    expect([await isrcOf(one.id), await isrcOf(two.id), await isrcOf(twin.id)]).toEqual([first, second, third]);

    const [edit] = await edits();
    expect(edit).toMatchObject({ kind: 'isrc', source: 'file', fileName: 'isrc.csv', saved: 3, unsaved: 7 });
    expect(await entries('code_edit.rows', edit?.id ?? 0)).toMatchObject([
      { adminId: client.admin.id, after: { kind: 'isrc', file: 'isrc.csv', rows: 10, saved: 3, unsaved: 7 } },
    ]);
    expect(await entries('track.edit', two.id)).toMatchObject([
      { before: { isrc: two.isrc }, after: { isrc: second, codeEdit: edit?.id } },
    ]);
    // Sending the file again changes nothing.
    expect((await judge('isrc', rows)).slice(0, 2).map(({ verdict }) => verdict)).toEqual(['same', 'same']);
    expect(await judge('isrc', [{ title: 'Aurore', isrc: holder.isrc }])).toMatchObject([
      { verdict: 'unsaved', message: toolMessages.isrcTaken(holder.isrc, 'Le tenant') },
    ]);
  });

  it('refuses a call with a row without title or code, naming the first, and more than 50 rows', async () => {
    const bare = await track('Sans rien');
    const reply = await put([{ title: 'Sans rien', isrc: newIsrc() }, { title: 'Sans rien' }, { isrc: newIsrc() }]);
    expect(reply).toMatchObject({
      status: 422,
      code: 'validation_failed',
      errors: { global: toolMessages.atRow(2, toolMessages.isrcMissing) },
    });
    expect(await put([{ isrc: newIsrc() }])).toMatchObject({
      errors: { global: toolMessages.atRow(1, messages.titleMissing) },
    });
    expect(await client.put('/api/tools/bulk/barcode', [{ title: 'x' }])).toMatchObject({
      status: 422,
      errors: { global: toolMessages.atRow(1, toolMessages.barcodeMissing) },
    });
    expect(await isrcOf(bare.id)).toBeNull();
    const many = Array.from({ length: 51 }, () => ({ title: 'Sans rien', isrc: newIsrc() }));
    expect((await put(many)).status).toBe(422);
    expect((await put([])).status).toBe(422);
    expect((await put({ rows: [] })).status).toBe(400);
  });

  it('stores the unsaved rows of the edit, including those that the preview refused', async () => {
    const kept = await track('Gardées');
    const [saved, unsaved] = [newIsrc(), newIsrc()];
    const query = '?edit=fichier-garde&file=garde.csv';
    const first = await put(
      [
        { title: 'Gardées', isrc: saved },
        { title: 'Gardées', isrc: unsaved, keptBack: toolMessages.twice },
        { isrc: '', keptBack: messages.titleMissing },
      ],
      query,
    );
    expect(first.data).toMatchObject([{ row: 2, reason: toolMessages.twice }, { row: 3 }]);
    await put([{ id: 'abc', title: 'Personne', isrc: 'FR-1' }], query);
    const [edit] = await edits();
    expect(edit).toMatchObject({ fileName: 'garde.csv', saved: 1, unsaved: 3 });
    expect(await isrcOf(kept.id)).toBe(saved);
    const list = `/api/tools/bulk/edits/${edit?.id}/unsaved`;
    expect((await client.get(list)).data).toEqual([
      { id: '', title: 'Gardées', code: unsaved, reason: toolMessages.twice },
      { id: '', title: '', code: '', reason: messages.titleMissing },
      { id: 'abc', title: 'Personne', code: 'FR-1', reason: toolMessages.idWrong },
    ]);
    expect((await (await app.signInWith(['read_tools'])).get(list)).status).toBe(403);
  });

  it('is listed by its file name or a default name', async () => {
    const values = { kind: 'isrc' as const, createdBy: client.admin.id };
    const [assigned, call] = await app.owner
      .insertInto('codeEdits')
      .values([
        { ...values, source: 'assigned' },
        { ...values, source: 'file' },
      ])
      .returning('id')
      .execute();
    const found = async (q: string) => (await edits(`?q=${encodeURIComponent(q)}`)).map((edit) => edit.id);
    expect(await found('attribues ISRC')).toEqual([assigned?.id]);
    expect(await found('fichier SAISIE sans')).toEqual([call?.id]);
  });

  it('repeats the answer for a chunk with the same key', async () => {
    const one = await track('Deux fois');
    const rows = [{ title: 'Deux fois', isrc: newIsrc() }];
    const key = { 'idempotency-key': 'bulk-1' };
    await client.put('/api/tools/bulk/isrc?edit=fichier-cle', rows, key);
    const again = await client.put('/api/tools/bulk/isrc?edit=fichier-cle', rows, key);
    expect(again.headers['idempotency-replayed']).toBe('true');
    expect(await entries('track.edit', one.id)).toHaveLength(1);
    expect((await edits())[0]).toMatchObject({ saved: 1 });
  });

  it('needs edit_tools', async () => {
    const reader = await app.signInWith(['read_tools']);
    const rows = [{ title: 'Aurore', isrc: newIsrc() }];
    expect((await reader.put('/api/tools/bulk/isrc', rows)).status).toBe(403);
    expect((await reader.put('/api/tools/bulk/barcode', rows)).status).toBe(403);
    expect((await reader.post('/api/tools/bulk/preview', { kind: 'isrc', rows })).status).toBe(403);
    expect((await reader.get('/api/tools/bulk/edits')).status).toBe(403);
    expect((await reader.post('/api/tools/bulk/edits/1/reverse')).status).toBe(403);
  });
});

it('accepts a row without a code, but not a row without a title', async () => {
  const { id } = await track('Sans code');
  const verdicts = await judge('isrc', [
    { id: String(id), title: 'Sans code', isrc: '' },
    { title: 'Inconnu au catalogue', isrc: '' },
    { title: '', isrc: '' },
    { title: 'Sans code', isrc: newIsrc() },
  ]);
  expect(verdicts.map(({ verdict, message }) => [verdict, message])).toEqual([
    ['blank', null],
    ['blank', null],
    ['unsaved', messages.titleMissing],
    ['change', null],
  ]);
});

describe('editing barcodes in bulk', () => {
  it("accepts numbers, restores a UPC's leading zero, and warns about a wrong check digit", async () => {
    const [one, two, three] = [await release('Grand large'), await release('Petit bras'), await release('Vent debout')];
    const rows = [
      { title: 'Grand large', 'code-barre': 36_000_291_452 },
      { title: 'petit bras', 'code-barre': '4006381333932' },
      { title: 'Vent debout', 'code-barre': 'ABC' },
    ];
    expect((await judge('barcode', rows)).map(({ verdict, message, after }) => [verdict, message, after])).toEqual([
      ['change', null, '036000291452'],
      ['change', toolMessages.wrongCheckDigit, '4006381333932'],
      ['unsaved', messages.importBarcodeDigits, null],
    ]);
    const reply = await client.put('/api/tools/bulk/barcode', rows);
    expect(reply.data).toEqual([
      { row: 3, id: '', title: 'Vent debout', 'code-barre': 'ABC', reason: messages.importBarcodeDigits },
    ]);
    expect([await barcodeOf(one), await barcodeOf(two), await barcodeOf(three)]).toEqual([
      '036000291452',
      '4006381333932',
      null,
    ]);
    expect(await entries('release.edit', one)).toMatchObject([
      { before: { barcode: null }, after: { barcode: '036000291452' } },
    ]);
    expect(await judge('barcode', [{ id: three, 'code-barre': '0036000291452' }])).toMatchObject([
      { message: toolMessages.barcodeTaken('0036000291452', 'Grand large') },
    ]);
  });
});

describe('reversing a bulk edit', () => {
  const reverse = (id: number) => client.post(`/api/tools/bulk/edits/${id}/reverse`);

  it('restores the former codes of all its chunks together, once', async () => {
    const before = newIsrc();
    const tracks = [await track('Chunk un'), await track('Chunk deux', before), await track('Chunk trois')];
    const [one, two, three] = tracks.map(({ id }) => id);
    const edit = '?edit=fichier-long&file=long.csv';
    await put([{ id: one, isrc: newIsrc() }], edit);
    await put(
      [
        { id: two, isrc: newIsrc() },
        { id: three, isrc: newIsrc() },
      ],
      edit,
    );
    // Twice in one file: both steps are reversed.
    await put([{ id: two, isrc: newIsrc() }], edit);
    const [made] = await edits('?kind=isrc');
    expect(made).toMatchObject({ fileName: 'long.csv', saved: 4, reversedAt: null });
    const byHand = newIsrc();
    await app.db
      .updateTable('tracks')
      .set({ isrc: byHand })
      .where('id', '=', three ?? 0)
      .execute();
    const reply = await reverse(made?.id ?? 0);
    expect(reply).toMatchObject({
      status: 200,
      data: { reversed: 2, kept: [{ id: three, title: 'Chunk trois', reason: toolMessages.changedSince }] },
    });
    expect(await Promise.all([one, two, three].map((id) => isrcOf(id ?? 0)))).toEqual([null, before, byHand]);
    expect(await entries('code_edit.reverse', made?.id ?? 0)).toMatchObject([
      { after: { kind: 'isrc', reversed: 2, kept: 1 } },
    ]);
    expect((await entries('track.edit', two ?? 0)).at(-1)).toMatchObject({ after: { isrc: before } });
    expect((await edits())[0]).toMatchObject({ reversed: 2, reversedBy: expect.stringMatching(/^Camille/) });
    expect(await reverse(made?.id ?? 0)).toMatchObject({ status: 409, message: toolMessages.alreadyReversed });
    expect((await put([{ id: one, isrc: newIsrc() }], edit)).status).toBe(409);
    expect((await reverse(999_999)).status).toBe(404);
  });

  it('skips a record whose former code another record now has, and reverses a swap completely', async () => {
    const [a, b] = [newIsrc(), newIsrc()];
    const [one, two] = [await track('Pas un', a), await track('Pas deux', b)];
    const freed = newIsrc();
    await put([{ id: one.id, isrc: freed }], '?edit=echange-1');
    await put([{ id: two.id, isrc: a }], '?edit=echange-1');
    await put([{ id: one.id, isrc: b }], '?edit=echange-1');
    expect([await isrcOf(one.id), await isrcOf(two.id)]).toEqual([b, a]);
    const [swap] = await edits();
    expect((await reverse(swap?.id ?? 0)).data).toEqual({ reversed: 2, kept: [] });
    expect([await isrcOf(one.id), await isrcOf(two.id)]).toEqual([a, b]);

    await put([{ id: one.id, isrc: newIsrc() }], '?edit=echange-2');
    await track('Nouveau tenant', a);
    const [taken] = await edits();
    expect((await reverse(taken?.id ?? 0)).data).toEqual({
      reversed: 0,
      kept: [{ id: one.id, title: 'Pas un', reason: toolMessages.heldSince('Nouveau tenant') }],
    });
  });

  it('accepts chunks of one admin and one kind only', async () => {
    const one = await track('A qui');
    await put([{ id: one.id, isrc: newIsrc() }], '?edit=fichier-a-moi');
    const other = await app.signInWith(['edit_tools']);
    const query = '?edit=fichier-a-moi';
    expect((await other.put(`/api/tools/bulk/isrc${query}`, [{ id: one.id, isrc: newIsrc() }])).status).toBe(409);
    const id = await release('A qui');
    expect((await client.put(`/api/tools/bulk/barcode${query}`, [{ id, 'code-barre': '96385074' }])).status).toBe(409);
    expect(await barcodeOf(id)).toBeNull();
    // Any admin with edit_tools may reverse it.
    expect((await other.post(`/api/tools/bulk/edits/${(await edits())[0]?.id}/reverse`)).status).toBe(200);
  });
});

it.each([
  ['isrc', { isrc: 'FRABC2600001' }],
  ['barcode', { barcode: '3760149435398' }],
])('states the number of rows that a bulk edit of %ss saves', async (kind, code) => {
  const title = `Compte ${kind}`;
  await (kind === 'isrc' ? track(title) : release(title));
  const send = async (titles: string[]) =>
    (
      await client.put(
        `/api/tools/bulk/${kind}`,
        titles.map((one) => ({ title: one, ...code })),
      )
    ).message;
  expect(await send(['Nope'])).toBe('Aucune ligne n’est enregistrée');
  expect(await send(['Nope', title, 'Nope'])).toBe('1 ligne sur 3 est enregistrée');
  expect(await send([title])).toBe(kind === 'isrc' ? 'Les ISRC sont enregistrés' : 'Les codes-barres sont enregistrés');
});

it('names the unread columns when it refuses a row', async () => {
  expect(await put([{ titre: 'À fleur de peau', code: 'FRABC2600066' }])).toMatchObject({
    status: 422,
    message: `${toolMessages.atRow(1, toolMessages.isrcMissing)}. ${messages.columnsIgnored(['code'])}`,
  });
});

it('reads keys in any spelling, and names unknown columns', async () => {
  const { id } = await track('1984');
  const isrc = newIsrc();
  const warnings = [messages.columnsIgnored(['Artistes'])];
  const reply = await put([{ Titre: 1984, 'Code ISRC': isrc, Artistes: 'Zoé', id: null }]);
  expect(reply).toMatchObject({ status: 200, data: [], meta: { warnings } });
  expect(await isrcOf(id)).toBe(isrc);
  expect((await app.journal('code_edit.rows')).at(-1)?.after).toMatchObject({ warnings });
  const sortie = await release('Rome');
  await client.put('/api/tools/bulk/barcode', [{ Sortie: 'Rome', UPC: 12_345_678_905 }]);
  expect(await barcodeOf(sortie)).toBe('012345678905');
});
