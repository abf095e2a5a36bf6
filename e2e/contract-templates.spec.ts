import { routes } from '@regie/contract/routes.ts';
import { readPdf } from './support/payees.ts';
import { expect, expectNoAxeViolations, signIn, test } from './support/test.ts';

test('the text of a contract is edited in the settings, and new contracts start with it', async ({ browser, api }) => {
  test.setTimeout(180_000);
  const mark = crypto.randomUUID().slice(0, 8);
  const { settings: before } = (await api.call(routes.getSettings)).data;
  const { data: account } = await api.call(routes.createProfile, {
    body: { fname: 'Inès', lname: `Modèle-${mark}`, country: 'France' },
  });
  const body = { userId: account.id, kind: 'avenant', title: `Ancien ${mark}`, fields: {} };
  const { data: former } = await api.call(routes.createCustomContract, {
    body: { ...body, template: before.contractTemplates.avenant?.template ?? '' },
  });

  const keeper = await api.addAdmin('Réglage', ['manage_settings']);
  const open = async () => (await browser.newContext()).newPage();
  const [settings, contracts] = [await open(), await open()];
  await signIn(settings, keeper.email, keeper.password);
  await settings.goto('/settings/contract-templates');
  const group = settings.getByRole('main');
  const kind = group.getByRole('combobox', { name: 'Modèle' });
  const name = group.getByRole('textbox', { name: 'Nom du modèle' });
  const text = group.getByRole('textbox', { name: 'Texte du modèle' });
  const save = () => settings.getByRole('button', { name: 'Enregistrer', exact: true }).click();
  const saved = settings.getByRole('status').filter({ hasText: 'Les réglages sont enregistrés' });

  await test.step('an error is shown beside the text, also for a template that is not selected', async () => {
    await kind.click();
    await settings.getByRole('option', { name: 'Avenant' }).click();
    await expect(text).toHaveValue(/^# Avenant/);
    await text.fill('# Avenant maison\n\nPour {vendeur}\n\n{signatures}');
    await kind.click();
    await settings.getByRole('option', { name: 'Contrat libre' }).click();
    await save();
    await expect(group.getByText(/^Le champ \{vendeur\} n’existe pas/)).toBeVisible();
    await expect(kind).toHaveValue('Avenant');
    await expect(text).toBeFocused();
    await expectNoAxeViolations(settings);
  });
  await test.step('it is corrected, seen as a PDF and saved, with a custom template', async () => {
    await text.fill(`# Avenant maison ${mark}\n\nÀ compter du {date_effet}, pour `);
    await text.press('ControlOrMeta+End');
    await group.getByRole('button', { name: /^Insérer \{client\}/ }).click();
    await expect(text).toHaveValue(/pour \{client\}$/);
    await text.fill(`${await text.inputValue()}\n\n{signatures}`);
    await expect(group.getByRole('group', { name: 'Aperçu' })).toContainText(`Avenant maison ${mark}`);
    await expect(group.getByRole('group', { name: 'Aperçu' })).toContainText('pour Camille Exemple');
    const preview = await readPdf(settings, group.getByRole('button', { name: 'Aperçu en PDF' }));
    expect(preview.text).toContain(`Avenant maison ${mark}`);
    expect(preview.text).toContain('pour Camille Exemple');
    await group.getByRole('button', { name: 'Ajouter un modèle' }).click();
    await save();
    await expect(group.getByText('Donnez un nom au modèle')).toBeVisible();
    await name.fill(`Mandat ${mark}`);
    await save();
    await expect(saved).toBeVisible();
  });

  await test.step('a new contract has the text, earlier contracts do not', async () => {
    const writer = await api.addAdmin('Contrat', ['edit_tools', 'manage_profiles']);
    await signIn(contracts, writer.email, writer.password);
    await contracts.goto(`/contracts/create?userId=${account.id}&name=${encodeURIComponent(`Inès Modèle-${mark}`)}`);
    await contracts.getByRole('combobox', { name: 'Modèle' }).click();
    await expect(contracts.getByRole('option', { name: `Mandat ${mark}` })).toBeVisible();
    await contracts.getByRole('option', { name: 'Avenant' }).click();
    await contracts.getByRole('textbox', { name: 'Date d’effet' }).fill('01/02/2027');
    const made = await readPdf(contracts, contracts.getByRole('button', { name: 'Créer le contrat en PDF' }));
    expect(made.text).toContain(`Avenant maison ${mark}`);
    expect(made.text).toContain(`À compter du 01/02/2027, pour Inès Modèle-${mark}`);
    const { data: kept } = await api.call(routes.getCustomContract, { params: { id: former.id } });
    expect(kept).toEqual(former);
  });

  await test.step('the default text is restored, and the custom template is removed', async () => {
    await kind.click();
    await settings.getByRole('option', { name: 'Avenant' }).click();
    await group.getByRole('button', { name: 'Reprendre le texte d’origine' }).click();
    await expect(text).toHaveValue(/^# Avenant\n/);
    await expect(group.getByRole('button', { name: 'Retirer le modèle' })).toHaveCount(0);
    await kind.click();
    await settings.getByRole('option', { name: `Mandat ${mark}` }).click();
    await group.getByRole('button', { name: 'Retirer le modèle' }).click();
    const question = settings.getByRole('dialog', { name: 'Vous êtes sure?' });
    await question.getByRole('button', { name: 'Retirer le modèle' }).click();
    await expect(kind).toHaveValue('Contrat de distribution');
    await save();
    await expect(saved).toBeVisible();
    expect((await api.call(routes.getSettings)).data.settings.contractTemplates).toEqual(before.contractTemplates);
  });

  const { data: entries } = await api.call(routes.listJournal, { query: { action: 'settings.edit', limit: 20 } });
  const own = entries.filter(({ admin }) => admin?.name === keeper.name);
  expect(own).toMatchObject([
    { after: { contractTemplates: { avenant: before.contractTemplates.avenant } } },
    { before: { contractTemplates: { avenant: before.contractTemplates.avenant } } },
  ]);
  await Promise.all([settings.context().close(), contracts.context().close()]);
});
