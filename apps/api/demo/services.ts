import { dayOf, dayText, instantOn } from './calendar.ts';
import { type DemoBlock, type DemoRelease, idLetters, toSlug } from './catalogue.ts';
import { at, Random, seedOf } from './random.ts';

/** Prices including VAT, in cents. */
const planCents = { single: 1990, ep: 2990, album: 4490, label: 19_900 } as const;
const labelFeeCents = 2500;
const expressCents = 1500;

const smartlinksPerBlock = 44;
const ticketsPerBlock = 38;
const lastDay = dayOf('2026-11-12');

const promoCodes = [
  promo('BIENVENUE', 'Première sortie', 20, '2027-12-31', '2023-01-09'),
  promo('RENTREE25', 'Rentrée 2025', 15, '2025-10-15', '2025-08-25'),
  promo('RENTREE26', 'Rentrée 2026', 15, '2026-10-15', '2026-08-24'),
  promo('FETEMUSIQUE', 'Fête de la musique', 21, '2026-06-30', '2026-06-01'),
  promo('NOEL25', 'Offre de fin d’année', 30, '2025-12-31', '2025-12-01'),
  promo('NOEL26', 'Offre de fin d’année', 30, '2026-12-31', '2026-10-28'),
  promo('PRINTEMPS', 'Printemps des indépendants', 10, '2026-05-31', '2026-03-20'),
  promo('PARTENAIRE', 'Écoles de musique partenaires', 50, '2027-06-30', '2024-09-02'),
  promo('LABEL10', 'Abonnement label, deuxième année', 10, '2027-03-31', '2025-03-31'),
  promo('PRESSE', 'Presse et radios', 100, '2026-12-31', '2024-11-04'),
  promo('ESTIVAL', 'Festivals de l’été', 12.5, '2026-08-31', '2026-05-18'),
  promo('PARRAIN', 'Parrainage', 25, '2027-12-31', '2025-01-06'),
];

function promo(name: string, description: string, percent: number, due: string, created: string) {
  return { name, description, percent, dueDay: dayOf(due), createdDay: dayOf(created) };
}

/** A block's promo codes; names are unique. */
export function inventPromoCodes(block: DemoBlock) {
  const suffix = block.index === 0 ? '' : `-${block.index + 1}`;
  return promoCodes.map((code) => ({ ...code, name: code.name + suffix }));
}

type OrderStatus = 'pending' | 'paid' | 'cancelled';

/** Orders and label subscriptions, oldest first; paid ones get their invoice at loading. */
export function inventOrders(block: DemoBlock) {
  const random = new Random(seedOf('orders', block.index));
  const codes = inventPromoCodes(block);
  const orders = block.releases.flatMap((release, index) => {
    const { owner, plan, createdDay: day, hasExpressDelivery } = release;
    const status = orderStatus(random, release);
    if (!status || !plan || plan === 'label') return [];
    const { email } = at(block.accounts, owner);
    const hasPremiumLabel = release.label !== '' && random.chance(0.5);
    const wanted = { owner, release: index, plan, status, dueDay: null };
    return [inventOrder(random, codes, wanted, { email, day, hasPremiumLabel, hasExpressDelivery })];
  });
  const subscriptions = block.accounts.flatMap(({ role, joinedDay, email }, owner) => {
    if (role !== 'label') return [];
    const firstDay = Math.max(joinedDay, dayOf('2023-01-01'));
    const years = Math.floor((lastDay - firstDay) / 365) + 1;
    return Array.from({ length: years }, (_, year) => {
      const day = firstDay + year * 365 + random.int(0, 4);
      const isEnded = year === years - 1 && random.chance(0.2);
      const status: OrderStatus = isEnded ? random.pick(['pending', 'cancelled']) : 'paid';
      const wanted = { owner, release: null, plan: 'label', status, dueDay: day + 365 } as const;
      return inventOrder(random, codes, wanted, { email, day: Math.min(day, lastDay) });
    });
  });
  return [...orders, ...subscriptions].sort((a, b) =>
    a.createdAt < b.createdAt ? -1 : a.createdAt > b.createdAt ? 1 : 0,
  );
}

function orderStatus(random: Random, release: DemoRelease): OrderStatus | undefined {
  if (release.status === 'draft') return undefined;
  if (release.status === 'pending') return 'pending';
  if (release.status === 'cancelled') return random.chance(0.6) ? 'cancelled' : 'paid';
  return 'paid';
}

/** An order of a day, with the columns of `orders` that follow from what is bought. */
function inventOrder(
  random: Random,
  codes: ReturnType<typeof inventPromoCodes>,
  wanted: {
    owner: number;
    /** Index among the block's releases; null for a label subscription. */
    release: number | null;
    plan: keyof typeof planCents;
    status: OrderStatus;
    dueDay: number | null;
  },
  bought: { email: string; day: number; hasPremiumLabel?: boolean; hasExpressDelivery?: boolean },
) {
  const { day } = bought;
  const price = planCents[wanted.plan];
  const fee = bought.hasPremiumLabel ? labelFeeCents : 0;
  const usable = codes.flatMap((code, index) =>
    code.createdDay <= day && day <= code.dueDay && code.percent < 100 ? [index] : [],
  );
  const promoCode = usable.length > 0 && random.chance(0.14) ? random.pick(usable) : null;
  const percent = promoCode === null ? 0 : at(codes, promoCode).percent;
  const isByCard = random.chance(0.78);
  const isPaid = wanted.status === 'paid';
  const createdAt = instantOn(day, random);
  return {
    ...wanted,
    planCents: price,
    labelFeeCents: fee,
    expressCents: bought.hasExpressDelivery ? expressCents : 0,
    discountCents: Math.round(((price + fee) * percent) / 100),
    promoCode,
    cardTransactionId: isPaid && isByCard ? `pi_demo${random.text(idLetters, 20)}` : null,
    receiptEmail: isPaid && isByCard ? bought.email : null,
    paymentReference: isPaid && !isByCard ? `VIR ${dayText(day).slice(0, 4)}-${random.digits(5)}` : null,
    paidAt: !isPaid ? null : isByCard ? createdAt : instantOn(Math.min(day + random.int(1, 6), lastDay), random),
    createdAt,
  };
}

export type DemoSmartlink = ReturnType<typeof inventSmartlinks>[number];

/** Smartlinks of the block's delivered releases. */
export function inventSmartlinks(block: DemoBlock) {
  const random = new Random(seedOf('smartlinks', block.index));
  const delivered = block.releases.flatMap((release, index) => (release.status === 'delivered' ? [index] : []));
  const slugs = new Set<string>();
  return random.sample(delivered, smartlinksPerBlock).map((index, position) => {
    const release = at(block.releases, index);
    const suffix = block.index === 0 ? '' : `-${block.index + 1}`;
    const base = toSlug(`${release.artistName} ${release.title}`).slice(0, 80).replace(/-+$/, '');
    let slug = base + suffix;
    for (let twin = 2; slugs.has(slug); twin += 1) slug = `${base}-${twin}${suffix}`;
    slugs.add(slug);
    const status: 'pending' | 'enabled' = position % 4 === 3 ? 'pending' : 'enabled';
    return {
      release: index,
      slug,
      status,
      createdAt: instantOn(Math.min((release.digitalDay ?? release.createdDay) + random.int(-5, 20), lastDay), random),
      urls: inventUrls(random, release, status === 'pending' ? 0.25 : 0.85),
    };
  });
}

function inventUrls(random: Random, release: DemoRelease, share: number) {
  const artist = toSlug(release.artistName).replaceAll('-', '').slice(0, 30);
  const urls: readonly (readonly [string, string])[] = [
    ['spotify', `https://open.spotify.com/album/${random.int(0, 7)}${random.text(idLetters, 21)}`],
    ['apple-music', `https://music.apple.com/fr/album/1${random.digits(9)}`],
    ['deezer', `https://www.deezer.com/album/${random.digits(9)}`],
    ['youtube-music', `https://music.youtube.com/playlist?list=OLAK5uy_${random.text(idLetters, 33)}`],
    ['youtube', `https://www.youtube.com/watch?v=${random.text(idLetters, 11)}`],
    ['anghami', `https://play.anghami.com/album/10${random.digits(8)}`],
    ['facebook', `https://www.facebook.com/${artist}.officiel`],
    ['instagram', `https://www.instagram.com/${artist}.officiel/`],
  ];
  return urls.filter(() => random.chance(share));
}

/** Claims about videos that use the first track of a release. */
export function inventTickets(block: DemoBlock) {
  const random = new Random(seedOf('tickets', block.index));
  const delivered = block.releases.flatMap((release, index) => (release.status === 'delivered' ? [index] : []));
  const endings = ['clip officiel', 'paroles', 'reprise', 'en concert', 'générique de vlog', 'extrait'];
  return random
    .sample(delivered, ticketsPerBlock)
    .map((index, position) => {
      const release = at(block.releases, index);
      const status: 'opened' | 'closed' = position % 5 < 2 ? 'opened' : 'closed';
      const startSeconds = random.chance(0.75) ? random.int(0, 600) : null;
      const day = status === 'opened' ? lastDay - random.int(0, 45) : lastDay - random.int(60, 700);
      const createdAt = instantOn(day, random);
      return {
        title: `${release.artistName} – ${at(release.tracks, 0).title} (${random.pick(endings)})`.slice(0, 300),
        status,
        url: `https://www.youtube.com/watch?v=${random.text(idLetters, 11)}`,
        startSeconds,
        endSeconds: startSeconds !== null && random.chance(0.8) ? startSeconds + random.int(20, 240) : null,
        isClaimed: random.chance(0.6),
        isProtected: random.chance(0.35),
        owner: release.owner,
        release: index,
        createdAt,
        updatedAt: status === 'opened' ? createdAt : instantOn(day + random.int(1, 20), random),
      };
    })
    .sort((a, b) => (a.createdAt < b.createdAt ? -1 : 1));
}
