import { contractTemplateNames, contractTemplates } from '@regie/contract/custom-contracts.ts';
import { messages } from '@regie/contract/messages.ts';
import type {
  ContractTemplateItem,
  CustomContract,
  CustomContractDocument,
} from '@regie/contract/routes/custom-contracts.ts';
import type { SettingsAnswer } from '@regie/contract/routes/settings.ts';
import { sql } from 'kysely';
import { beforeAll, describe, expect, it } from 'vitest';
import { type TestClient, useApp } from '#test/app.ts';
import { buildAccount } from '#test/factories.ts';

const app = useApp();
let client: TestClient & { admin: { id: number } };
let account: number;

beforeAll(async () => {
  client = await app.signInWith(['edit_tools']);
  account = await buildAccount(app.db, { firstName: 'Inès', lastName: 'Béranger' });
});

const form = (values: object = {}) => ({
  ...{ userId: account, kind: 'avance', title: 'Avance de printemps' },
  template: contractTemplates.avance.template,
  fields: {
    objet: 'l’album «\u00a0Sillage\u00a0»',
    montant: '1500',
    part: '80',
    duree: 'deux ans',
    preavis: 'un mois',
  },
  ...values,
});
const create = async (values: object = {}) => {
  const reply = await client.post('/api/contracts/create', form(values));
  expect(reply).toMatchObject({ status: 200 });
  return reply.data as CustomContractDocument;
};

describe('a contract', () => {
  it('is stored with its account and the values of its fields, and journalled', async () => {
    const contract = await create();
    expect(contract).toMatchObject({
      ...{ kind: 'avance', title: 'Avance de printemps', Account: { id: account, fname: 'Inès', lname: 'Béranger' } },
      values: {
        client: 'Inès Béranger',
        maison: 'Régie',
        montant: '1\u00a0500,00\u00a0€',
        part: '80\u00a0%',
        lieu: '',
      },
    });
    // Values of fields the text does not use are not stored.
    expect(contract.values).not.toHaveProperty('preavis');
    await app.owner.updateTable('accounts').set({ lastName: 'Autre' }).where('id', '=', account).execute();
    const seen = (await client.get(`/api/contracts/${contract.id}`)).data as CustomContractDocument;
    expect(seen.values).toEqual(contract.values);
    expect(seen.template).toBe(contractTemplates.avance.template.trim());
    await app.owner.updateTable('accounts').set({ lastName: 'Béranger' }).where('id', '=', account).execute();
    const list = (await client.get(`/api/contracts?userId=${account}`)).data as CustomContract[];
    expect(list[0]).toMatchObject({ id: contract.id, createdBy: expect.stringContaining('Camille') });
    expect(list[0]).not.toHaveProperty('values');
    expect((await app.journal('contract.create')).at(-1)).toMatchObject({
      ...{ adminId: client.admin.id, entityId: String(contract.id) },
      after: { title: 'Avance de printemps', userId: account },
    });
  });

  it('starts with the text of the template in the settings, and does not change with it', async () => {
    const keeper = await app.signInWith(['manage_settings']);
    const first = (await keeper.get('/api/settings')).data as SettingsAnswer;
    const list = async () => (await client.get('/api/contracts/templates')).data as ContractTemplateItem[];
    expect(await list()).toMatchObject(
      contractTemplateNames.map((kind) => ({ kind, label: contractTemplates[kind].label })),
    );
    const house = { label: 'Mandat', template: '# Mandat\n\n{client}\n\n{signatures}' };
    const saved = await keeper.put('/api/settings', {
      version: first.version,
      contractTemplates: { ...first.settings.contractTemplates, 'modele-mandat': house },
    });
    expect(saved.status).toBe(200);
    expect((await list()).at(-1)).toEqual({ kind: 'modele-mandat', ...house });
    const contract = await create({
      kind: 'modele-mandat',
      title: 'Mandat 2026',
      template: house.template,
      fields: {},
    });

    const { version } = saved.data as SettingsAnswer;
    const { contractTemplates: before } = first.settings;
    expect((await keeper.put('/api/settings', { version, contractTemplates: before })).status).toBe(200);
    expect((await client.get(`/api/contracts/${contract.id}`)).data).toEqual(contract);
    const reply = await client.post('/api/contracts/create', form({ kind: 'modele-mandat' }));
    expect(reply).toMatchObject({ status: 422, errors: { kind: messages.contractTemplateGone } });
  });

  it('offers the templates to callers who may write contracts', async () => {
    const writer = await app.signInWith(['edit_tools']);
    expect((await writer.get('/api/contracts/templates')).status).toBe(200);
    expect((await writer.get('/api/settings')).status).toBe(403);
    expect((await (await app.signInWith(['manage_profiles'])).get('/api/contracts/templates')).status).toBe(403);
  });

  it("uses its account's shares when none are given", async () => {
    await app.owner
      .updateTable('accounts')
      .set({ libraryPercentile: '72.5', youtubePercentile: '60' })
      .where('id', '=', account)
      .execute();
    const contract = await create({ fields: { montant: '1500', part: '' } });
    expect(contract.values).toMatchObject({ part: '72,5\u00a0%', part_video: '60\u00a0%' });
  });

  it('is shown before it is created with the values it would store', async () => {
    const contract = await create({ fields: { montant: '1500', part: '' } });
    const { data } = await client.get(`/api/contracts/values?userId=${account}`);
    const { client: name, part, maison } = contract.values;
    expect(data).toMatchObject({ client: name, part, part_video: '60\u00a0%', maison });
    const { data: house } = await client.get('/api/contracts/values');
    expect(house).toMatchObject({ maison: 'Régie', date: contract.values.date });
    expect(house).not.toHaveProperty('client');
    expect((await client.get('/api/contracts/values?userId=999999')).status).toBe(422);
    expect((await (await app.signInWith(['manage_profiles'])).get('/api/contracts/values')).status).toBe(403);
  });

  it('is created once per Idempotency-Key', async () => {
    const key = { 'idempotency-key': 'contrat-une-seule-fois' };
    const first = await client.post('/api/contracts/create', form(), key);
    const again = await client.post('/api/contracts/create', form(), key);
    expect(again.headers['idempotency-replayed']).toBe('true');
    expect(again.data).toEqual(first.data);
  });

  it.each([
    [{ title: ' ' }, 'title'],
    [{ kind: 'autre' }, 'kind'],
    [{ userId: undefined }, 'userId'],
    [{ template: '' }, 'template'],
    [{ template: 'Pour {vendeur}' }, 'template'],
    [{ fields: { part: '101' } }, 'fields.part'],
    [{ fields: { date_effet: '31/02/2027' } }, 'fields.date_effet'],
    [{ fields: { montant: 'beaucoup' } }, 'fields.montant'],
  ])('is refused with %o', async (values, field) => {
    const reply = await client.post('/api/contracts/create', form(values));
    expect(reply.status).toBe(422);
    expect(Object.keys(reply.errors)).toEqual([field]);
  });

  it('needs an existing account', async () => {
    const reply = await client.post('/api/contracts/create', form({ userId: 999_999 }));
    expect(reply).toMatchObject({ status: 422, errors: { userId: messages.unknownAccount } });
  });

  it('is deleted by callers with the capability, and never changed', async () => {
    const contract = await create({ title: 'À retirer' });
    const reader = await app.signInWith(['manage_profiles']);
    expect((await reader.get(`/api/contracts/${contract.id}`)).status).toBe(200);
    expect((await reader.delete(`/api/contracts/${contract.id}`)).status).toBe(403);
    expect((await reader.post('/api/contracts/create', form())).status).toBe(403);
    expect((await (await app.signInWith(['read_tools'])).get('/api/contracts')).status).toBe(403);
    await expect(sql`UPDATE custom_contracts SET title = 'x'`.execute(app.db)).rejects.toThrow(/permission denied/);
    expect((await client.delete(`/api/contracts/${contract.id}`)).status).toBe(200);
    expect((await client.delete(`/api/contracts/${contract.id}`)).status).toBe(404);
    expect((await client.get(`/api/contracts/${contract.id}`)).status).toBe(404);
    expect((await client.get('/api/contracts?q=RETIRER')).data).toEqual([]);
    expect((await app.journal('contract.delete')).at(-1)).toMatchObject({
      ...{ adminId: client.admin.id, entityId: String(contract.id) },
      before: { title: 'À retirer', userId: account },
    });
  });
});
