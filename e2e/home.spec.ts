import { routes } from '@regie/contract/routes.ts';
import { addPayee, openAs } from './support/payees.ts';
import { expectReady, findRecordIds, watchShifts } from './support/screens.ts';
import { expect, expectNoAxeViolations, test } from './support/test.ts';

test('the palette finds every allowed screen and record, and nothing else', async ({
  page,
  api,
  bookkeeper,
  browser,
}) => {
  const mark = crypto.randomUUID().slice(0, 8);
  const payee = await addPayee(bookkeeper, { fname: 'Ondine', lname: `Essai-${mark}` }, 90);
  const { data: payout } = await api.call(routes.requestPayout, {
    body: { userId: payee.id, account: payee.billingId, amount: 30 },
  });
  const { data: ticket } = await api.call(routes.createTicket, {
    body: { title: `Reprise ${mark}`, url: 'https://video.example/reprise' },
  });
  const { data: delivered } = await api.call(routes.listDeliveredReleases, { query: { limit: 20 } });
  const coded = delivered.find(({ barcode }) => barcode !== null);
  if (!coded) throw new Error('the demo has no release with a barcode');
  const { data: resources } = await api.call(routes.getResources, { params: { id: coded.id } });
  const isrc = resources.release.tracks.find((track) => track.isrc !== null)?.isrc ?? '';

  const box = page.getByRole('combobox', { name: 'Aller à' });
  const open = async () => {
    await page.keyboard.press('ControlOrMeta+k');
    await expect(box).toBeFocused();
  };
  /** Opens the first result of a kind for a text. */
  const go = async (text: string, kind: string, name: string) => {
    await open();
    await box.fill(text);
    await page.getByRole('group', { name: kind }).getByRole('option', { name }).first().click();
    await expect(box).toHaveCount(0);
    await expectReady(page);
  };
  await page.goto('/');
  await expectReady(page);

  await test.step('with the keyboard alone, screens without an entry in the sidebar too', async () => {
    for (const [text, address, heading] of [
      ['biblio', '/library', 'Bibliothèque'],
      ['contribut', '/library/contributors', 'Contributeurs'],
      ['EDITEURS', '/library/editors', 'Éditeurs'],
    ] as const) {
      await open();
      await box.pressSequentially(text);
      await page.keyboard.press('Enter');
      await expect(page).toHaveURL(address);
      await expect(page.getByRole('heading', { level: 1 })).toContainText(heading);
      await expect(page.getByRole('main')).toBeFocused();
    }
    await open();
    await expect(page.getByRole('option').first()).toBeVisible();
    await page.keyboard.press('ArrowUp');
    await expect(page.getByRole('option').last()).toHaveAttribute('aria-selected', 'true');
    await page.keyboard.press('ArrowDown');
    await expect(page.getByRole('option').first()).toHaveAttribute('aria-selected', 'true');
    await page.keyboard.press('ControlOrMeta+k');
    await expect(box).toHaveCount(0);
  });

  await test.step('records, by their names and numbers', async () => {
    await go(`essai-${mark}`, 'Comptes', payee.owner);
    await expect(page).toHaveURL(`/accounts/profiles/${payee.id}`);
    await go(String(payout.payoutId), 'Versements', payee.owner);
    await expect(page).toHaveURL(`/payouts/payout/${payout.payoutId}`);
    await go(coded.barcode ?? '', 'Sorties', coded.title);
    await expect(page).toHaveURL(`/library/release/${coded.id}`);
    await page.goto('/');
    await expectReady(page);
    await go(isrc.replace(/^(..)(...)(..)/, '$1-$2-$3-'), 'Titres', isrc);
    await expect(page).toHaveURL(/\/library\/track\/\d+$/);
    await expect(page.getByRole('navigation', { name: 'Fil d’Ariane' })).toContainText(coded.title);
    await go(`dt-${ticket.id}`, 'Tickets', `Reprise ${mark}`);
    await expect(page).toHaveURL(`/tools/ticket/${ticket.id}`);
    await expect(page.getByRole('textbox', { name: 'Titre' })).toHaveValue(`Reprise ${mark}`);
    await page.keyboard.press('Escape');
    await expect(page).toHaveURL('/tools/ticket/opened');
    // The palette does not open over a dialog that is still closing.
    await expect(page.getByRole('textbox', { name: 'Titre' })).toHaveCount(0);
  });

  await test.step('Enter pressed before the response waits for it', async () => {
    await open();
    await box.fill(`Reprise ${mark}`);
    await expect(page.getByRole('group', { name: 'Tickets' }).getByRole('option')).toHaveCount(1);
    const { promise: held, resolve: release } = Promise.withResolvers<void>();
    const searches = '**/api/search?*';
    await page.route(searches, async (route) => {
      await held;
      await route.continue();
    });
    const asked = page.waitForRequest(searches);
    await box.fill(coded.barcode ?? '');
    await page.keyboard.press('Enter');
    await asked;
    await expect(box).toBeFocused();
    release();
    await expect(page).toHaveURL(`/library/release/${coded.id}`);
    await page.unroute(searches);
  });

  await test.step('by its button; Escape restores the focus', async () => {
    const button = page.getByRole('button', { name: 'Rechercher partout' });
    await button.click();
    await box.fill('introuvable-partout');
    await expect(page.getByText('Rien ne correspond à « introuvable-partout »')).toBeVisible();
    await expectNoAxeViolations(page);
    await page.keyboard.press('Escape');
    await expect(button).toBeFocused();
  });

  await test.step('a failed search shows an error, and can be retried', async () => {
    await page.route('**/api/search?*', (route) => route.abort());
    await open();
    await box.fill(`essai-${mark}`);
    const alert = page.getByRole('dialog').getByRole('alert');
    await expect(alert).toContainText('Vérifiez votre connexion internet');
    await page.unroute('**/api/search?*');
    await page.getByRole('button', { name: 'Réessayer' }).click();
    await expect(page.getByRole('group', { name: 'Comptes' }).getByRole('option')).toHaveCount(1);
    await page.keyboard.press('Escape');
  });

  await test.step('it does not discard unsaved input', async () => {
    await page.goto('/accounts/profiles/new');
    await page.getByRole('textbox', { name: 'Prénom' }).fill('Ondine');
    await open();
    await box.fill('journal');
    await page.keyboard.press('Enter');
    await page
      .getByRole('dialog', { name: 'Quitter sans enregistrer ?' })
      .getByRole('button', { name: 'Continuer la saisie' })
      .click();
    await expect(page.getByRole('textbox', { name: 'Prénom' })).toHaveValue('Ondine');
  });

  await test.step('with only the right to read the journal, it finds that screen, and no record', async () => {
    const { page: reader } = await openAs(browser, await api.addAdmin('Luce', ['read_audit']));
    const searches: string[] = [];
    reader.on('request', (request) => {
      if (request.url().includes('/api/search')) searches.push(request.url());
    });
    await reader.goto('/');
    await reader.getByRole('button', { name: 'Rechercher partout' }).click();
    const options = reader.getByRole('option');
    await expect(options.first()).toBeVisible();
    await expect(options.filter({ hasText: 'Journal' })).toHaveCount(1);
    await expect(options.filter({ hasText: 'Réglages' })).toHaveCount(0);
    await expect(options.filter({ hasText: 'Comptes clients' })).toHaveCount(0);
    await reader.getByRole('combobox', { name: 'Aller à' }).fill(`essai-${mark}`);
    await expect(reader.getByText(`Rien ne correspond à « essai-${mark} »`)).toBeVisible();
    expect(searches).toEqual([]);
    await reader.context().close();
  });
});

test('the palette opens filled pages and writes nothing; Ctrl+Enter saves their dialogs', async ({
  page,
  api,
  bookkeeper,
}) => {
  const mark = crypto.randomUUID().slice(0, 8);
  const payee = await addPayee(bookkeeper, { fname: 'Ondine', lname: `Klein${mark}` }, 90);
  await api.call(routes.requestPayout, { body: { userId: payee.id, account: payee.billingId, amount: 31.07 } });
  const writes: string[] = [];
  page.on('request', (request) => {
    if (request.method() !== 'GET' && !request.url().endsWith('/preview')) writes.push(request.url());
  });
  const ask = async (text: string, answer: string | RegExp, address: string | RegExp) => {
    await page.keyboard.press('ControlOrMeta+k');
    await page.keyboard.type(text);
    await expect(page.getByRole('listbox', { name: 'Résultats' }).getByRole('option', { selected: true })).toHaveText(
      answer,
    );
    await page.keyboard.press('Enter');
    await expect(page).toHaveURL(address);
    await expectReady(page);
  };
  await page.goto('/');
  await expectReady(page);
  await ask('clôturer octobre', /^Clôturer octobre\s20/, /\/reporting\/months\/20\d\d-10$/);
  await ask('cloturer octbre', /^Clôturer octobre\s20/, /\/reporting\/months\/20\d\d-10$/);
  await ask(`payer Kelin${mark}`, new RegExp(payee.owner), `/payouts/request?userId=${payee.id}`);
  const crumbs = page.getByRole('navigation', { name: 'Fil d’Ariane' }).getByRole('listitem');
  await expect(crumbs).toHaveText([/^Comptes clients/, new RegExp(payee.owner), 'Demander un versement']);
  await ask(`relevé de klein${mark}`, new RegExp(payee.owner), `/accounts/${payee.id}/statement`);
  await ask('31,07 €', /31,07\s€/, /\/payouts\/payout\/\d+$/);
  await ask('ajouter un taux isk mars 2026', /ISK, mars/, '/accounting/exchange-rates?add=2026-03&currency=ISK');
  const dialog = page.getByRole('dialog', { name: 'Ajouter un taux' });
  const rate = dialog.getByRole('textbox', { name: /^Pour 1/ });
  await expect(rate).toBeFocused();
  await page.keyboard.press('ControlOrMeta+Enter');
  await expect(rate).toHaveAttribute('aria-invalid', 'true');
  expect(writes).toEqual([]);
  await rate.fill('145');
  await page.keyboard.press('ControlOrMeta+Enter');
  await expect(dialog.getByRole('checkbox')).toBeFocused();
  await page.keyboard.press('Space');
  await page.keyboard.press('ControlOrMeta+Enter');
  await expect(dialog).toBeHidden();

  await test.step('the skip links lead to the content and to the action', async () => {
    await page.goto('/accounting/exchange-rates');
    await expectReady(page);
    await page.keyboard.press('Tab');
    await expect(page.getByRole('link', { name: 'Aller au contenu' })).toBeFocused();
    await page.keyboard.press('Enter');
    await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    await expect(page.getByRole('button', { name: 'Ajouter un taux' })).toBeFocused();
    await page.goto('/journal');
    await expectReady(page);
    await expect(page.getByRole('button', { name: 'Aller à l’action' })).toHaveCount(0);
  });
});

test('keys pressed after Ctrl+K go to the palette, not to the page', async ({ page, api }) => {
  await api.call(routes.listPendingPayouts, {});
  const { promise: held, resolve: release } = Promise.withResolvers<void>();
  await page.route('**/palette-*.js', async (route) => {
    await held;
    await route.continue();
  });
  await page.goto('/payouts/pending');
  await expectReady(page);
  await page.keyboard.press('j');
  const rows = page.getByRole('main').getByRole('row');
  await expect(rows.nth(1).getByRole('link').first()).toBeFocused();
  await page.keyboard.press('Enter');
  await expect(page).toHaveURL(/\/payouts\/payout\/\d+/);
  await page.goBack();
  await expect(rows.nth(2)).toBeVisible();
  await page.keyboard.press('j');
  await expect(rows.nth(2).getByRole('link').first()).toBeFocused();
  await page.keyboard.press('ControlOrMeta+k');
  await page.keyboard.type('xjournal/');
  const box = page.getByRole('combobox', { name: 'Aller à' });
  await expect(box).toHaveValue('xjournal/');
  await expect(page.getByRole('checkbox', { checked: true, includeHidden: true })).toHaveCount(0);
  await box.fill('journal');
  await page.keyboard.press('Enter');
  await expect(box).toBeFocused();
  release();
  await expect(page).toHaveURL('/journal');
  await page.unroute('**/palette-*.js');

  await test.step('at later openings too', async () => {
    await page.keyboard.press('ControlOrMeta+k');
    await page.keyboard.type('biblio');
    await expect(box).toHaveValue('biblio');
    await page.keyboard.press('Escape');
    await expect(box).toHaveCount(0);
  });
});

test('home lists pending work, each item linked to its screen', async ({ page, api, browser }) => {
  const { title } = (
    await api.call(routes.createTicket, {
      body: { title: `Réclamation ${crypto.randomUUID().slice(0, 8)}`, url: 'https://video.example/accueil' },
    })
  ).data;
  const moved = await watchShifts(page);
  await page.goto('/');
  const today = page.getByRole('region', { name: 'À traiter aujourd’hui' });
  await test.step('it names what its figures count, and since when they wait', async () => {
    const months = page.getByRole('region', { name: 'Clôture mensuelle' });
    await expect(months.getByRole('link').first()).toContainText('À comptabiliser');
    await expect(today.getByRole('link', { name: /revenus? non attribués?/ })).toContainText('depuis');
    await expect(today.getByRole('link', { name: /ISRC inconnus/ })).toContainText('depuis');
    const boxes = page.getByRole('list', { name: 'Accès rapides' }).getByRole('listitem');
    await expect(boxes.filter({ hasText: 'Versements en attente' })).toContainText(/€, (depuis|aujourd’hui)/);
    await expect(boxes).toHaveCount(6);
    for (const box of await boxes.all()) expect((await box.boundingBox())?.height).toBeLessThanOrEqual(56);
    const income = page.getByRole('region', { name: 'Revenus des 13 derniers mois', exact: true });
    await expect(income).toContainText('Revenus bruts en euros, par mois de comptabilisation');
    expect(await moved()).toBeLessThan(0.001);
    await income.getByText('Voir les chiffres').click();
    const newest = await income.getByRole('row').nth(1).getByRole('cell').innerText();
    await expect(page.getByRole('main').getByText(newest, { exact: true })).toHaveCount(1);
    await months.getByRole('link').first().click();
    await expect(page).toHaveURL(/\/reporting\/months\/\d{4}-\d{2}$/);
    await page.goBack();
  });
  for (const [name, address] of [
    [/sorties? au contrôle qualité/, /\/library\/releases\/paid$/],
    [/ISRC inconnus/, /\/reporting\/imports?(\/\d+)?$/],
    [/tickets? ouverts?/, /\/tools\/ticket\/opened$/],
  ] as const) {
    await test.step(String(name), async () => {
      await today.getByRole('link', { name }).click();
      await expect(page).toHaveURL(address);
      await expectReady(page);
      if (String(address).includes('ticket')) await expect(page.getByRole('main')).toContainText(title);
      await page.goBack();
      await expect(today.getByRole('link', { name })).toBeVisible();
    });
  }
  for (const [box, address] of [
    [/^Comptes \d/, '/accounts/profiles'],
    [/^Sorties en attente \d/, '/library/releases/unpaid'],
    [/^Versements en attente \d/, '/payouts/pending'],
    [/^Créer un rapport .+\d{4}/, '/reporting/platform/add'],
    [/^Voir les rapports \d/, '/reporting/all'],
    [/^Comptes à payer \d/, '/payouts/unpaid-accounts'],
  ] as const) {
    await test.step(String(box), async () => {
      await page.getByRole('main').getByRole('link', { name: box }).click();
      await expect(page).toHaveURL((url) => url.pathname === address);
      await expectReady(page);
      await page.goBack();
    });
  }

  await test.step('with the right to tickets, it shows tickets', async () => {
    const { page: helper } = await openAs(browser, await api.addAdmin('Théo', ['read_tools']));
    await helper.goto('/');
    const shown = helper.getByRole('region', { name: 'À traiter aujourd’hui' }).getByRole('link');
    await expect(helper.getByRole('navigation', { name: 'Rubriques' }).getByRole('link')).not.toHaveCount(0);
    await expect(shown.filter({ hasText: /tickets? ouverts?/ })).toBeVisible();
    await expect(shown).toHaveCount(1);
    await helper.context().close();
  });

  await test.step('alerts link to the journal of those days', async () => {
    // Adding the admin above is an alert. Other tests may add one between the two screens.
    await expect(async () => {
      await page.goto('/');
      const link = today.getByRole('link', { name: /alertes? des 7 derniers jours/ });
      const count = await link.evaluate((node) => /\d+/.exec(node.textContent)?.[0]);
      await link.click();
      await expect(page).toHaveURL((url) => /^\d{4}-\d{2}-\d{2}$/.test(url.searchParams.get('from') ?? ''));
      await expectReady(page);
      await expect(page.getByRole('heading', { level: 1 })).toContainText(String(count), { timeout: 2_000 });
    }).toPass();
  });

  await test.step('without any right, it shows that no section is open', async () => {
    const { page: newcomer } = await openAs(browser, await api.addAdmin('Ana', []));
    await newcomer.goto('/');
    await expect(newcomer.getByRole('main')).toContainText('Vous n’avez encore accès à aucune rubrique');
    await expect(newcomer.getByRole('main')).not.toContainText('À traiter aujourd’hui');
    await newcomer.context().close();
  });
});

test('a report links to its ledger transaction, an account to its invoices', async ({ page, api }) => {
  const { report, transaction } = await findRecordIds(api);
  const { data: entry } = await api.call(routes.getLedgerTransaction, { params: { id: transaction } });
  await page.goto(`/reporting/report/${report}`);
  await page.locator(`a[href="/reporting/transaction/${transaction}"]`).click();
  await expect(page.getByRole('heading', { level: 1 })).toContainText('Écriture');
  const postings = page.getByRole('group', { name: 'Mouvements' }).getByRole('table').first();
  await expect(postings.getByRole('row')).toHaveCount(entry.postings.length + 1);
  for (const { label } of entry.postings) await expect(postings).toContainText(label);

  const [invoice] = (await api.call(routes.listInvoices, { query: { limit: 1, status: 'PAID' } })).data;
  if (!invoice) throw new Error('the demo has no invoice');
  await page.goto(`/accounts/profiles/${invoice.Account.id}`);
  await page.getByRole('main').getByRole('link', { name: 'Factures' }).click();
  await expect(page).toHaveURL(`/accounts/${invoice.Account.id}/invoices`);
  await page.locator(`a[href="/accounts/invoice/${invoice.id}"]`).first().click();
  await expect(page.getByRole('heading', { level: 1 })).toContainText(`#${invoice.id}`);
});
