import { routes } from '@regie/contract/routes.ts';
import { monthToMs } from '@regie/values/month.ts';
import { expectReady, fact } from './support/screens.ts';
import { expect, expectNoAxeViolationsInBoth, test } from './support/test.ts';

test('an entry of each kind names its record and links to it', async ({ page, api }) => {
  test.setTimeout(120_000);
  const mark = crypto.randomUUID().slice(0, 8);
  const [referrer, referred] = await Promise.all(
    ['Parrain', 'Filleul'].map(async (fname) => {
      const body = { fname, lname: `Trace-${mark}`, country: 'France' };
      return (await api.call(routes.createProfile, { body })).data.id;
    }),
  );
  const { data: referral } = await api.call(routes.addReferral, {
    body: { referrerId: referrer ?? 0, referredId: referred ?? 0, percentile: 7.5 },
  });
  const { data: promo } = await api.call(routes.addPromoCode, {
    body: { name: `TRACE${mark}`, amount: 12.5, dueDate: '31/12/2099' },
  });
  const { data: ticket } = await api.call(routes.createTicket, {
    body: {
      ...{ title: `Vidéo ${mark}`, url: 'https://www.youtube.com/watch?v=abc123', isClaimed: true, isProtected: true },
      ...{ startAt: '00:10', endAt: '01:00', userId: referrer },
    },
  });
  const { data: artist } = await api.call(routes.createArtist, { body: { fullname: `Artiste ${mark}` } });
  await api.call(routes.putExchangeRate, {
    body: { month: monthToMs('2021-07'), currency: 'MAD', rate: 10.5, confirmFar: true },
  });

  const name = (fname: string) => `${fname} Trace-${mark}`;
  const kinds: [entity: string, id: number | string, link: string, address: string | RegExp, seen: string][] = [
    ['account', referrer ?? 0, `Compte ${name('Parrain')}`, `/accounts/profiles/${referrer}`, name('Parrain')],
    [
      ...(['referral', referral.id, `Parrainage ${name('Parrain')} → ${name('Filleul')}`] as const),
      ...([`/accounts/${referrer}/referrals`, name('Filleul')] as const),
    ],
    ['promo_code', promo.id, `Code promo TRACE${mark}`, `/services/promo-codes?q=TRACE${mark}`, `TRACE${mark}`],
    ['ticket', ticket.id, `Ticket n° ${ticket.id}, Vidéo ${mark}`, `/tools/ticket/${ticket.id}`, `Vidéo ${mark}`],
    ['artist', artist.id, `Artiste Artiste ${mark}`, /\/library\/artists\?q=Artiste/, `Artiste ${mark}`],
    [
      ...(['exchange_rate', '2021-07 MAD', 'Taux de change MAD, juil. 2021'] as const),
      ...(['/accounting/exchange-rates?currency=MAD', 'juil. 2021'] as const),
    ],
  ];
  for (const [entity, id, link, address, seen] of kinds) {
    await test.step(entity, async () => {
      await page.goto(`/journal?entity=${entity}&entityId=${encodeURIComponent(String(id))}`);
      await page.getByRole('link', { name: link }).first().click();
      await expect(page).toHaveURL(address);
      await expectReady(page);
      await expect(page.getByRole('main').getByText(seen).first()).toBeVisible();
    });
  }

  await test.step('the drawer shows values as labels, with links', async () => {
    await page.goto(`/journal?entity=referral&entityId=${referral.id}`);
    await expect(page.getByRole('main')).toContainText(`parrain : ${name('Parrain')}`);
    await page.getByRole('button', { name: /^Parrainage ajouté/ }).click();
    const entry = page.getByRole('dialog', { name: /^Parrainage ajouté/ });
    await expect(fact(entry, 'pourcentage')).toHaveText(/7,5\s%$/);
    await expectNoAxeViolationsInBoth(page);
    await fact(entry, 'filleul')
      .getByRole('link', { name: name('Filleul') })
      .click();
    await expect(page).toHaveURL(`/accounts/profiles/${referred}`);
  });
});

test('sign-ins are shown on request', async ({ page, api: _ }) => {
  await page.goto('/journal');
  await expectReady(page);
  await expect(page.getByRole('button', { name: /^Connexion,/ })).toHaveCount(0);
  await page.getByRole('button', { name: 'Filtrer par Connexions' }).click();
  await page.getByRole('radio', { name: 'Connexions seules' }).click();
  await expect(page).toHaveURL(/signIns=only/);
  await expect(page.getByRole('button', { name: /^Connexion,/ }).first()).toBeVisible();
  await expect(page.getByRole('button', { name: /^(Administrateur|Mois)/ })).toHaveCount(0);
});
