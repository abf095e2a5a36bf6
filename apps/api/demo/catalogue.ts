import { genres } from '@regie/contract/releases.ts';
import { dayOf, dayText } from './calendar.ts';
import { accountNumber, ean13, ean13CheckDigit, frenchVatNumber, registrantPrefix } from './identifiers.ts';
import { at, Random, seedOf } from './random.ts';
import {
  addressComplements,
  artistRoles,
  banks,
  companyForms,
  companyKinds,
  companyNames,
  deliveryPlatforms,
  holdMemos,
  inventTitle,
  memos,
  musicianRoles,
  type Origin,
  origins,
  publisherNames,
  stageFirstParts,
  stageLastParts,
  stageNames,
  streets,
  territoryGroups,
  unpublishedNotes,
  versions,
} from './words.ts';

/** The content of one block of the demo; `scale` is the number of blocks. */
export const accountsPerBlock = 140;
const labelsPerBlock = 24;
const releasesPerBlock = 420;
const referralsPerBlock = 14;

/** The last day of the catalogue's records; reports end with that month. */
const lastDay = dayOf('2026-10-31');

export type ReleaseStatus = 'draft' | 'pending' | 'opened' | 'paid' | 'delivered' | 'closed' | 'cancelled';
export type DemoAccount = ReturnType<typeof inventAccounts>[number];
export type DemoRelease = ReturnType<typeof inventReleases>[number];
export type DemoBlock = ReturnType<typeof inventBlock>;

/** Generates a block; its content depends on nothing but its number. */
export function inventBlock(index: number) {
  const accounts = inventAccounts(index);
  const { people, casts } = inventPeople(index, accounts);
  const releases = inventReleases(index, accounts, casts);
  return {
    index,
    accounts,
    referrals: inventReferrals(index, accounts),
    people,
    releases,
    billingAccounts: inventBillingAccounts(index, accounts),
  };
}

/** Lower-case letters, digits and hyphens. */
export function toSlug(text: string): string {
  return text
    .normalize('NFD')
    .toLowerCase()
    .replace(/[\u0300-\u036f]/g, '')
    .replace(/œ/g, 'oe')
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-+|-+$/g, '');
}

function pickOrigin(random: Random): Origin {
  let left = random.int(1, 100);
  for (const origin of origins) {
    left -= origin.weight;
    if (left <= 0) return origin;
  }
  return at(origins, 0);
}

function inventAccounts(block: number) {
  const random = new Random(seedOf('accounts', block));
  const states = random.shuffle(
    Array.from({ length: accountsPerBlock }, (_, index) => (index < 6 ? 'hold' : index < 13 ? 'disabled' : 'enabled')),
  );
  const companies = random.shuffle(companyNames.flatMap((name) => companyKinds.map((kind) => `${name} ${kind}`)));
  const stages = random.shuffle([
    ...stageNames,
    ...stageFirstParts.flatMap((first) => random.sample(stageLastParts, 16).map((last) => `${first} ${last}`)),
  ]);
  const emails = new Set<string>();
  const accounts = states.map((state, index) => {
    const origin = pickOrigin(random);
    const place = random.pick(origin.places);
    const isLabel = index % 6 === 4 && index < labelsPerBlock * 6;
    const firstName = random.pick(origin.firstNames);
    const lastName = random.pick(origin.lastNames);
    const company =
      isLabel || random.chance(0.12) ? `${at(companies, index)} ${random.pick(companyForms)}`.trim() : null;
    const name = `${toSlug(firstName)}.${toSlug(lastName)}`;
    const domain = isLabel ? `${toSlug(at(companies, index))}.example` : 'courriel.example';
    const suffix = block === 0 ? '' : `.${block + 1}`;
    let email = `${name}${suffix}@${domain}`;
    for (let twin = 2; emails.has(email); twin += 1) email = `${name}${twin}${suffix}@${domain}`;
    emails.add(email);
    return {
      firstName,
      lastName,
      email,
      company,
      address: `${random.int(1, 148)}${random.chance(0.08) ? ' bis' : ''}, ${random.pick(streets)}`,
      address2: random.chance(0.15) ? random.pick(addressComplements) : null,
      place,
      vatNumber: company && place.code === 'FR' && random.chance(0.7) ? frenchVatNumber(random) : null,
      role: isLabel ? 'label' : 'customer',
      state,
      libraryPercentile: random.pick(isLabel ? [80, 85, 85, 90] : [70, 75, 80, 80, 80, 85, 100]),
      youtubePercentile: random.pick([60, 70, 70, 80, 80, 85, 100]),
      memo: state === 'hold' ? random.pick(holdMemos) : random.chance(0.16) ? random.pick(memos) : null,
      joinedDay: random.int(dayOf('2020-03-02'), random.chance(0.8) ? dayOf('2024-12-31') : dayOf('2026-09-15')),
      origin,
      stageNames: stages.slice(index * 2, index * 2 + (isLabel ? 2 : random.int(1, 2))),
      isrcPrefix: registrantPrefix(
        ['BE', 'CH', 'CA'].includes(place.code) ? place.code : 'FR',
        block * accountsPerBlock + index,
      ),
      hasVideoChannel: state !== 'disabled' && index % 22 === 3,
    };
  });
  return block === 0 ? accounts.map(withLongNames) : accounts;
}

/** Texts of maximum length, to test tables. */
function withLongNames<Account extends { company: string | null }>(account: Account, index: number): Account {
  if (index === 60) {
    return {
      ...account,
      firstName: 'Marie-Françoise Élisabeth Joséphine Anne-Charlotte',
      lastName: 'de Rochechouart-Mortemart de La Tour-Maubourg Dubo',
    };
  }
  if (index === 88) {
    return {
      ...account,
      company:
        'Association pour la sauvegarde, la diffusion et l’enseignement des musiques populaires arméniennes d’hier et de demain',
    };
  }
  if (index === 101) return { ...account, firstName: 'Lô', lastName: 'Ly' };
  return account;
}

function inventReferrals(block: number, accounts: readonly DemoAccount[]) {
  const random = new Random(seedOf('referrals', block));
  const candidates = random.shuffle(
    accounts
      .map((account, index) => ({ index, account }))
      .filter(({ index, account }) => index > 0 && account.libraryPercentile <= 85 && account.youtubePercentile <= 85),
  );
  return candidates.slice(0, referralsPerBlock).map(({ index, account }) => {
    // Referrers come earlier in the list, so that there are no cycles.
    const referrer = random.int(0, index - 1);
    return {
      referrer,
      referred: index,
      percentile: random.pick([2.5, 5, 5, 10]),
      day: Math.max(account.joinedDay, at(accounts, referrer).joinedDay) + random.int(0, 40),
    };
  });
}

/** Indexes among the block's people. */
type Casts = ReturnType<typeof inventPeople>['casts'];

export const idLetters = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';

function inventPeople(block: number, accounts: readonly DemoAccount[]) {
  const random = new Random(seedOf('people', block));
  const people: { fullName: string; spotifyId: string | null; appleMusicId: string | null }[] = [];
  const add = (fullName: string, isArtist: boolean): number =>
    people.push({
      fullName,
      spotifyId:
        isArtist && random.chance(0.7) ? random.digits(1).replace(/[89]/, '3') + random.text(idLetters, 21) : null,
      appleMusicId: isArtist && random.chance(0.6) ? `1${random.digits(9)}` : null,
    }) - 1;
  const ofAccount = accounts.map((account) => {
    const name = `${account.firstName} ${account.lastName}`;
    const relative = `${random.pick(account.origin.firstNames)} ${random.pick(account.origin.lastNames)}`;
    return {
      artists: account.stageNames.map((stageName) => add(stageName, true)),
      authors: [add(name, false), add(relative, false)],
    };
  });
  const musicians = Array.from({ length: 48 }, () => {
    const origin = pickOrigin(random);
    return add(`${random.pick(origin.firstNames)} ${random.pick(origin.lastNames)}`, false);
  });
  const editors = publisherNames.map((name) => add(name, false));
  return { people, casts: { ofAccount, musicians, editors } };
}

const statusCounts: readonly (readonly [ReleaseStatus, number])[] = [
  ['delivered', 246],
  ['closed', 58],
  ['pending', 32],
  ['paid', 26],
  ['cancelled', 26],
  ['draft', 20],
  ['opened', 12],
];

function pickOwners(random: Random, accounts: readonly DemoAccount[]): number[] {
  // A few accounts have no releases; labels have far more than others.
  const active = accounts.flatMap((_, index) => (index % 17 === 9 ? [] : [index]));
  const lots = active.flatMap((index) =>
    Array.from({ length: at(accounts, index).role === 'label' ? 7 : 2 }, () => index),
  );
  return Array.from({ length: releasesPerBlock }, (_, index) => active[index] ?? random.pick(lots));
}

function inventReleases(block: number, accounts: readonly DemoAccount[], casts: Casts) {
  const random = new Random(seedOf('releases', block));
  const owners = random.shuffle(pickOwners(random, accounts));
  const statuses = random.shuffle(
    statusCounts.flatMap(([status, count]) => Array.from({ length: count }, (): ReleaseStatus => status)),
  );
  const issued = new Map<number, number>();
  const releases = owners.map((owner, index) => {
    const account = at(accounts, owner);
    const status = at(statuses, index);
    const days = inventDays(random, account, status);
    const cast = at(casts.ofAccount, owner);
    const artist = random.int(0, account.stageNames.length - 1);
    const trackCount = inventTrackCount(random);
    const language = random.pick(account.origin.languages);
    const genre = random.pick(genres);
    const hasLabelPlan = account.role === 'label' && random.chance(0.7);
    const usualPlan: 'single' | 'ep' | 'album' = trackCount <= 2 ? 'single' : trackCount <= 6 ? 'ep' : 'album';
    const isWorldwide = random.chance(0.88);
    const owningName = account.company ?? `${account.firstName} ${account.lastName}`;
    const isEarly = status === 'draft' || status === 'pending' || status === 'paid';
    const titles = new Set<string>();
    const tracks = Array.from({ length: trackCount }, () => {
      let title = inventTitle(random, language);
      for (let attempt = 0; titles.has(title) && attempt < 20; attempt += 1) title = inventTitle(random, language);
      titles.add(title);
      const hasIsrc = !random.chance(isEarly ? 0.35 : 0.012);
      const designation = (issued.get(owner) ?? 0) + 1;
      if (hasIsrc) issued.set(owner, designation);
      return {
        title,
        version: random.chance(0.06) ? random.pick(versions) : null,
        isrc: hasIsrc
          ? `${account.isrcPrefix}${dayText(days.created).slice(2, 4)}${String(designation).padStart(5, '0')}`
          : null,
        language,
        hasNoVoice: language === 'Instrumental',
        previewStartSeconds: random.chance(0.7) ? random.int(10, 95) : null,
        youtubeVideoId: random.chance(0.25) ? random.text(`${idLetters}-_`, 11) : null,
        credits: inventCredits(random, casts, cast, at(cast.artists, artist), language === 'Instrumental'),
      };
    });
    const serial = block * releasesPerBlock + index;
    return {
      owner,
      title: trackCount <= 2 ? at(tracks, 0).title : inventTitle(random, language),
      version: random.chance(0.04) ? 'Édition limitée' : null,
      artistName: at(account.stageNames, artist),
      label: account.role === 'label' ? (account.company ?? '') : random.chance(0.3) ? owningName : '',
      status,
      note: status === 'cancelled' || (status === 'draft' && random.chance(0.5)) ? random.pick(unpublishedNotes) : null,
      language,
      genre,
      subgenre: random.chance(0.7) ? genre : random.pick(genres),
      createdDay: days.created,
      digitalDay: days.digital,
      originalDay: days.original,
      isDeleted: status === 'cancelled' && index % 9 === 0,
      barcode: status === 'draft' || random.chance(isEarly ? 0.3 : 0.02) ? null : inventBarcode(serial),
      catalogNumber: random.chance(0.4)
        ? `${toSlug(owningName).replaceAll('-', '').slice(0, 3).toUpperCase()}${String(index + 1).padStart(3, '0')}`
        : null,
      owningName,
      plan: status === 'draft' && random.chance(0.5) ? null : hasLabelPlan ? ('label' as const) : usualPlan,
      hasExpressDelivery: random.chance(0.1),
      territories: isWorldwide ? ['all'] : random.pick(territoryGroups),
      platforms: random.chance(0.8) ? deliveryPlatforms : random.sample(deliveryPlatforms, random.int(3, 8)).sort(),
      publisherLink: random.chance(0.05) ? `https://www.${toSlug(owningName)}.example/` : null,
      tracks,
    };
  });
  spoil(random, releases);
  if (block === 0) lengthen(releases);
  return releases;
}

function inventTrackCount(random: Random): number {
  const draw = random.fraction();
  if (draw < 0.54) return random.chance(0.9) ? 1 : 2;
  if (draw < 0.79) return random.int(3, 6);
  return random.int(9, 15);
}

/** Dates of entry and release: recent for releases waiting for staff, spread over the years for others. */
function inventDays(random: Random, account: DemoAccount, status: ReleaseStatus) {
  const isWaiting = status === 'draft' || status === 'pending' || status === 'paid';
  const newest = isWaiting ? lastDay : lastDay - (status === 'closed' ? 400 : 75);
  const oldest = isWaiting ? lastDay - 80 : Math.min(account.joinedDay, newest - 60);
  const created = Math.max(random.int(oldest, newest), Math.min(account.joinedDay, lastDay));
  if (status === 'draft' && random.chance(0.6)) return { created, digital: null, original: null };
  const digital = isWaiting ? lastDay + random.int(6, 70) : Math.min(created + random.int(14, 60), lastDay);
  const original = random.chance(0.9) ? digital : digital - random.int(200, 6000);
  return { created, digital, original };
}

function inventBarcode(serial: number): string {
  // A GS1 France prefix and a unique number.
  return ean13(`376${String((serial * 48_271 + 1_234_567) % 999_999_937).padStart(9, '0')}`);
}

function inventCredits(
  random: Random,
  casts: Casts,
  cast: Casts['ofAccount'][number],
  artist: number,
  isInstrumental: boolean,
) {
  const credits: { person: number; kind: 'artist' | 'contributor' | 'musician' | 'editor'; role: string }[] = [
    { person: artist, kind: 'artist', role: 'Primary Artist' },
  ];
  if (random.chance(0.16)) {
    const guest = random.pick(random.pick(casts.ofAccount).artists);
    if (guest !== artist) credits.push({ person: guest, kind: 'artist', role: random.pick(artistRoles) });
  }
  credits.push({ person: at(cast.authors, 0), kind: 'contributor', role: 'Composer' });
  if (!isInstrumental) credits.push({ person: random.pick(cast.authors), kind: 'contributor', role: 'Lyricist' });
  if (random.chance(0.25)) credits.push({ person: at(cast.authors, 1), kind: 'contributor', role: 'Arranger' });
  for (const person of random.sample(casts.musicians, random.chance(0.35) ? random.int(1, 3) : 0)) {
    credits.push({ person, kind: 'musician', role: random.pick(musicianRoles) });
  }
  if (random.chance(0.3)) credits.push({ person: random.pick(casts.editors), kind: 'editor', role: 'Éditeur' });
  return credits;
}

/** Adds faults for the tools pages: duplicate ISRCs, invalid and duplicate barcodes. */
function spoil(random: Random, releases: readonly DemoRelease[]): void {
  const out = releases.filter((release) => release.status === 'delivered');
  const albums = out.filter((release) => release.tracks.length >= 9);
  for (const album of albums.slice(0, 12)) {
    const single = out.find((other) => other !== album && other.owner === album.owner && other.tracks[0]?.isrc);
    const reused = single?.tracks[0];
    if (reused) album.tracks[1] = { ...at(album.tracks, 1), title: reused.title, isrc: reused.isrc };
  }
  const singles = random.shuffle(out.filter((release) => release.tracks.length === 1));
  for (let pair = 0; pair < 4; pair += 1) {
    const first = at(singles, pair);
    const second = singles.find((other, index) => index > 12 + pair && other.owner !== first.owner);
    if (second) second.tracks[0] = { ...at(second.tracks, 0), isrc: at(first.tracks, 0).isrc };
  }
  const labelled = random.shuffle(out.filter((release) => release.barcode !== null));
  for (const release of labelled.slice(0, 5)) {
    const digits = (release.barcode ?? '').slice(0, 12);
    release.barcode = digits + String((ean13CheckDigit(digits) + 4) % 10);
  }
  for (let pair = 0; pair < 4; pair += 1) at(labelled, 10 + pair).barcode = at(labelled, 20 + pair).barcode;
}

function lengthen(releases: readonly DemoRelease[]): void {
  const album = releases.find((release) => release.status === 'delivered' && release.tracks.length >= 9);
  const single = releases.find((release) => release.status === 'pending' && release.tracks.length === 1);
  if (!album || !single) return;
  album.title =
    'Chroniques d’un voyage immobile entre le port de Marseille et les hauts plateaux d’Arménie, suivies de douze chansons pour traverser l’hiver sans faire de bruit et de quelques improvisations enregistrées la nuit dans une gare désaffectée';
  album.artistName =
    'L’Orchestre national des quais, des docks et des arrière-cours réunis, avec la participation des Chœurs de l’Estuaire';
  single.title = 'Anticonstitutionnellementhippopotomonstrosesquippedaliophobiquement';
}

function inventBillingAccounts(block: number, accounts: readonly DemoAccount[]) {
  const random = new Random(seedOf('billing', block));
  const noBank = { bankName: null, bankCountry: null, bankCity: null, bankZipCode: null, iban: null, swift: null };
  const inventBank = ({ place }: DemoAccount) => {
    const country = place.code in banks ? place.code : 'FR';
    const home = banks[country];
    if (!home) throw new Error(`no bank in ${country}`);
    const { name, city, zipCode, code, bic } = random.pick(home.banks);
    const iban = accountNumber(random, country, code);
    return { bankName: name, bankCountry: home.country, bankCity: city, bankZipCode: zipCode, iban, swift: bic };
  };
  const billing = (account: DemoAccount, owner: number, type: 'bank' | 'paypal') => ({
    type,
    account: owner,
    ...(type === 'bank' ? inventBank(account) : noBank),
    email: type === 'bank' ? account.email : account.email.replace(/@.*/, '@paiement.example'),
    owner: account.company ?? `${account.firstName} ${account.lastName}`,
    createdDay: Math.min(account.joinedDay + random.int(1, 60), lastDay),
  });
  return accounts.flatMap((account, owner) => {
    const draw = random.fraction();
    if (draw < 0.12) return [];
    const isBankPossible = account.place.code in banks || random.chance(0.3);
    if (draw < 0.62) return [billing(account, owner, isBankPossible ? 'bank' : 'paypal')];
    if (draw < 0.85) return [billing(account, owner, 'paypal')];
    return [billing(account, owner, 'bank'), billing(account, owner, 'paypal')];
  });
}
