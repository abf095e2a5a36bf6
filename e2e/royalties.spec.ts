import { routes } from '@regie/contract/routes.ts';
import { expectReady, readDownload } from './support/screens.ts';
import { addColleague } from './support/staff.ts';
import { expect, expectNoAxeViolationsInBoth, signIn, test } from './support/test.ts';

test('the statements of a month are published in three clicks, and lead from opening to closing', async ({
  page,
  api,
}) => {
  await page.goto('/accounts/statements-out');
  await expectReady(page);
  await page.getByRole('link', { name: 'Publier des relevés' }).click();
  await expectReady(page);
  await expect(page.getByText('Compte bloqué ou désactivé').first()).toBeVisible();
  await expectNoAxeViolationsInBoth(page);
  await page.getByRole('button', { name: 'Publier les relevés' }).click();
  const dialog = page.getByRole('dialog');
  await expect(dialog).toContainText('Un relevé publié ne change plus');
  await dialog.getByRole('button', { name: 'Publier les relevés' }).click();
  await expect(page.getByText(/^Publiés le /)).toBeVisible();
  await expectNoAxeViolationsInBoth(page);
  // The demo's own run has the income of its last month.
  const [oldest] = (await api.call(routes.listRoyaltyRuns, { query: { order: 'asc', limit: 1 } })).data;
  const ofDemo = { runId: oldest?.id, sort: 'income', order: 'desc', limit: 1 };
  const [first] = (await api.call(routes.listRoyaltyStatements, { query: ofDemo })).data;
  if (!first) throw new Error('the demo has no statement');
  await page.goto(`/accounts/statement-out/${first.id}`);
  await expectReady(page);
  await expect(page.getByRole('group', { name: 'Du report au solde' })).toContainText('Report à nouveau');
  await expectNoAxeViolationsInBoth(page);
  const file = await readDownload(page, page.getByRole('button', { name: 'Lignes (CSV)' }));
  const [head = '', ...lines] = file.text.replace('\ufeff', '').trimEnd().split('\n');
  const column = head.split(';').indexOf('Net en euros');
  const micros = lines.map((line) => Math.round(Number((line.split(';')[column] ?? '').replace(',', '.')) * 1e6));
  const { data: statement } = await api.call(routes.getRoyaltyStatement, { params: { id: first.id } });
  expect(micros.reduce((sum, one) => sum + one, 0)).toBe(Math.round((statement.record?.income.totalEur ?? 0) * 1e6));
  expect(lines).toHaveLength(statement.record?.income.lines ?? 0);
  const [pdf] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('button', { name: 'PDF', exact: true }).click(),
  ]);
  expect(pdf.suggestedFilename()).toBe(`Releve-${first.Account.id}-${first.number}.pdf`);
  await page.goto(`/accounts/${first.Account.id}/statements-out`);
  await expect(page.getByRole('row').filter({ hasText: /oct\./ })).toBeVisible();
});

test('those who only read statements see no publication', async ({ page, dataDir }) => {
  const reader = await addColleague(dataDir, 'Lou', ['read_statements_out']);
  await signIn(page, reader.email, reader.password);
  await page.goto('/accounts/statements-out');
  await expectReady(page);
  await expect(page.getByRole('link', { name: /^Relevés d/ }).first()).toBeVisible();
  await expect(page.getByRole('link', { name: 'Publier des relevés' })).toHaveCount(0);
});
