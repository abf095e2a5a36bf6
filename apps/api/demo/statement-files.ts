import type { Month } from '@regie/values/month.ts';
import { at, Random, seedOf } from './random.ts';

/** The data of a track in store files. */
export interface SoldTrack {
  isrc: string;
  title: string;
  artist: string;
  barcode: string;
}

const stores = ['Spotify', 'Apple Music', 'Deezer', 'YouTube (Ads)', 'Amazon', 'Tidal', 'Qobuz'];
const places = [
  ['FR', 'France'],
  ['BE', 'Belgium'],
  ['CA', 'Canada'],
  ['DE', 'Germany'],
  ['SN', 'Senegal'],
  ['CH', 'Switzerland'],
] as const;

const lines = (rows: readonly string[][], delimiter: string, end: string) =>
  rows.map((row) => row.join(delimiter) + end).join('');
/** Hundred-millionths as a decimal with eight places. */
const micros = (amount: number) =>
  String(amount)
    .padStart(9, '0')
    .replace(/(\d{8})$/, '.$1');

/** A distributor's tab-separated statement in US dollars: one row per track, store and country. */
export function distrokidStatement(
  month: Month,
  tracks: readonly SoldTrack[],
  draw = new Random(seedOf('distrokid', month)),
): string {
  const rows = tracks.flatMap((track) =>
    draw.sample(stores, 3).map((store) => {
      const plays = draw.int(3, 900);
      return [
        ...[
          `${month}-28`,
          month,
          store,
          track.artist,
          track.title,
          track.isrc,
          track.barcode,
          String(plays),
          '100',
          'Song',
        ],
        ...[at(draw.pick(places), 0), '0', micros(plays * draw.int(180_000, 420_000))],
      ];
    }),
  );
  const header =
    'Reporting Date\tSale Month\tStore\tArtist\tTitle\tISRC\tUPC\tQuantity\tTeam Percentage\tSong/Album\tCountry of Sale\tSongwriter Royalties Withheld\tEarnings (USD)';
  return `${header}\r\n${lines(rows, '\t', '\r\n')}`;
}

/** Another distributor's, with semicolons and decimal commas, in euros, with English country names. */
export function believeStatement(month: Month, tracks: readonly SoldTrack[]): string {
  const draw = new Random(seedOf('believe', month));
  const day = `01/${month.slice(5)}/${month.slice(0, 4)}`;
  const rows = tracks.flatMap((track) =>
    draw.sample(stores, 2).map((store) => {
      const quantity = draw.int(2, 400);
      const net = micros(quantity * draw.int(150_000, 380_000)).replace('.', ',');
      return [
        ...[
          day,
          day,
          store,
          at(draw.pick(places), 1),
          'Régie',
          track.artist,
          track.title,
          track.title,
          track.barcode,
          track.isrc,
        ],
        ...['', 'Premium', 'Single', 'Stream', String(quantity), 'EUR', '0,0028', '0', net, '100', net],
      ];
    }),
  );
  const header =
    'Reporting month;Sales Month;Platform;Country / Region;Label Name;Artist Name;Release title;Track title;UPC;ISRC;Release Catalog nb;Streaming Subscription Type;Release type;Sales Type;Quantity;Client Payment Currency;Unit Price;Mechanical Fee;Gross Revenue;Client share rate;Net Revenue';
  return `${header}\n${lines(rows, ';', '\n')}`;
}

/** Sales of a direct shop, without ISRC, in several currencies; payout rows are not income. */
export function bandcampStatement(month: Month, tracks: readonly SoldTrack[], currencies: readonly string[]): string {
  const draw = new Random(seedOf('bandcamp', month));
  const [year = '', number = ''] = month.split('-');
  const day = (n: number) => `${Number(number)}/${n}/${year.slice(2)} ${draw.int(1, 11)}:30am`;
  const rows = tracks.map((track, index) => {
    const price = draw.int(1, 9);
    const currency = at(currencies, index % currencies.length);
    return [
      ...[
        day(draw.int(2, 27)),
        'ventes@regie.example',
        'track',
        `"${track.title}"`,
        `"${track.artist}"`,
        currency,
        `${price}.00`,
        '1',
        '',
      ],
      ...[`${price}.00`, '0.30', 'paypal', `${price}.00`, `${price - 1}.70`, '', '', `${price - 1}.45`],
    ];
  });
  rows.push([
    day(28),
    'ventes@regie.example',
    'payout',
    '',
    '',
    'EUR',
    '',
    '',
    '',
    '',
    '',
    '',
    '',
    '',
    '',
    '',
    '-25.00',
  ]);
  const header =
    'date,paid to,item type,item name,artist,currency,item price,quantity,discount code,sub total,transaction fee,fee type,item total,amount you received,bandcamp transaction id,paypal transaction id,net amount';
  return `${header}\n${lines(rows, ',', '\n')}`;
}

/** An unknown format: staff map its columns. */
export function unknownStatement(month: Month, tracks: readonly SoldTrack[]): string {
  const draw = new Random(seedOf('unknown', month));
  const rows = tracks.map((track) => [
    month,
    track.isrc,
    `"${track.title}"`,
    'FR',
    String(draw.int(5, 80)),
    micros(draw.int(2e6, 9e7)),
  ]);
  return `Période,Code ISRC,Œuvre,Territoire,Écoutes,Part nette EUR\n${lines(rows, ',', '\n')}`;
}
