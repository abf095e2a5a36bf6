import { messages } from '@regie/contract/messages.ts';
import type { SettingsAnswer } from '@regie/contract/routes/settings.ts';
import { defaultSettings, settingsMessages } from '@regie/contract/settings.ts';
import { beforeAll, describe, expect, it } from 'vitest';
import { type TestAdmin, type TestClient, useApp } from '#test/app.ts';
import { readSettings } from './settings.service.ts';

const app = useApp();
let client: TestClient & { admin: TestAdmin };

beforeAll(async () => {
  client = await app.signInWith();
});

const read = async () => (await client.get('/api/settings')).data as SettingsAnswer;
const entries = () => app.journal('settings.edit');
const house = {
  ...defaultSettings.house,
  name: 'Marée Haute',
  siren: '732 829 320',
  vatNumber: 'FR44 732829320',
  iban: 'FR14 2004 1010 0505 0001 3M02 606',
  bic: 'psstfrppxxx',
};

type Templates = typeof defaultSettings.contractTemplates;
/** The original templates with these changes. */
const templates = (changes: Record<string, Partial<Templates[string]>>): { contractTemplates: Templates } => ({
  contractTemplates: Object.fromEntries(
    Object.entries({ ...defaultSettings.contractTemplates, ...changes }).map(([kind, change]) => [
      kind,
      { label: 'Sans nom', template: 'Sans texte', ...defaultSettings.contractTemplates[kind], ...change },
    ]),
  ),
});

describe('the settings', () => {
  it('are the defaults until stored, and the session uses them', async () => {
    await app.owner.deleteFrom('settings').execute();
    expect(await read()).toMatchObject({ settings: defaultSettings, updatedAt: null, updatedBy: null });
    expect((await client.check()).data).toMatchObject({ location: 'am', currency: 'USD' });
    await app.owner
      .insertInto('settings')
      .values([
        { key: 'currency', value: JSON.stringify('EUR') },
        { key: 'secondFactor', value: JSON.stringify('optional') },
        // Stored by a version with fewer fields.
        { key: 'prices', value: JSON.stringify({ single: 5 }) },
      ])
      .execute();
    expect((await client.check()).data).toMatchObject({ location: 'am', currency: 'EUR' });
    expect((await readSettings(app.db)).prices).toEqual({ ...defaultSettings.prices, single: 5 });
    await app.owner.deleteFrom('settings').where('key', '!=', 'secondFactor').execute();
  });

  it('are changed one by one, normalised, and journalled with old values, IBAN and BIC masked', async () => {
    await app.addSignatories(client.admin);
    const { version } = await read();
    const reply = await client.put('/api/settings', { version, house, vatPercent: 5.5 });
    expect(reply).toMatchObject({ status: 200, message: 'Les réglages sont enregistrés' });
    const answer = reply.data as SettingsAnswer;
    expect(answer.version).not.toBe(version);
    expect(answer.updatedBy).toMatch(/^Camille Essai/);
    expect(answer.settings).toEqual({
      ...defaultSettings,
      secondFactor: 'optional',
      vatPercent: 5.5,
      house: {
        ...house,
        siren: '732829320',
        vatNumber: 'FR44732829320',
        iban: 'FR1420041010050500013M02606',
        bic: 'PSSTFRPPXXX',
      },
    });
    expect(await readSettings(app.db)).toEqual(answer.settings);
    expect(await entries()).toMatchObject([
      { adminId: client.admin.id, after: { houseBank: { iban: '••••2606', bic: '••••PXXX' } } },
      {
        adminId: client.admin.id,
        before: { house: { name: 'Régie', siren: '' }, vatPercent: 20 },
        after: { house: { name: 'Marée Haute', siren: '732829320' }, vatPercent: 5.5 },
      },
    ]);
    expect((await entries())[1]?.after).not.toHaveProperty('house.city');
  });

  it('are not journalled when nothing changes', async () => {
    const [{ version, settings }, before] = [await read(), await entries()];
    const reply = await client.put('/api/settings', { version, house: settings.house });
    expect((reply.data as SettingsAnswer).version).toBe(version);
    expect(await entries()).toEqual(before);
  });

  it('answer 409 to an outdated form, and to one of two concurrent forms', async () => {
    const { version } = await read();
    const replies = await Promise.all(
      [1, 2, 3].map((price) => client.put('/api/settings', { version, payoutFeeEur: price })),
    );
    expect(replies.map((reply) => reply.status).sort()).toEqual([200, 409, 409]);
    expect(replies.find((reply) => reply.status === 409)).toMatchObject({
      code: 'conflict',
      message: messages.conflict,
    });
    const won = replies.findIndex((reply) => reply.status === 200);
    expect((await read()).settings.payoutFeeEur).toBe(won + 1);
  });

  it.each([
    ['house.name', { house: { ...house, name: ' ' } }, messages.required('nom')],
    ['house.siren', { house: { ...house, siren: '732829321' } }, 'Ce SIREN n’est pas valide'],
    ['house.iban', { house: { ...house, iban: 'FR1420041010050500013M02607' } }, 'Cet IBAN n’est pas valide'],
    ['house.iban', { house: { ...house, iban: 'FR142004101005050001' } }, 'Cet IBAN n’est pas valide'],
    ['house.iban', { house: { ...house, iban: 'ZZ1800000000088' } }, messages.ibanWrong],
    ['house.iban', { house: { ...house, iban: 'DE5100000000021' } }, messages.ibanWrong],
    ['house.bic', { house: { ...house, bic: 'PSSTXXPP' } }, messages.bicWrong],
    ['house.bic', { house: { ...house, bic: 'PSST' } }, messages.bicWrong],
    ['house.email', { house: { ...house, email: 'nulle part' } }, messages.email],
    ['prices.ep', { prices: { ...defaultSettings.prices, ep: 1.005 } }, 'deux décimales'],
    ['prices.ep', { prices: { ...defaultSettings.prices, ep: -1 } }, 'Un prix ne peut pas être négatif'],
    ['vatPercent', { vatPercent: 101 }, messages.maxNumber('100')],
    ['isrcPrefixes.1', { isrcPrefixes: ['FRX12', 'F1'] }, 'Un préfixe a 5 caractères'],
    [
      'invitationLetter.subject',
      { invitationLetter: { subject: 'Une\nautre', text: '{lien}' } },
      'tient sur une ligne',
    ],
    ['invitationLetter.subject', { invitationLetter: { subject: ' ', text: '{lien}' } }, messages.required('objet')],
    ['invitationLetter.text', { invitationLetter: { subject: 'Venez', text: 'Bonjour' } }, 'doit contenir {lien}'],
    [
      'invitationLetter.text',
      { invitationLetter: { subject: 'Venez', text: 'Ici\u00a0: {lien}' } },
      'seul sur sa ligne',
    ],
    ['invitationLetter.text', { invitationLetter: { subject: 'Venez', text: '{lien}\n{lien}' } }, 'seul sur sa ligne'],
    ['billingChangedLetter.text', { billingChangedLetter: { subject: 'x', text: '{iban} {destination}' } }, '{iban}'],
    ['licenceTemplate', { licenceTemplate: '{maison}\n{vendeur}\n{titres}\n{signatures}' }, 'Le champ {vendeur}'],
    ['contractTemplates.avance.template', templates({ avance: { template: 'Pour {vendeur}' } }), 'Le champ {vendeur}'],
    ['contractTemplates.avance.template', templates({ avance: { template: ' ' } }), 'Le texte du contrat est requis'],
    ['contractTemplates.avance.label', templates({ avance: { label: ' ' } }), 'Donnez un nom au modèle'],
    [
      'contractTemplates.avance.label',
      templates({ avance: { label: 'AVENANT' } }),
      'Un autre modèle porte déjà ce nom',
    ],
    ['contractTemplates.avance', { contractTemplates: {} }, 'ne peut pas être retiré'],
    ['licenceTemplate', { licenceTemplate: 'Bonjour\n{titres}' }, 'Le modèle doit contenir {signatures}'],
  ])('refuse an invalid %s', async (field, values, sentence) => {
    const { version, settings } = await read();
    const reply = await client.put('/api/settings', { version, ...values });
    expect(reply.status).toBe(422);
    expect(reply.errors[field]).toContain(sentence);
    expect((await read()).settings).toEqual(settings);
  });

  it.each(['https://voleur.example/x', 'www.voleur.fr', 'voleur.fr/lien', 'ecrivez@voleur.fr', 'VOLEUR.FR'])(
    'refuse a letter with the address %s beside its link',
    async (address) => {
      const { version } = await read();
      const passwordResetLetter = { subject: 'x', text: `{lien}\nou ${address}` };
      const reply = await client.put('/api/settings', { version, passwordResetLetter });
      expect(reply.errors['passwordResetLetter.text']).toContain('aucune autre adresse');
      const subject = { subject: address, text: '{lien}' };
      expect((await client.put('/api/settings', { version, passwordResetLetter: subject })).status).toBe(422);
    },
  );

  it('need edit_admins to change the letters', async () => {
    const { version, settings } = await read();
    const other = await app.signInWith(['manage_settings']);
    const passwordResetLetter = { subject: 'Autre', text: '{lien}' };
    expect(await other.put('/api/settings', { version, passwordResetLetter })).toMatchObject({
      status: 403,
      message: settingsMessages.lettersNeedEditAdmins,
    });
    // The form sends all letters with every save.
    const same = { version, passwordResetLetter: settings.passwordResetLetter, licenceYears: settings.licenceYears };
    expect((await other.put('/api/settings', same)).status).toBe(200);
  });

  it('define the text of the next letters', async () => {
    const { version, settings } = await read();
    const passwordResetLetter = { subject: '{maison} : mot de passe', text: 'Par ici\u00a0:\n{lien}' };
    await client.put('/api/settings', { version, passwordResetLetter });
    expect((await entries()).at(-1)).toMatchObject({
      before: { passwordResetLetter: settings.passwordResetLetter },
      after: { passwordResetLetter },
    });
    await app.runJobs();
    const visitor = await app.visitor();
    await visitor.post('/api/auth/reset_password/request', { email: client.admin.email });
    const [letter, ...others] = await app.runJobs();
    expect(others).toEqual([]);
    expect(letter).toMatchObject({ to: client.admin.email, subject: 'Marée Haute : mot de passe' });
    expect(letter?.text).toMatch(/^Par ici\u00a0:\nhttp\S+\/reset-password-action\?token=\S+\s*$/);
  });

  it('contain the contract texts: changes, additions, renames and removals are journalled', async () => {
    const own = { label: 'Contrat de gestion', template: '# Gestion\n\n{client}\n\n{signatures}' };
    const save = async (changes: Parameters<typeof templates>[0]) => {
      const { version } = await read();
      const reply = await client.put('/api/settings', { version, ...templates(changes) });
      expect(reply).toMatchObject({ status: 200 });
      return (await entries()).at(-1);
    };
    const original = defaultSettings.contractTemplates.avance;
    const changed = { label: 'Avance', template: '# Avance de {montant}\n\n{signatures}' };
    expect(await save({ avance: changed, 'modele-1': own })).toMatchObject({
      before: { contractTemplates: { avance: original } },
      after: { contractTemplates: { avance: changed, 'modele-1': own } },
    });
    const settings = (await read()).settings.contractTemplates;
    expect(settings).toEqual({ ...defaultSettings.contractTemplates, avance: changed, 'modele-1': own });
    expect(Object.keys(settings)).toEqual([...Object.keys(defaultSettings.contractTemplates), 'modele-1']);
    const renamed = { ...own, label: 'Mandat de gestion' };
    expect((await save({ avance: changed, 'modele-1': renamed }))?.after).toEqual({
      contractTemplates: { 'modele-1': renamed },
    });
    // A removed text is replaced by the original.
    const last = await save({});
    expect(last?.before).toEqual({ contractTemplates: { avance: changed, 'modele-1': renamed } });
    expect(last?.after).toEqual({ contractTemplates: { avance: original } });
    expect((await read()).settings.contractTemplates).toEqual(defaultSettings.contractTemplates);
  });

  it('contain the place and currency of the session check', async () => {
    const { version } = await read();
    expect((await client.put('/api/settings', { version, location: 'fr', currency: 'EUR' })).status).toBe(200);
    expect((await client.check()).data).toMatchObject({ location: 'fr', currency: 'EUR' });
    expect((await entries()).at(-1)).toMatchObject({ before: { location: 'am', currency: 'USD' } });
    const refused = await client.put('/api/settings', { version: (await read()).version, currency: 'euro' });
    expect(refused).toMatchObject({ status: 422, errors: { currency: messages.currencyCode } });
    await app.owner.deleteFrom('settings').where('key', 'in', ['location', 'currency']).execute();
  });

  it('ignore fields the form does not have', async () => {
    const { version } = await read();
    await client.put('/api/settings', { version, inconnu: 1 });
    expect((await read()).version).toBe(version);
  });

  it('need manage_settings', async () => {
    const other = await app.signInWith(['read_audit']);
    const { version } = await read();
    expect((await other.get('/api/settings')).status).toBe(403);
    expect((await other.put('/api/settings', { version, vatPercent: 1 })).status).toBe(403);
    expect((await read()).settings.vatPercent).toBe(5.5);
  });
});
