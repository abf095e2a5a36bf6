import { Text } from '@mantine/core';
import type { Candidate, Waiting } from '@regie/contract/routes/unmatched.ts';
import { formatMoney } from '@regie/values/formats.ts';
import { TrackLink } from '#src/domain/tracks/track-link.tsx';
import { fr } from '#src/lib/fr.ts';
import { Identifier } from '#src/ui/copy-button.tsx';
import { Money } from '#src/ui/money.tsx';
import shared from '#src/ui/shared.module.css';
import { frUnmatched } from './unmatched.fr.ts';
import classes from './unmatched.module.css';

const t = frUnmatched;

interface Item {
  isrc: string | null;
  upc: string | null;
  title: string;
  artist: string;
}

export const itemName = (item: Item): string => item.title || item.isrc || item.upc || t.untitled;

type Amounts = Pick<Waiting, 'amountEur' | 'withoutRate'>;
/** `12,00 € et 3,00 JPY` */
export function amountsText({ amountEur, withoutRate }: Amounts): string {
  const others = withoutRate.map(({ currency, amount }) => formatMoney(amount, currency));
  const all = amountEur !== 0 || others.length === 0 ? [formatMoney(amountEur, 'EUR'), ...others] : others;
  return new Intl.ListFormat('fr').format(all);
}
export const withoutRateText = ({ withoutRate }: Amounts) =>
  withoutRate.map(({ currency, amount }) => formatMoney(amount, currency)).join(', ');

export function Amounts({ of }: { of: Amounts }) {
  return (
    <>
      <Money amount={of.amountEur} currency="EUR" />
      {of.withoutRate.length > 0 && <span className={shared.under}>{t.without(withoutRateText(of))}</span>}
    </>
  );
}

export function ItemCell({ item }: { item: Item }) {
  return (
    <>
      <Text component="span" inherit lineClamp={3} miw={140} fw={600} className={shared.wrap} title={item.title}>
        {item.title || t.untitled}
      </Text>
      {item.artist && (
        <span className={`${shared.under} ${shared.twoLines}`} title={item.artist}>
          {item.artist}
        </span>
      )}
    </>
  );
}

export function Codes({ item }: { item: Item }) {
  if (!item.isrc && !item.upc) return fr.common.none;
  return (
    <>
      {item.isrc && <Identifier value={item.isrc} name={t.column.isrc} />}
      {item.upc && (
        <span className={item.isrc ? shared.under : undefined}>
          <Identifier value={item.upc} name={t.column.upc} />
        </span>
      )}
    </>
  );
}

type TrackRef = Omit<Candidate, 'ground'>;
export const contextOf = (track: TrackRef) =>
  [
    track.artists,
    track.libraryTitle === track.trackTitle ? '' : track.libraryTitle,
    track.userName,
    track.isDeleted ? t.deleted : '',
  ]
    .filter(Boolean)
    .join(' · ');

export function TrackCell({ track, note }: { track: TrackRef; note?: string }) {
  return (
    <span className={classes.track}>
      <TrackLink id={track.trackId}>{track.trackTitle}</TrackLink>
      <span className={`${shared.under} ${shared.twoLines}`}>{contextOf(track)}</span>
      {note && (
        <Text component="span" display="block" fz={12}>
          {note}
        </Text>
      )}
    </span>
  );
}

export const trackText = (track: TrackRef) =>
  [track.trackTitle, track.isrc, contextOf(track)].filter(Boolean).join(' · ');
