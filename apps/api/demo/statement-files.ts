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
  const rows = tracks.flatMap(({ artist, title, isrc, barcode }) =>
    draw.sample(stores, 3).map((store) => {
      const plays = draw.int(3, 900);
      const sale = `${month}-28\t${month}\t${store}\t${artist}\t${title}\t${isrc}\t${barcode}\t${plays}\t100\tSong`;
      return `${sale}\t${at(draw.pick(places), 0)}\t0\t${micros(plays * draw.int(180_000, 420_000))}\r\n`;
    }),
  );
  const header =
    'Reporting Date\tSale Month\tStore\tArtist\tTitle\tISRC\tUPC\tQuantity\tTeam Percentage\tSong/Album\tCountry of Sale\tSongwriter Royalties Withheld\tEarnings (USD)';
  return `${header}\r\n${rows.join('')}`;
}

/** Another distributor's, with semicolons and decimal commas, in euros, with English country names. */
export function believeStatement(month: Month, tracks: readonly SoldTrack[]): string {
  const draw = new Random(seedOf('believe', month));
  const day = `01/${month.slice(5)}/${month.slice(0, 4)}`;
  const rows = tracks.flatMap(({ artist, title, barcode, isrc }) =>
    draw.sample(stores, 2).map((store) => {
      const quantity = draw.int(2, 400);
      const net = micros(quantity * draw.int(150_000, 380_000)).replace('.', ',');
      const track = `${at(draw.pick(places), 1)};Régie;${artist};${title};${title};${barcode};${isrc}`;
      return `${day};${day};${store};${track};;Premium;Single;Stream;${quantity};EUR;0,0028;0;${net};100;${net}\n`;
    }),
  );
  const header =
    'Reporting month;Sales Month;Platform;Country / Region;Label Name;Artist Name;Release title;Track title;UPC;ISRC;Release Catalog nb;Streaming Subscription Type;Release type;Sales Type;Quantity;Client Payment Currency;Unit Price;Mechanical Fee;Gross Revenue;Client share rate;Net Revenue';
  return `${header}\n${rows.join('')}`;
}

/** Sales of a direct shop, without ISRC, in several currencies; payout rows are not income. */
export function bandcampStatement(month: Month, tracks: readonly SoldTrack[], currencies: readonly string[]): string {
  const draw = new Random(seedOf('bandcamp', month));
  const [year = '', number = ''] = month.split('-');
  const day = (n: number) => `${Number(number)}/${n}/${year.slice(2)} ${draw.int(1, 11)}:30am,ventes@regie.example`;
  const rows = tracks.map(({ title, artist }, index) => {
    const price = draw.int(1, 9);
    const item = `"${title}","${artist}",${at(currencies, index % currencies.length)},${price}.00,1,,${price}.00,0.30`;
    return `${day(draw.int(2, 27))},track,${item},paypal,${price}.00,${price - 1}.70,,,${price - 1}.45\n`;
  });
  const header =
    'date,paid to,item type,item name,artist,currency,item price,quantity,discount code,sub total,transaction fee,fee type,item total,amount you received,bandcamp transaction id,paypal transaction id,net amount';
  return `${header}\n${rows.join('')}${day(28)},payout,,,EUR,,,,,,,,,,,-25.00\n`;
}

/** An unknown format: staff map its columns. */
export function unknownStatement(month: Month, tracks: readonly SoldTrack[]): string {
  const draw = new Random(seedOf('unknown', month));
  const rows = tracks.map(
    ({ isrc, title }) => `${month},${isrc},"${title}",FR,${draw.int(5, 80)},${micros(draw.int(2e6, 9e7))}\n`,
  );
  return `Période,Code ISRC,Œuvre,Territoire,Écoutes,Part nette EUR\n${rows.join('')}`;
}
