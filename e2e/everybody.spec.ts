import { routes } from '@regie/contract/routes.ts';
import { monthToMs } from '@regie/values/month.ts';
import { Api } from './support/api.ts';
import { type RunningApp, startApp } from './support/app.ts';
import { readTracks } from './support/books.ts';
import { readMailedCode } from './support/mail.ts';
import { addAuthenticator } from './support/passkeys.ts';
import { addPayee, bankForm, makeIban } from './support/payees.ts';
import { sidebarOf } from './support/sidebar.ts';
import {
  addColleague,
  backdatePayments,
  choosePassword,
  removeOtherSignatories,
  withBookkeeper,
} from './support/staff.ts';
import { sendStatement } from './support/statements.ts';
import { countClicks, expect, expectNoAxeViolationsInBoth, signIn, test } from './support/test.ts';

/** Before the demo's first. */
const month = '2024-10';

// These apply to everybody: they have their own app.
let app: RunningApp;
test.beforeAll(async () => {
  test.setTimeout(240_000);
  app = await startApp();
});
test.afterAll(() => app?.stop());

/** A statement of the month from each of five sources, with tracks of many accounts, posted. */
async function postMonth(own: Api): Promise<void> {
  const tracks = await readTracks(own);
  for (const number of [1, 2, 3, 4, 5]) {
    const source = `Source ${number}`;
    const net = `Net ${number}`;
    await own.call(routes.createPreset, {
      body: {
        ...{ source, name: source, optional: [], signature: [net], absent: [], kinds: {}, skip: [], footers: [] },
        columns: { isrc: ['ISRC'], amount: [net], month: ['Mois'], currency: ['Devise'] },
        monthForms: ['YYYYMM'],
        decimalMark: ',',
      },
    });
    const lines = tracks
      .filter((_, index) => index % 5 === number - 1)
      .map(({ isrc }) => `${isrc};${month.replace('-', '')};EUR;4,${number}0\n`);
    const id = await sendStatement(own, `releve-${number}.csv`, `ISRC;Mois;Devise;${net}\n${lines.join('')}`);
    await own.checkStatement(id, { confirmDuplicates: true });
  }
  await own.postMonth(month);
}

test('103 accounts are paid in six clicks and four signatures of a second person; the others have a reason', async ({
  browser,
}) => {
  const context = await browser.newContext({ baseURL: app.url });
  const page = await context.newPage();
  await signIn(page, app.email, app.password);
  const own = new Api(page.request);
  await own.readCsrf();
  await withBookkeeper(app.dataDir, app.url, async (bookkeeper) => {
    const ana = await addPayee(bookkeeper, { fname: 'Ana', lname: 'Essai' }, 12.5);
    const changed = await addPayee(bookkeeper, { fname: 'Béa', lname: 'Essai' }, 12.5);
    const advanced = await addPayee(bookkeeper, { fname: 'Cléo', lname: 'Essai' }, 12.5);
    // The demo has fewer than 103 accounts to pay.
    const others = [];
    for (const fname of 'Dan Emma Flo Gil Hugo Inès Jo Kim Luc Max Noé Oda Pia Rex Sam'.split(' ')) {
      others.push(await addPayee(bookkeeper, { fname, lname: 'Essai' }, 12.5));
    }
    // A large amount is an alert.
    const rich = { userId: others[0]?.id ?? 0, fromDate: monthToMs(month), incomeOfYoutube: 10_000 };
    await own.call(routes.createYoutubeReport, { body: rich });
    await own.call(routes.requestPayout, { body: { userId: ana.id, account: ana.billingId, amount: 5 } });
    await postMonth(own);
    await own.call(routes.editBankAccount, {
      params: { id: changed.billingId },
      body: bankForm(changed.owner, makeIban()),
    });
    await own.sign('billing', changed.billingId);
    await own.call(routes.editProfile, {
      params: { id: advanced.id },
      body: { fname: 'Cléo', lname: 'Essai', country: 'France', income: 2012.5, reason: 'Avance' },
    });

    // Who signs may only read.
    const second = await (await browser.newContext({ baseURL: app.url })).newPage();
    const { email, password } = await choosePassword(app.dataDir, 'lecture@regie.example');
    await signIn(second, email, password);
    const clickSecond = countClicks();
    let signed = 0;
    const waiting = second.getByRole('main').getByRole('link', { name: /signatures attendues de vous/ });
    const sign = async (name: RegExp) => {
      await clickSecond(second.getByRole('main').getByRole('link', { name }));
      await clickSecond(second.getByRole('button', { name: 'Signer', exact: true }));
      signed += 1;
      await expect(second.getByRole('status').filter({ hasText: 'Votre signature' }).first()).toBeVisible();
    };
    await test.step('home and the sidebar count the records to sign', async () => {
      await second.goto('/');
      const theirs = new Api(second.request);
      const { items } = (await theirs.call(routes.listSignables)).data;
      const count = items.filter(({ signing }) => signing.canSign).length;
      expect(count).toBeGreaterThanOrEqual(3);
      await expect(waiting).toContainText(String(count));
      await expect(
        sidebarOf(second).getByRole('button', { name: `Administration, ${count} en attente` }),
      ).toBeVisible();
    });
    await clickSecond(waiting);
    for (const name of [
      /^Mois comptabilisé\s: octobre 2024$/,
      /Coordonnées de paiement .+ · •••• \w{4}$/,
      /^Régularisation proposée · Compte Cléo Essai$/,
    ]) {
      await sign(name);
      // Nothing is left to sign there.
      await expect(second).toHaveURL('/signatures');
    }

    const click = countClicks();
    await page.goto('/');
    await click(page.getByRole('link', { name: /^Comptes à payer/ }).first());
    await expect(page).toHaveURL('/payouts/unpaid-accounts');
    await click(page.getByRole('link', { name: 'Payer tout le monde' }));
    await expect(page).toHaveURL('/payouts/everyone');
    const main = page.getByRole('main');
    const reason = main.locator('summary').filter({ hasText: 'Compte desactive' });
    await expect(reason).toHaveText(/^Compte desactive\d+\scomptes?, [\d\s]+,\d\d\s€$/);
    await expect(main).not.toContainText('Bénéficiaire en double');
    const anas = main.getByRole('row').filter({ hasText: ana.owner });
    await expect(anas).toHaveText([/Remplace V-\d{6}\s: un seul versement.*11,90.*Jamais payé/]);
    await expectNoAxeViolationsInBoth(page);
    await page.setViewportSize({ width: 390, height: 844 });
    const table = main.getByRole('group', { name: /^À vérifier/ });
    const alert = anas.first().getByText('Jamais payé');
    await alert.scrollIntoViewIfNeeded();
    const box = await alert.boundingBox();
    expect((box?.x ?? 0) + (box?.width ?? 999)).toBeLessThanOrEqual(390);
    for (const scrolled of [table, reason]) {
      const hidden = await scrolled.evaluate(
        ({ scrollHeight, clientHeight, scrollWidth, clientWidth }) =>
          scrollHeight - clientHeight + scrollWidth - clientWidth,
      );
      expect(hidden).toBeLessThanOrEqual(1);
    }
    await page.setViewportSize({ width: 1280, height: 720 });
    await click(main.getByRole('checkbox', { name: 'J’ai vérifié ces alertes' }));
    const create = main.getByRole('button', { name: /^Créer le lot de \d+ versements$/ });
    const count = Number(/\d+/.exec((await create.textContent()) ?? '')?.[0]);
    expect(count).toBeGreaterThanOrEqual(103);
    await click(create);
    await expect(page).toHaveURL(/\/payouts\/batches\/\d+$/);
    const params = { id: Number(page.url().split('/').at(-1)) };
    const { data: batch } = await own.call(routes.getBatch, { params });
    expect(batch.count).toBe(count);
    await expect(page.getByText('0 signature sur 2')).toBeVisible();
    await second.goto('/');
    await clickSecond(waiting);
    await sign(new RegExp(`n° ${params.id}`));
    await expect(second.getByText('1 signature sur 2')).toBeVisible();
    expect(signed).toBeLessThanOrEqual(4);
    expect(clickSecond.count).toBeLessThanOrEqual(10);
    await second.context().close();
    const downloaded = page.waitForEvent('download', (download) => download.suggestedFilename().endsWith('sepa.xml'));
    await click(page.getByRole('button', { name: 'Exporter les fichiers' }));
    const asked = page.getByRole('dialog', { name: 'Vous êtes sure?' });
    await click(asked.getByRole('button', { name: 'Exporter le lot' }));
    await downloaded;
    expect(click.count).toBeLessThanOrEqual(6);
  });
  await backdatePayments(app.dataDir);
  await context.close();
});

test('a house with one signatory shows a warning', async ({ browser }) => {
  await removeOtherSignatories(app.dataDir, app.email);
  const context = await browser.newContext({ baseURL: app.url });
  const page = await context.newPage();
  await signIn(page, app.email, app.password);
  await expect(page.getByText('Un seul signataire : ses signatures n’ont pas de second contrôle.')).toBeVisible();
  await page.goto('/accounts/manage-admins');
  await expect(page.getByText('Un seul signataire : il signe seul. Proposez-en d’autres.')).toBeVisible();
  await expectNoAxeViolationsInBoth(page);
  await context.close();
});

test('when a second factor is required, admins without one are sent to add it', async ({ browser }) => {
  const context = await browser.newContext({ baseURL: app.url });
  const page = await context.newPage();
  await signIn(page, app.email, app.password);
  const own = new Api(page.request);
  await own.readCsrf();
  const payee = await withBookkeeper(app.dataDir, app.url, (bookkeeper) =>
    addPayee(bookkeeper, { fname: 'Lina', lname: 'Essai' }, 40),
  );
  const request = { userId: payee.id, account: payee.billingId, amount: 20 };
  const { data: payout } = await own.call(routes.requestPayout, { body: request });
  const { data: other } = await own.call(routes.requestPayout, { body: request });
  const { data: batch } = await own.call(routes.createBatch, {
    body: { payouts: [other.payoutId], confirmWarnings: true },
  });
  await page.goto('/settings/security');
  await page.getByRole('radio', { name: /^Obligatoire pour payer/ }).check();
  await page.getByRole('button', { name: 'Enregistrer', exact: true }).click();
  await expect(page.getByText('Les réglages sont enregistrés').first()).toBeVisible();

  const pay = async () => {
    await page.goto(`/payouts/payout/${payout.payoutId}`);
    await page.getByRole('combobox', { name: 'État' }).selectOption('PAID');
    await page.getByRole('button', { name: 'Enregistrer', exact: true }).click();
  };
  const missing = page.getByRole('dialog', { name: 'Un second facteur est nécessaire' });
  await test.step('with the password alone, no payment details are changed and nothing is exported', async () => {
    await page.goto(`/accounts/bank-account/${payee.billingId}`);
    await page.getByRole('textbox', { name: 'IBAN ou numéro de compte' }).fill(makeIban());
    await page.getByRole('button', { name: 'Enregistrer', exact: true }).click();
    await expect(missing).toBeVisible();
    await page.goto(`/payouts/batches/${batch.id}`);
    await page.getByRole('button', { name: 'Exporter les fichiers' }).click();
    await page
      .getByRole('dialog', { name: 'Vous êtes sure?' })
      .getByRole('button', { name: 'Exporter le lot' })
      .click();
    await expect(missing).toBeVisible();
    expect((await own.call(routes.getBatch, { params: { id: batch.id } })).data.state).toBe('draft');
  });
  await pay();
  await expect(missing).toBeVisible();
  await expectNoAxeViolationsInBoth(page);
  await missing.getByRole('link', { name: 'Ouvrir Sécurité' }).click();
  await expect(page).toHaveURL(/\/account\/security$/);

  await addAuthenticator(page);
  await page.getByRole('button', { name: 'Ajouter une clé d’accès' }).click();
  const dialog = page.getByRole('dialog', { name: 'Ajouter une clé d’accès' });
  await dialog.getByLabel(/^Votre mot de passe actuel/).fill(app.password);
  await dialog.getByRole('button', { name: 'Envoyer le code' }).click();
  await dialog.getByRole('textbox', { name: 'Code reçu par e-mail' }).fill('00000000');
  await dialog.getByRole('button', { name: 'Continuer' }).click();
  await expect(dialog.getByText(/^Ce code/)).toBeVisible();
  await dialog
    .getByRole('textbox', { name: 'Code reçu par e-mail' })
    .fill(await readMailedCode(app.dataDir, app.email));
  await dialog.getByRole('button', { name: 'Continuer' }).click();
  await page.getByRole('button', { name: 'J’ai noté mes codes' }).click();
  await pay();
  await expect(page.getByRole('combobox', { name: 'État' })).toHaveValue('PAID');
  await expect
    .poll(async () => (await own.call(routes.getPayout, { params: { id: payout.payoutId } })).data.payoutState)
    .toBe('PAID');

  await test.step('required of everybody: admins without a factor see the page that adds it', async () => {
    const colleague = await addColleague(app.dataDir, 'Omar');
    await page.goto('/settings/security');
    await page.getByRole('radio', { name: 'Obligatoire pour tous' }).check();
    await page.getByRole('button', { name: 'Enregistrer', exact: true }).click();
    await expect(page.getByText('Les réglages sont enregistrés').first()).toBeVisible();
    const theirs = await (await browser.newContext({ baseURL: app.url })).newPage();
    await signIn(theirs, colleague.email, colleague.password);
    await expect(theirs).toHaveURL('/account/security');
    await expect(theirs.getByText('Un second facteur est obligatoire', { exact: false })).toBeVisible();
    await theirs.goto('/payouts/pending');
    await expect(theirs).toHaveURL('/account/security');
    await theirs.context().close();
  });
  await context.close();
});
