import { routes } from '@regie/contract/routes.ts';
import { readPdf } from './support/payees.ts';
import { expect, expectNoAxeViolations, signIn, test } from './support/test.ts';

test('a contract is created for an account, printed, stored and removed', async ({ page, api }) => {
  test.setTimeout(180_000);
  const mark = crypto.randomUUID().slice(0, 8);
  const { data: account } = await api.call(routes.createProfile, {
    body: { fname: 'Inès', lname: `Contrat-${mark}`, country: 'France', email: `${mark}@clients.example` },
  });

  await page.goto(`/accounts/${account.id}/contracts`);
  const main = page.getByRole('main');
  await main.getByRole('link', { name: 'Créer un contrat' }).click();
  await expect(page).toHaveURL(/\/contracts\/create\?userId=/);
  await expect(page.getByRole('combobox', { name: 'Compte' })).toHaveValue(`Inès Contrat-${mark}`);
  await page.getByRole('combobox', { name: 'Modèle' }).click();
  await page.getByRole('option', { name: 'Contrat d’avance' }).click();
  await expect(page.getByRole('textbox', { name: 'Nom du contrat' })).toHaveValue('Contrat d’avance');
  await page.getByRole('textbox', { name: 'Nom du contrat' }).fill(`Avance ${mark}`);
  await page.getByRole('textbox', { name: 'Objet' }).fill('l’album « Sillage »');
  await page.getByRole('textbox', { name: 'Date d’effet' }).fill('31/02/2027');
  await page.getByRole('textbox', { name: 'Montant' }).fill('1234,5');
  const template = page.getByRole('textbox', { name: 'Texte du contrat' });
  const text = await template.inputValue();
  await template.fill(`${text}\n\nPour {vendeur}`);
  await page.getByRole('button', { name: 'Créer le contrat en PDF' }).click();
  await expect(page.getByText('Indiquez une date, jour/mois/année', { exact: true })).toBeVisible();
  await expect(page.getByText(/^Le champ \{vendeur\} n’existe pas/)).toBeVisible();
  await expectNoAxeViolations(page);
  // A field that the text no longer names is hidden and does not block the form.
  await template.fill(text.replaceAll('{date_effet}', '1er février'));
  await expect(page.getByRole('textbox', { name: 'Date d’effet' })).toHaveCount(0);
  await page.getByRole('textbox', { name: 'Montant' }).fill('beaucoup');
  await page.getByRole('button', { name: 'Créer le contrat en PDF' }).click();
  await expect(page.getByRole('alert').filter({ hasText: /^1 champ est à corriger\s: Montant$/ })).toBeVisible();
  await page.getByRole('textbox', { name: 'Montant' }).fill('1234,5');

  // Choosing another template asks before an edited text is replaced.
  await page.getByRole('combobox', { name: 'Modèle' }).click();
  await page.getByRole('option', { name: 'Avenant' }).click();
  const question = page.getByRole('dialog', { name: 'Vous êtes sure?' });
  await question.getByRole('button', { name: 'Annuler' }).click();
  await expect(page.getByRole('combobox', { name: 'Modèle' })).toHaveValue('Contrat d’avance');
  await expect(template).toHaveValue(/à la date du 1er février/);
  await page.getByRole('combobox', { name: 'Modèle' }).click();
  await page.getByRole('option', { name: 'Avenant' }).click();
  await question.getByRole('button', { name: 'Remplacer le texte' }).click();
  await expect(template).toHaveValue(/^# Avenant/);
  await page.getByRole('combobox', { name: 'Modèle' }).click();
  await page.getByRole('option', { name: 'Contrat d’avance' }).click();
  await expect(template).toHaveValue(text);
  await page.getByRole('textbox', { name: 'Date d’effet' }).fill('01/02/2027');
  await template.fill(`${text}\n\nFait pour `);
  await template.press('ControlOrMeta+End');
  await page.getByRole('button', { name: /^Insérer \{client\}/ }).click();
  await expect(template).toHaveValue(/Fait pour \{client\}$/);
  const preview = page.getByRole('group', { name: 'Aperçu' });
  await expect(preview).toContainText('une avance de 1234,5 €');
  await expect(preview).toContainText(`Fait pour Inès Contrat-${mark}`);
  const { house } = (await api.call(routes.getSettings)).data.settings;
  await expect(preview).toContainText(house.name);
  await expect(preview).not.toContainText('[');

  // The fonts fail to load: nothing is lost, and a retry creates only one contract.
  await page.route('**/assets/pdf-worker*', (route) => route.abort());
  await page.getByRole('button', { name: 'Créer le contrat en PDF' }).click();
  await expect(page.getByRole('alert').filter({ hasText: 'réessayez dans un instant' })).toBeVisible();
  await page.unroute('**/assets/pdf-worker*');
  const { name, text: printed } = await readPdf(page, page.getByRole('button', { name: 'Créer le contrat en PDF' }));
  const { data: kept } = await api.call(routes.listCustomContracts, { query: { userId: account.id } });
  expect(kept).toMatchObject([{ title: `Avance ${mark}` }]);
  expect(name).toBe(`contrat-ines-contrat-${mark}-avance-${mark}-${kept[0]?.id}.pdf`);
  expect(printed).toContain('Contrat d’avance sur redevances');
  expect(printed).toContain('une avance de 1 234,50 €');
  expect(printed).toContain('l’album « Sillage »');
  expect(printed).toContain(`Fait pour Inès Contrat-${mark}`);
  expect(printed).toContain('Fait en deux exemplaires à ……');
  expect(printed).not.toMatch(/[{}]/);
  await expect(page.getByRole('status').filter({ hasText: 'Le contrat est enregistré' })).toBeVisible();

  await page.getByRole('link', { name: 'Voir le compte' }).click();
  await main.getByRole('link', { name: 'Contrats et tickets' }).click();
  await expect(main.getByRole('row').filter({ hasText: mark }).first()).toContainText(`Avance ${mark}`);
  const again = await readPdf(page, main.getByRole('button', { name: `Télécharger Avance ${mark} en PDF` }));
  expect(again).toEqual({ name, text: printed, beyond: [] });
  await main.getByRole('button', { name: `Retirer Avance ${mark}` }).click();
  await page
    .getByRole('dialog', { name: 'Vous êtes sure?' })
    .getByRole('button', { name: 'Retirer le contrat' })
    .click();
  await expect(main.getByText('Aucun contrat particulier pour ce compte.')).toBeVisible();

  const reader = await api.addAdmin('Sans', ['manage_profiles']);
  await page.context().clearCookies();
  await signIn(page, reader.email, reader.password);
  await page.goto('/contracts/create');
  await expect(page.getByRole('heading', { level: 1 })).toContainText('Accès non autorisé');
});

test('names without a space stay on the page, and both parties can sign', { tag: '@area' }, async ({ page, api }) => {
  test.setTimeout(180_000);
  const mark = crypto.randomUUID().slice(0, 8);
  const company = `Q${'W'.repeat(90)}-${mark}`;
  const { data: account } = await api.call(routes.createProfile, {
    body: { fname: 'Inès', lname: `Long-${mark}`, country: 'France', email: `${mark}@clients.example`, company },
  });
  const title = `Accord-${'M'.repeat(180)}`;
  await api.call(routes.createCustomContract, {
    body: { userId: account.id, kind: 'libre', title, template: '# Contrat\n\n{client}\n\n{signatures}', fields: {} },
  });
  await page.goto(`/accounts/${account.id}/contracts`);
  const pdf = await readPdf(page, page.getByRole('button', { name: `Télécharger ${title} en PDF` }));
  expect(pdf.beyond).toEqual([]);
  const printed = pdf.text.replaceAll(/\s/g, '');
  expect(printed).toContain(`Pour${company}`);
  expect(printed).toContain('Page1sur1');
});
