import type { Month } from '@regie/values/month.ts';
import { at, Random, seedOf } from './random.ts';
import { type Royalty, type RoyaltyTrack, slotOf } from './royalties.ts';

/** A row of a store's file. */
export interface Sale {
  track: RoyaltyTrack;
  month: Month;
  store: string;
  place: (typeof places)[number];
  kind: 'Stream' | 'Download' | 'Video';
  quantity: number;
  /** Hundred-millionths of the file's currency. */
  amount: number;
}

/** Who sends statements. Each has the form that its preset reads. */
export interface StatementSource {
  name: string;
  extension: 'csv' | 'tsv';
  isQuarterly?: true;
  /** Days from the end of the period to the file. */
  days: number;
  /** What a hundred dollars are in its currency. */
  perHundredDollars: number;
  /** Of twenty tracks, those it distributes; the shop sells all. */
  slots: readonly number[];
  write: (sales: readonly Sale[]) => string;
}

const stores = ['Spotify', 'Apple Music', 'Deezer', 'Amazon', 'Tidal', 'Qobuz'];
/** Where most of a track's streams are. */
const mainStores = ['Spotify', 'Spotify', 'Spotify', 'Apple Music', 'Apple Music', 'Deezer', 'Deezer', 'Amazon'];
const places = [
  { code: 'FR', code3: 'FRA', name: 'France' },
  { code: 'BE', code3: 'BEL', name: 'Belgium' },
  { code: 'CA', code3: 'CAN', name: 'Canada' },
  { code: 'DE', code3: 'DEU', name: 'Germany' },
  { code: 'SN', code3: 'SEN', name: 'Senegal' },
  { code: 'CH', code3: 'CHE', name: 'Switzerland' },
] as const;
const shopCurrencies = ['EUR', 'EUR', 'GBP', 'EUR', 'CAD'];

const monthNames = ['JAN', 'FEB', 'MAR', 'APR', 'MAY', 'JUN', 'JUL', 'AUG', 'SEP', 'OCT', 'NOV', 'DEC'];

/** Hundred-millionths as a decimal with eight places. */
const micros = (amount: number) =>
  String(amount)
    .padStart(9, '0')
    .replace(/(\d{8})$/, '.$1');
const plain = (text: string) => text.replace(/[\t",;]/g, ' ');
const yearOf = (month: Month) => month.slice(0, 4);
const numberOf = (month: Month) => month.slice(5);

/** Tab-separated, in US dollars. */
function writeDistrokid(sales: readonly Sale[]): string {
  const rows = sales.map(({ track, month, store, place, quantity, amount }) => {
    const names = `${plain(track.artist)}\t${plain(track.title)}\t${track.isrc}\t${track.barcode}`;
    return `${month}-28\t${month}\t${store}\t${names}\t${quantity}\t100\tSong\t${place.code}\t0\t${micros(amount)}\r\n`;
  });
  const header =
    'Reporting Date\tSale Month\tStore\tArtist\tTitle\tISRC\tUPC\tQuantity\tTeam Percentage\tSong/Album\tCountry of Sale\tSongwriter Royalties Withheld\tEarnings (USD)';
  return `${header}\r\n${rows.join('')}`;
}

/** With semicolons and decimal commas, in euros, with English country names. */
function writeBelieve(sales: readonly Sale[]): string {
  const rows = sales.map(({ track, month, store, place, kind, quantity, amount }) => {
    const day = `01/${numberOf(month)}/${yearOf(month)}`;
    const net = micros(amount).replace('.', ',');
    const names = `Régie;${plain(track.artist)};${plain(track.title)};${plain(track.title)};${track.barcode};${track.isrc}`;
    return `${day};${day};${store};${place.name};${names};;Premium;Single;${kind};${quantity};EUR;0,0028;0;${net};100;${net}\n`;
  });
  const header =
    'Reporting month;Sales Month;Platform;Country / Region;Label Name;Artist Name;Release title;Track title;UPC;ISRC;Release Catalog nb;Streaming Subscription Type;Release type;Sales Type;Quantity;Client Payment Currency;Unit Price;Mechanical Fee;Gross Revenue;Client share rate;Net Revenue';
  return `${header}\n${rows.join('')}`;
}

/** In pounds, with the period as `2026M09`. */
function writeOrchard(sales: readonly Sale[]): string {
  const rows = sales.map(({ track, month, store, place, kind, quantity, amount }) => {
    const period = `${yearOf(month)}M${numberOf(month)}`;
    const names = `${plain(track.artist)},${plain(track.title)},${plain(track.artist)},${plain(track.title)},`;
    return `${period},${place.code},${store},${names},${kind},${kind},${quantity},${micros(amount)},${period},${track.barcode},${track.isrc},4711,Régie,GBP,GBP\n`;
  });
  const header =
    'STATEMENT PERIOD,SALE COUNTRY,STORE,PRODUCT ARTIST,PRODUCT,TRACK ARTIST,TRACK,TRACK VERSION,TRANSACTION TYPE,TRANSACTION SUBTYPE,QUANTITY,NET SHARE ACCOUNT CURRENCY,ORIGINAL STATEMENT PERIOD,DISPLAY UPC,ISRC,ACCOUNT ID,ACCOUNT NAME,ACCOUNT CURRENCY,SALE CURRENCY';
  return `${header}\n${rows.join('')}`;
}

/** A quarter in US dollars, with the former one's balance, which is no income. */
function writeSymphonic(sales: readonly Sale[]): string {
  const named = (month: Month) => `${at(monthNames, Number(numberOf(month)) - 1)}-${yearOf(month).slice(2)}`;
  const rows = sales.map(({ track, month, store, place, kind, quantity, amount }) => {
    const names = `${plain(track.title)},,${plain(track.artist)},${track.barcode},,${plain(track.title)},,${track.isrc},${plain(track.artist)}`;
    return `,Régie,${names},${store},${named(month)},${place.code3},${kind},Music,Sale,${quantity},${micros(amount)}\n`;
  });
  const header =
    'Reporting Period,Label,Release Name,Release Version,Release Artists,UPC Code,Catalogue,Track Title,Mix Version,ISRC Code,Track Artists,Digital Service Provider,Activity Period,Territory,Delivery,Content Type,Sale or Void,Count,Royalty ($US)';
  const last = sales.at(-1);
  const former = last
    ? `,Régie,,,,N/A,,,,N/A,,Balance Forwarded From Previous Quarter,${named(last.month)},,,,,0,118.20\n`
    : '';
  return `${header}\n${rows.join('')}${former}`;
}

/** Sales of a shop in the currencies of its buyers; payout rows are no income. */
function writeBandcamp(sales: readonly Sale[], currencies = shopCurrencies, isNamed = (_sale: number) => true): string {
  const rows = sales.map(({ track, month, place, quantity, amount }, index) => {
    const price = String(Math.max(Math.round(amount / 1e6), 1))
      .padStart(3, '0')
      .replace(/(\d\d)$/, '.$1');
    const day = `${Number(numberOf(month))}/${1 + (index % 27)}/${yearOf(month).slice(2)} ${1 + (index % 11)}:30am`;
    const names = `${plain(track.title)},${plain(track.artist)},${at(currencies, index % currencies.length)}`;
    const codes = isNamed(index) ? `${track.barcode},${track.isrc}` : ',';
    return `${day},ventes@regie.example,track,${names},,${quantity},,${price},0,0,0,paypal,${price},${price},,,0,${price},${price},${codes},${place.name},${place.code}\n`;
  });
  const header =
    'date,paid to,item type,item name,artist,currency,item price,quantity,discount code,sub total,tax,shipping,transaction fee,fee type,item total,amount you received,bandcamp transaction id,paypal transaction id,assessed revenue share,change to payout balance,net amount,upc,isrc,country,country code';
  const payout = rows[0]?.replace(
    /^(\S+) .*$/s,
    '$1 9:00pm,ventes@regie.example,payout,,,EUR,,,,,,,,,,,,,,-25.00,-25.00,,,,\n',
  );
  return `${header}\n${rows.join('')}${payout ?? ''}`;
}

const shop: StatementSource = {
  ...{ name: 'Bandcamp', extension: 'csv', days: 1, perHundredDollars: 86, slots: [], write: writeBandcamp },
  isQuarterly: true,
};
/** Sales without ISRC, and some in a currency without a rate. */
export const writeOpenShop = (sales: readonly Sale[]): string =>
  writeBandcamp(sales, ['EUR', 'CHF'], (index) => index % 3 > 0);

export const sources: readonly StatementSource[] = [
  shop,
  {
    ...{ name: 'DistroKid', extension: 'tsv', days: 2, perHundredDollars: 100, write: writeDistrokid },
    slots: [0, 1, 2, 3, 4, 5, 6, 7, 8],
  },
  {
    ...{ name: 'The Orchard', extension: 'csv', days: 2, perHundredDollars: 74, write: writeOrchard },
    slots: [15, 16, 17],
  },
  {
    ...{ name: 'Symphonic', extension: 'csv', days: 3, perHundredDollars: 100, write: writeSymphonic },
    ...{ slots: [18, 19], isQuarterly: true },
  },
  {
    ...{ name: 'Believe', extension: 'csv', days: 4, perHundredDollars: 86, write: writeBelieve },
    slots: [9, 10, 11, 12, 13, 14],
  },
];

/** What a source reports of a track: most streams in one store, the rest in two others. */
export function toSales(source: StatementSource, track: RoyaltyTrack, royalty: Royalty, month: Month): Sale[] {
  const { streams, streamUsd, downloads, downloadUsd, views, viewUsd } = royalty;
  const draw = new Random(seedOf('sales', track.isrc));
  const paid = (usd: number) => Math.round((usd * source.perHundredDollars) / 10);
  const sale = { track, month };
  if (source === shop) {
    if (downloads === 0) return [];
    const amount = paid(downloadUsd);
    return [{ ...sale, store: '', place: draw.pick(places), kind: 'Download', quantity: downloads, amount }];
  }
  if (!source.slots.includes(slotOf(track))) return [];
  const first = draw.pick(mainStores);
  const others = stores.filter((store) => store !== first);
  const bounds = streams < 1000 ? [0, 100] : [0, 60, 88, 100];
  const sales = bounds.slice(1).map((bound, index): Sale => {
    const share = (whole: number) => Math.floor((whole * bound) / 100) - Math.floor((whole * at(bounds, index)) / 100);
    const store = index === 0 ? first : at(others, (index + (track.seed >>> 16)) % others.length);
    const figures = { quantity: share(streams), amount: share(paid(streamUsd)) };
    return { ...sale, store, place: draw.pick(places), kind: 'Stream', ...figures };
  });
  if (views > 0) {
    const place = draw.pick(places);
    sales.push({ ...sale, store: 'YouTube (Ads)', place, kind: 'Video', quantity: views, amount: paid(viewUsd) });
  }
  return sales;
}

/** An unknown format: staff map its columns. */
export function unknownStatement(month: Month, tracks: readonly RoyaltyTrack[]): string {
  const draw = new Random(seedOf('unknown', month));
  const rows = tracks.map(
    ({ isrc, title }) => `${month},${isrc},"${plain(title)}",FR,${draw.int(5, 80)},${micros(draw.int(2e6, 9e7))}\n`,
  );
  return `Période,Code ISRC,Œuvre,Territoire,Écoutes,Part nette EUR\n${rows.join('')}`;
}
