import { routes } from '@regie/contract/routes.ts';
import { monthToMs } from '@regie/values/month.ts';
import { chooseFile, expectReady, pickMonth } from './support/screens.ts';
import { expect, expectNoAxeViolationsInBoth, test } from './support/test.ts';

/** In the Data Portal's format, in currencies that no other test uses. */
const portalFile = `"DATE","TIME PERIOD","Zambian kwacha/Euro (EXR.M.ZMW.EUR.SP00.A)","Norwegian krone/Euro (EXR.M.NOK.EUR.SP00.A)","Norwegian krone/Euro (EXR.M.NOK.EUR.SP00.E)"
"2021-04-30","2021Apr","26.4521818181818","10.0376","9.9540"
"2021-05-31","2021May","27.1036","10.0874","10.1558"
`;

test('the averages of the ECB are dropped or pasted, previewed, and saved at once', { tag: '@area' }, async ({
  page,
  api,
}) => {
  await page.goto('/accounting/exchange-rates');
  await expectReady(page);
  await page.getByRole('button', { name: 'Taux de la BCE' }).click();
  const dialog = page.getByRole('dialog', { name: 'Moyennes mensuelles de la BCE' });

  // Daily rates are refused, with the reason.
  await chooseFile(
    page,
    'Fichier de la BCE : Choisir un fichier',
    'eurofxref-hist.csv',
    'Date,USD,JPY,\n2026-05-29,1.1588,184.1,\n',
  );
  await expect(dialog.getByRole('alert')).toContainText('EXR.M.USD.EUR.SP00.A');

  await dialog.getByRole('textbox', { name: 'Ou collez le contenu du fichier' }).fill(portalFile);
  await expect(dialog.getByRole('alert')).toBeHidden();
  await dialog.getByRole('button', { name: 'Lire les taux' }).click();
  await expect(dialog.getByRole('status').filter({ hasText: 'nouveau' })).toContainText('0 nouveau taux');
  await expect(dialog).toContainText('EXR.M.NOK.EUR.SP00.E');
  // The box is checked while the file is read again with them.
  await dialog.getByRole('checkbox', { name: 'NOK, ZMW' }).click();
  await expect(dialog.getByRole('checkbox', { name: 'NOK, ZMW' })).toBeChecked();
  await expect(dialog.getByRole('status').filter({ hasText: 'nouveau' })).toContainText('4 nouveaux taux');
  await expect(dialog.getByRole('row').filter({ hasText: 'ZMW, avr. 2021' })).toContainText('26,4521818182');
  await expectNoAxeViolationsInBoth(page);
  await dialog.getByRole('button', { name: 'Enregistrer 4 taux' }).click();
  await expect(dialog).toBeHidden();
  await expect(page.getByRole('status').filter({ hasText: 'Les taux sont enregistrés' })).toBeVisible();
  const list = async (currency: string) =>
    (await api.call(routes.listExchangeRates, { query: { currency } })).data.map(({ rate }) => rate);
  expect(await list('ZMW')).toEqual([27.1036, 26.4521818182]);

  // Values that cannot be an average are marked before saving.
  await page.getByRole('button', { name: 'Taux de la BCE' }).click();
  await chooseFile(
    page,
    'Fichier de la BCE : Choisir un fichier',
    'ECB Data Portal.csv',
    `${portalFile.replace('27.1036', '2.71036')}"2099-01-31","2099Jan","27.1","10.1","10.1"\n`,
  );
  await expect(dialog.getByRole('alert')).toContainText('3 taux à vérifier');
  await expect(dialog.getByRole('row').filter({ hasText: 'ZMW, mai 2021' })).toContainText(
    'à plus de 20\u00a0% de 27,1036',
  );
  await expect(dialog.getByRole('row').filter({ hasText: 'NOK, janv. 2099' })).toContainText('mois à venir');
  await expectNoAxeViolationsInBoth(page);
  await page.keyboard.press('Escape');
  await page.getByRole('button', { name: 'Quitter sans enregistrer' }).click();
  await expect(dialog).toBeHidden();

  // A corrected file only changes different values.
  await page.getByRole('button', { name: 'Taux de la BCE' }).click();
  await chooseFile(
    page,
    'Fichier de la BCE : Choisir un fichier',
    'ECB Data Portal.csv',
    portalFile.replace('10.0874', '10.0875'),
  );
  const row = dialog.getByRole('row').filter({ hasText: 'NOK' });
  await expect(row).toContainText('10,0874');
  await expect(row).toContainText('10,0875');
  await expect(dialog.getByRole('status').filter({ hasText: 'nouveau' })).toContainText('1 taux modifié');
  await dialog.getByRole('button', { name: 'Enregistrer 1 taux' }).click();
  await expect(dialog).toBeHidden();
  expect(await list('NOK')).toEqual([10.0875, 10.0376]);
});

test('a manual rate that is far from the month before has to be confirmed', async ({ page, api }) => {
  await api.call(routes.putExchangeRate, {
    body: { month: monthToMs('2021-04'), currency: 'HUF', rate: 360, confirmFar: true },
  });
  // The demo's rates fill the first page.
  await page.goto('/accounting/exchange-rates?currency=HUF');
  await expectReady(page);
  await page.getByRole('button', { name: 'Ajouter un taux' }).click();
  const dialog = page.getByRole('dialog', { name: 'Ajouter un taux' });
  await pickMonth(dialog, 'À partir de', '05/2021');
  await dialog.getByRole('textbox', { name: 'Devise' }).fill('HUF');
  await dialog.getByRole('textbox', { name: 'Pour 1\u00a0€' }).fill('36');
  await dialog.getByRole('button', { name: 'Enregistrer' }).click();
  await expect(dialog.getByText('Ce taux s’écarte de plus de 20').last()).toBeVisible();
  await expect(dialog.getByRole('checkbox', { name: 'Je confirme ce taux' })).toBeFocused();
  await expectNoAxeViolationsInBoth(page);
  await page.keyboard.press('Space');
  await dialog.getByRole('button', { name: 'Enregistrer' }).click();
  await expect(page.getByRole('row').filter({ hasText: 'HUF' }).first()).toContainText('36');
});
