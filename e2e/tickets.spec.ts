import { routes } from '@regie/contract/routes.ts';
import { expectReady, fact, readExport } from './support/screens.ts';
import { countClicks, expect, expectNoAxeViolations, signIn, test } from './support/test.ts';

test('a claim is opened for a track, corrected, closed, and links to its track and customer', async ({ page, api }) => {
  const mark = crypto.randomUUID().slice(0, 8);
  const { data: tracks } = await api.call(routes.lookupTracks, { query: { q: '' } });
  const isrcOf = (hint: string) => / · ([A-Z]{2}[A-Z0-9]{3}\d{7}) · /.exec(hint)?.[1];
  const track = tracks.find(({ hint }) => isrcOf(hint));
  if (!track) throw new Error('the demo has no track with an ISRC');
  const isrc = isrcOf(track.hint) ?? '';
  const title = `Vlog du port ${mark}`;

  await page.goto('/tools/ticket/opened');
  await page.getByRole('button', { name: 'Nouveau ticket' }).click();
  const creation = page.getByRole('dialog', { name: 'Nouveau ticket' });
  // The fields are higher than a phone: its buttons stay in view above them.
  await page.setViewportSize({ width: 390, height: 600 });
  await expect(creation.getByRole('button', { name: 'Créer le ticket' })).toBeInViewport({ ratio: 1 });
  await page.setViewportSize({ width: 1440, height: 900 });
  await creation.getByRole('button', { name: 'Créer le ticket' }).click();
  await expect(creation.getByRole('textbox', { name: 'Titre', exact: true })).toBeFocused();
  await expect(creation.getByText('Donnez un titre au ticket', { exact: true })).toBeVisible();
  await creation.getByRole('textbox', { name: 'Titre', exact: true }).fill(title);
  await creation.getByRole('combobox', { name: 'Titre concerné' }).fill(isrc);
  await page.getByRole('option').first().click();
  await expect(creation.getByRole('combobox', { name: 'Client' })).toHaveCount(0);
  const start = creation.getByRole('textbox', { name: 'Début du passage' });
  await expect(start).toHaveAttribute('placeholder', '01:23');
  await expect(creation.getByRole('textbox', { name: 'Fin du passage' })).toHaveAttribute('placeholder', '47:56');
  await start.fill('2:5');
  await creation.getByRole('textbox', { name: 'Adresse de la vidéo' }).fill('ma vidéo');
  await creation.getByRole('button', { name: 'Créer le ticket' }).click();
  await expect(creation.getByText('Écrivez des minutes et des secondes, par exemple 01:23').last()).toBeVisible();
  await expect(creation.getByText('L’adresse n’est pas un lien', { exact: false }).last()).toBeVisible();
  await start.fill('2:05');
  await creation.getByRole('textbox', { name: 'Adresse de la vidéo' }).fill(`videos.example/${mark}`);
  await start.focus();
  await expect(creation.getByRole('textbox', { name: 'Adresse de la vidéo' })).toHaveValue(
    `https://videos.example/${mark}`,
  );
  await creation.getByRole('button', { name: 'Créer le ticket' }).click();
  await expect(creation).toBeHidden();

  const [ticket] = (await api.call(routes.listTickets, { params: { status: 'opened' }, query: { q: title } })).data;
  if (!ticket?.Account || !ticket.Track) throw new Error('the ticket is not there, or of nobody');
  expect(ticket).toMatchObject({ startAt: '02:05', endAt: null, Track: { id: track.id, isrc }, status: 'OPENED' });
  const number = `dt-${ticket.id}`;
  await page.getByRole('searchbox', { name: 'Rechercher' }).fill(number);
  const row = page.getByRole('row').filter({ hasText: number });
  await expect(page.getByRole('row')).toHaveCount(2);
  await expect(row).toContainText(title);
  await expect(row).toContainText('Ouvert');
  await expect(row).toContainText('à partir de 02:05');
  await expect(row.getByRole('link', { name: 'Ouvrir la vidéo' })).toHaveAttribute(
    'href',
    `https://videos.example/${mark}`,
  );

  await row.getByRole('link').first().click();
  const dialog = page.getByRole('dialog', { name: `Ticket ${number}` });
  await expect(dialog.getByRole('textbox', { name: 'Titre', exact: true })).toHaveAttribute('readonly');
  await expect(fact(dialog, 'Titre concerné')).toContainText(isrc);
  await expect(fact(dialog, 'Titre concerné').getByRole('link')).toHaveAttribute('href', `/library/track/${track.id}`);
  await expect(fact(dialog, 'Client').getByRole('link')).toHaveAttribute(
    'href',
    `/accounts/profiles/${ticket.Account.id}`,
  );
  await expectNoAxeViolations(page);
  await dialog.getByRole('textbox', { name: 'Fin du passage' }).fill('02:04');
  await dialog.getByRole('button', { name: 'Enregistrer' }).click();
  await expect(dialog.getByText('La fin doit être postérieure au début').last()).toBeVisible();
  await dialog.getByRole('textbox', { name: 'Fin du passage' }).fill('12:34');
  await dialog.getByRole('checkbox', { name: /n’est pas revendiquée/ }).check();
  await dialog.getByRole('combobox', { name: 'État' }).click();
  await page.getByRole('option', { name: 'Fermé' }).click();
  // The response is held, so that the button's busy label is visible.
  const held = Promise.withResolvers<void>();
  await page.route(`**/api/tools/ticket/${ticket.id}`, async (route) => {
    await held.promise;
    await route.continue();
  });
  await dialog.getByRole('button', { name: 'Enregistrer' }).click();
  await expect(dialog.getByRole('button', { name: 'Enregistrement…' })).toBeVisible();
  held.resolve();
  await expect(dialog).toBeHidden();
  await expect(page.getByRole('status').filter({ hasText: 'Le ticket est fermé' })).toBeVisible();
  await expect(row).toHaveCount(0);

  await page.getByRole('navigation').getByRole('link', { name: 'Tickets fermés' }).click();
  await expect(page.getByRole('heading', { level: 1, name: 'Tickets fermés' })).toBeVisible();
  await page.getByRole('searchbox', { name: 'Rechercher' }).fill(number);
  await expect(page).toHaveURL(`/tools/ticket/closed?q=${number}`);
  await expect(row).toContainText('02:05 – 12:34');
  await expect(row).toContainText('Fermé');
  const { name, text } = await readExport(page, page.getByRole('button', { name: 'Exporter' }));
  expect(name).toBe('tickets-fermes.csv');
  expect(text).toContain(`${number};${title};`);
  expect(text.trim().split('\n')).toHaveLength(2);
  expect(text).toContain(isrc);

  await page.goto(`/accounts/${ticket.Account.id}/contracts`);
  await expectReady(page);
  await page.getByRole('link', { name: `Ticket ${number}` }).click();
  await expect(page).toHaveURL(`/tools/ticket/${ticket.id}`);
  await expect(dialog.getByRole('textbox', { name: 'Titre', exact: true })).toHaveValue(title);
  await dialog.getByRole('button', { name: 'Annuler' }).click();
  await expect(page).toHaveURL('/tools/ticket/closed');

  await page.getByRole('searchbox', { name: 'Rechercher' }).fill('rien de tel nulle part');
  await expect(page.getByText('Aucun résultat ne correspond à ces filtres')).toBeVisible();
});

test('a claim is closed with a note in three clicks from the home page', { tag: '@area' }, async ({ page, api }) => {
  const title = `Reprise ${crypto.randomUUID().slice(0, 8)}`;
  const body = { title, url: 'https://videos.example/reprise' };
  const { data: ticket } = await api.call(routes.createTicket, { body });
  await page.goto('/');
  await expectReady(page);
  const click = countClicks();
  await click(page.getByRole('main').getByRole('link', { name: /tickets? ouverts?/ }));
  const row = page.getByRole('row').filter({ hasText: title });
  await click(row.getByRole('link').first());
  const dialog = page.getByRole('dialog', { name: `Ticket dt-${ticket.id}` });
  await expect(dialog.getByRole('textbox', { name: 'Note' })).toBeFocused();
  await page.keyboard.type('La plateforme a levé la revendication.');
  await click(dialog.getByRole('button', { name: 'Fermer le ticket' }));
  await expect(page.getByRole('status').filter({ hasText: 'Le ticket est fermé' })).toBeVisible();
  await expect(row).toHaveCount(0);
  expect(click.count).toBeLessThanOrEqual(3);
  const closed = await api.call(routes.listTickets, { params: { status: 'closed' }, query: { q: title } });
  expect(closed.data).toMatchObject([{ id: ticket.id, note: 'La plateforme a levé la revendication.' }]);
  await page.getByRole('button', { name: 'Rouvrir le ticket' }).click();
  await expect(page.getByRole('status').filter({ hasText: 'Le ticket est rouvert' })).toBeVisible();
  await expect(row).toContainText('La plateforme a levé la revendication.');
  await row.getByRole('link').first().click();
  await dialog.getByRole('button', { name: 'Fermer le ticket' }).click();
  await expect(row).toHaveCount(0);
  await page.goto(`/tools/ticket/closed?q=dt-${ticket.id}`);
  await expect(row).toContainText('La plateforme a levé la revendication.');
});

test('a ticket has an address, and is read after the others of its list with j and k', async ({ page, api }) => {
  const mark = crypto.randomUUID().slice(0, 8);
  const ids: number[] = [];
  for (const startAt of ['00:10', '00:20', '02:05']) {
    const body = { title: `Suite ${mark} ${startAt}`, url: `https://www.youtube.com/watch?v=${mark}`, startAt };
    ids.unshift((await api.call(routes.createTicket, { body })).data.id);
  }
  const [newest, middle, oldest] = ids;
  await page.goto(`/tools/ticket/opened?q=${mark}`);
  await expectReady(page);
  await page.keyboard.press('j');
  await page.keyboard.press('Enter');
  await expect(page).toHaveURL(`/tools/ticket/${newest}`);
  const dialog = page.getByRole('dialog', { name: 'Ticket dt-' });
  const title = dialog.getByRole('textbox', { name: 'Titre', exact: true });
  await expect(dialog.getByRole('link', { name: 'Ouvrir la vidéo à 02:05' })).toHaveAttribute('href', /&t=125$/);
  await expect(dialog.getByRole('button', { name: 'Ticket précédent' })).toHaveAttribute('aria-disabled', 'true');
  // A letter is typed into the note, which has the focus.
  await page.keyboard.type('j');
  await expect(dialog.getByRole('textbox', { name: 'Note' })).toHaveValue('j');
  await page.keyboard.press('Backspace');
  await dialog.getByRole('button', { name: 'Ticket suivant' }).click();
  await expect(page).toHaveURL(`/tools/ticket/${middle}`);
  await page.keyboard.press('j');
  await expect(page).toHaveURL(`/tools/ticket/${oldest}`);
  await expect(title).toHaveValue(`Suite ${mark} 00:10`);
  await page.keyboard.press('k');
  await expect(title).toHaveValue(`Suite ${mark} 00:20`);

  await dialog.getByRole('textbox', { name: 'Note' }).fill('À vérifier');
  await page.goBack();
  await page.getByRole('button', { name: 'Continuer la saisie' }).click();
  await expect(page).toHaveURL(`/tools/ticket/${middle}`);
  // The question takes the keys: `j` does not ask once more, and Escape answers it alone.
  await dialog.getByRole('button', { name: 'Ticket suivant' }).press('Enter');
  await expect(page.getByRole('button', { name: 'Continuer la saisie' })).toBeFocused();
  await page.keyboard.press('j');
  await page.keyboard.press('Escape');
  await expect(page.getByRole('dialog')).toHaveCount(1);
  await expect(dialog.getByRole('textbox', { name: 'Note' })).toHaveValue('À vérifier');
  await dialog.getByRole('textbox', { name: 'Note' }).fill('');
  await page.reload();
  await expect(title).toHaveValue(`Suite ${mark} 00:20`);
  await page.goBack();
  await expect(dialog).toBeHidden();
  await expect(page).toHaveURL(`/tools/ticket/opened?q=${mark}`);
  await page.goto('/tools/ticket/abc');
  await expect(page.getByRole('heading', { name: 'Page introuvable' })).toBeVisible();
});

test('a ticket that a colleague saved meanwhile is not overwritten; a reader sees no edit actions', async ({
  page,
  api,
}) => {
  const { data: ticket } = await api.call(routes.createTicket, {
    body: { title: `Extrait ${crypto.randomUUID()}`, url: 'https://videos.example/extrait' },
  });
  const number = `dt-${ticket.id}`;
  await page.goto(`/tools/ticket/opened?q=${number}`);
  const row = page.getByRole('row').filter({ hasText: number });
  await row.getByRole('link').first().click();
  const dialog = page.getByRole('dialog', { name: `Ticket ${number}` });
  await dialog.getByRole('checkbox', { name: /déjà protégé/ }).check();
  await api.call(routes.editTicket, { params: { id: ticket.id }, body: { ...ticket, startAt: '00:30' } });
  await dialog.getByRole('button', { name: 'Enregistrer' }).click();
  await expect(dialog.getByRole('alert').filter({ hasText: 'Le ticket a changé' })).toBeVisible();
  await dialog.getByRole('button', { name: /^Recharger/ }).click();
  await expect(dialog).toBeHidden();
  await expect(row).toContainText('à partir de 00:30');

  const reader = await api.addAdmin('Lectrice', ['read_tools']);
  await page.context().clearCookies();
  await signIn(page, reader.email, reader.password);
  await page.goto(`/tools/ticket/opened?q=${number}`);
  await expectReady(page);
  await expect(page.getByRole('button', { name: 'Nouveau ticket' })).toHaveCount(0);
  await row.getByRole('link').first().click();
  await expect(fact(dialog, 'Passage')).toHaveText('à partir de 00:30');
  await expect(fact(dialog, 'Le contenu est déjà protégé')).toHaveText('Non');
  await expect(dialog.getByRole('button', { name: 'Enregistrer' })).toHaveCount(0);
  await expectNoAxeViolations(page);
});
