import { type MailServer, startMailServer } from '@regie/api/test/mail-server.ts';
import { routes } from '@regie/contract/routes.ts';
import { monthOfInstant } from '@regie/values/month.ts';
import { Api } from './support/api.ts';
import { type RunningApp, startApp } from './support/app.ts';
import { makeAccountsReachable } from './support/staff.ts';
import { countClicks, expect, expectNoAxeViolationsInBoth, signIn, test } from './support/test.ts';

// The statements of all accounts, and a mail server: they have their own app.
let app: RunningApp;
let mail: MailServer;
const refused = 'refuse@exemple.fr';
test.beforeAll(async () => {
  test.setTimeout(240_000);
  mail = await startMailServer((address) => address === refused);
  app = await startApp({ SMTP_URL: mail.url, LETTERS_PER_MINUTE: '6000' });
});
test.afterAll(async () => {
  await app?.stop();
  await mail?.stop();
});

test('from a posted month, 140 statements are sent in five clicks; a customer checks one to the file’s line', async ({
  browser,
}) => {
  const context = await browser.newContext({ baseURL: app.url });
  const page = await context.newPage();
  await signIn(page, app.email, app.password);
  const own = new Api(page.request);
  await own.readCsrf();
  const accounts = await makeAccountsReachable(app.dataDir, refused);
  expect(accounts).toBeGreaterThanOrEqual(140);

  const { data: board } = await own.call(routes.listMonths);
  const posted = board.months.findLast(({ month }) => {
    const cells = board.cells.filter((cell) => cell.month === month);
    return cells.length > 0 && cells.every(({ state }) => state === 'posted');
  });
  if (!posted) throw new Error('no month is posted');
  await page.goto(`/reporting/months/${monthOfInstant(posted.month)}`);
  const click = countClicks();
  await click(page.getByRole('link', { name: 'Publier des relevés' }));
  await click(page.getByRole('button', { name: 'Publier les relevés' }));
  await click(page.getByRole('dialog').getByRole('button', { name: 'Publier les relevés' }));
  await click(page.getByRole('button', { name: 'Envoyer les relevés' }));
  await expect(page.getByRole('dialog')).toContainText(`${accounts} e-mails partiront`);
  await click(page.getByRole('dialog').getByRole('button', { name: 'Envoyer' }));
  expect(click.count).toBe(5);
  await expect(page.getByText(`${accounts - 1} relevés envoyés`)).toBeVisible({ timeout: 90_000 });
  await page.getByRole('link', { name: '1 non remis' }).click();
  await expect(page.getByText('Refusé par le serveur du destinataire')).toBeVisible();
  await expectNoAxeViolationsInBoth(page);
  const delivered = mail.deliveries.filter((to) => /^client\d+@/.test(to));
  expect(delivered).toHaveLength(accounts - 1);
  expect(new Set(delivered).size).toBe(accounts - 1);

  await test.step('home leads to what was not delivered', async () => {
    await page.goto('/');
    await page.getByRole('link', { name: /relevé client non remis/ }).click();
    await page.getByRole('row').filter({ hasText: 'Refusé' }).getByRole('link').first().click();
    await expect(page.getByText('Corrigez l’adresse e-mail du compte')).toBeVisible();
  });

  // The demo's own statements have the income of the last month.
  const [run] = (await own.call(routes.listRoyaltyRuns, { query: { order: 'asc', limit: 1 } })).data;
  const { data: rows } = await own.call(routes.listRoyaltyStatements, {
    query: { runId: run?.id, sort: 'income', order: 'desc', letter: 'sent', limit: 10 },
  });
  const statements = await Promise.all(
    rows.map(async ({ id }) => (await own.call(routes.getRoyaltyStatement, { params: { id } })).data),
  );
  const statement = statements.find(({ record }) => record?.income.tracks.some(({ trackId }) => trackId !== null));
  const track = statement?.record?.income.tracks.find(({ trackId }) => trackId !== null);
  if (!statement?.link || !track) throw new Error('no statement has a track');

  const visitor = await browser.newContext({ javaScriptEnabled: false, baseURL: app.url });
  const own2 = await visitor.newPage();
  await own2.goto(new URL(statement.link).pathname);
  await expect(own2.getByRole('heading', { level: 1 })).toHaveText(`Relevé n° ${statement.number}`);
  await expect(own2.getByText('Report à nouveau')).toBeVisible();
  await own2
    .getByRole('row')
    .filter({ hasText: track.title ?? '' })
    .getByRole('link', { name: 'Pourquoi ce montant ?' })
    .first()
    .click();
  await expect(own2.getByRole('heading', { level: 1 })).toHaveText(track.title ?? '');
  await expect(own2.getByText(/, ligne \d+/).first()).toBeVisible();
  await own2.getByRole('link', { name: 'Retour au relevé' }).click();
  const [pdf] = await Promise.all([
    own2.waitForEvent('download'),
    own2.getByRole('link', { name: 'Télécharger le PDF' }).click(),
  ]);
  expect(pdf.suggestedFilename()).toMatch(/\.pdf$/);
  await visitor.close();

  await test.step('once the link is revoked, the page is gone', async () => {
    await page.goto(`/accounts/statement-out/${statement.id}`);
    await page.getByRole('button', { name: 'Lien du client' }).click();
    await page.getByRole('menuitem', { name: 'Révoquer le lien' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Révoquer le lien' }).click();
    await expect(page.getByText('Le lien est révoqué').first()).toBeVisible();
    const gone = await page.request.get(new URL(statement.link ?? '').pathname);
    expect(gone.status()).toBe(404);
  });
  await context.close();
});
