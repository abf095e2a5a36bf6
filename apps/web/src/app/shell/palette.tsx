import { Box, Button, Group, Loader } from '@mantine/core';
import { useDebouncedValue, useFocusTrap } from '@mantine/hooks';
import { releaseStatuses } from '@regie/contract/releases.ts';
import { type SearchKind, type SearchResult, searchCapabilities } from '@regie/contract/routes/search.ts';
import { routes } from '@regie/contract/routes.ts';
import { ticketStatuses } from '@regie/contract/state-names.ts';
import { isrcPattern, normaliseIsrc } from '@regie/values/isrc.ts';
import {
  IconArrowForward,
  IconCash,
  IconDisc,
  IconFileImport,
  IconFileInvoice,
  IconHome,
  IconMusic,
  IconMusicQuestion,
  IconReceipt2,
  IconTicket,
  IconUser,
} from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { type ComponentType, type KeyboardEvent, type ReactNode, useEffect, useId, useRef, useState } from 'react';
import { paths } from '#src/app/paths.ts';
import { boardQuery } from '#src/domain/month-board.ts';
import { stateTones } from '#src/domain/state-tones.ts';
import { frPayouts } from '#src/features/money/payouts/payouts.fr.ts';
import { frAccounts } from '#src/features/people/accounts/accounts.fr.ts';
import { apiQuery, errorSentence } from '#src/lib/api.ts';
import { fr } from '#src/lib/fr.ts';
import { isAllowed, useSignedIn } from '#src/lib/session.ts';
import shared from '#src/ui/shared.module.css';
import { StatusBadge, type StatusTone } from '#src/ui/status-badge.tsx';
import { frPalette } from './palette.fr.ts';
import classes from './palette.module.css';
import { findAct, readsBoard } from './palette-acts.ts';
import { matchScreens, screensFor, type Target, targetOf } from './palette-entries.ts';
import { PaletteInput, type PaletteText } from './palette-input.tsx';

type Icon = ComponentType<{ size?: number; stroke?: number }>;

interface Entry extends Target {
  key: string;
  label: string;
  hint: string;
  icon: Icon;
  badge?: { tone: StatusTone; text: string };
}
interface EntryGroup {
  label: string;
  entries: Entry[];
}

const icons: Record<SearchKind, Icon> = {
  account: IconUser,
  release: IconDisc,
  track: IconMusic,
  payout: IconCash,
  order: IconFileInvoice,
  statement: IconReceipt2,
  import: IconFileImport,
  unmatched: IconMusicQuestion,
  ticket: IconTicket,
};
const kinds = Object.keys(icons) as SearchKind[];

function badgeOf(result: SearchResult): Entry['badge'] {
  if (result.kind === 'release') {
    const { badge, label } = releaseStatuses[result.status];
    return { tone: badge, text: label };
  }
  if (result.kind === 'payout')
    return { tone: stateTones.payment[result.status], text: frPayouts.state[result.status] };
  if (result.kind === 'order') {
    return { tone: stateTones.payment[result.status], text: frAccounts.invoices.status[result.status] };
  }
  if (result.kind !== 'ticket') return undefined;
  return { tone: stateTones.ticket[result.status], text: ticketStatuses[result.status] };
}

const shortest = 2;
const debounceMs = 150;
const mostScreens = 6;
const isIsrc = (text: string) => isrcPattern.test(normaliseIsrc(text));

function useResults(text: string) {
  const { userCapabilities: held } = useSignedIn();
  const board = useQuery({ ...boardQuery, enabled: isAllowed(['read_reports'], held) && readsBoard(text) });
  const act = findAct(text, held, board.data?.cells);
  const query = act?.name || text.trim();
  const [q] = useDebouncedValue(query, debounceMs);
  const isSearching = q.length >= shortest && isAllowed(searchCapabilities, held);
  const answer = useQuery({
    ...apiQuery(['search', q], routes.search, { query: { q } }),
    enabled: isSearching,
    placeholderData: (previous) => previous,
  });
  const screens = screensFor(held);
  const isEmpty = text.trim() === '';
  const named = isEmpty ? screens : matchScreens(screens, text).slice(0, mostScreens);
  const records = isSearching && !isEmpty ? (answer.data ?? []) : [];
  const payees = act?.name ? records.filter(({ kind }) => kind === 'account') : [];
  const acts: EntryGroup = {
    label: act?.group ?? '',
    entries: act
      ? [
          ...payees.map((result) => ({
            ...{ key: `act ${result.id}`, label: result.label, hint: result.hint, icon: icons.account },
            ...(act.of?.(result.id) ?? targetOf(result, held)),
          })),
          // Enter waits for the accounts of a name, and for the missing rates.
          ...act.pages.map((page) => ({
            key: `${act.name || board.isLoading ? '' : 'screen '}act ${page.label}`,
            ...{ hint: act.hint, icon: IconArrowForward, ...page },
          })),
        ]
      : [],
  };
  const lists: EntryGroup[] = [
    {
      label: frPalette.screens,
      entries: named.map((screen) => ({
        ...screen,
        key: `screen ${screen.to} ${screen.label}`,
        icon: screen.icon ?? (screen.to === paths.home ? IconHome : IconArrowForward),
      })),
    },
    // An ISRC is of a track, though its release is found too.
    ...kinds
      .toSorted((a, b) => (isIsrc(text) ? Number(b === 'track') - Number(a === 'track') : 0))
      .map((kind) => ({
        label: frPalette.kinds[kind],
        entries: records
          .filter((result) => result.kind === kind && (payees.length === 0 || kind !== 'account'))
          .map((result) => ({
            key: `${kind} ${result.id}`,
            ...targetOf(result, held),
            label: result.label,
            hint: result.hint,
            icon: icons[kind],
            badge: badgeOf(result),
          })),
      })),
  ];
  // When no account has the name, the text is rather that of a record.
  const place = act?.name && payees.length === 0 && !act.isSure ? lists.length : Math.min(1, named.length);
  const groups = lists.toSpliced(place, 0, acts).filter(({ entries }) => entries.length > 0);
  const isBehind = board.isLoading || (isAllowed(searchCapabilities, held) && query.length >= shortest && q !== query);
  return { groups, found: answer, isPending: isBehind || (isSearching && answer.isFetching), isSearching };
}

interface PaletteProps extends PaletteText {
  onGo: () => void;
}

export function Palette({ text, setText, isGoing, setIsGoing, onGo }: PaletteProps) {
  const id = useId();
  const { userCapabilities } = useSignedIn();
  const [wanted, setWanted] = useState<string>();
  const list = useRef<HTMLDivElement>(null);
  const trap = useFocusTrap();
  const { groups, found, isPending, isSearching } = useResults(text);
  const entries = groups.flatMap((group) => group.entries);
  const index = Math.max(
    0,
    entries.findIndex(({ key }) => key === wanted),
  );
  const active = entries[index];
  const idOf = (entry: Entry) => `${id}-${entry.key.replaceAll(/[^\w]+/g, '-')}`;

  useEffect(() => {
    if (wanted !== undefined)
      list.current?.querySelector('[aria-selected="true"]')?.scrollIntoView({ block: 'nearest' });
  }, [wanted]);

  const go = () => active && document.getElementById(idOf(active))?.click();
  // Enter pressed before the response opens a result of this text, not of an earlier one.
  const isEarly = isPending && wanted === undefined && !active?.key.startsWith('screen ');
  useEffect(() => {
    if (!isGoing || isPending) return;
    setIsGoing(false);
    go();
  });

  const move = (to: number) => {
    setIsGoing(false);
    setWanted(entries.at(to % Math.max(1, entries.length))?.key);
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.nativeEvent.isComposing) return;
    const moves: Record<string, number> = { ArrowDown: index + 1, ArrowUp: index - 1 };
    const to = moves[event.key];
    if (to !== undefined) move(to);
    else if (event.key === 'Enter' && isEarly) setIsGoing(true);
    else if (event.key === 'Enter' && active) go();
    else return;
    event.preventDefault();
  };

  return (
    <div ref={trap} className={classes.body}>
      <PaletteInput
        isExpanded={entries.length > 0}
        aria-controls={`${id}-list`}
        aria-activedescendant={active && idOf(active)}
        placeholder={
          isAllowed(searchCapabilities, userCapabilities) ? frPalette.placeholder : frPalette.placeholderScreens
        }
        value={text}
        onChange={(event) => {
          setText(event.currentTarget.value);
          setWanted(undefined);
          setIsGoing(false);
          list.current?.scrollTo({ top: 0 });
        }}
        onKeyDown={onKeyDown}
      >
        {isPending && <Loader size={16} aria-hidden />}
      </PaletteInput>
      <div
        ref={list}
        id={`${id}-list`}
        role="listbox"
        tabIndex={-1}
        aria-label={frPalette.results}
        className={classes.list}
        onMouseDown={(event) => event.preventDefault()}
      >
        {groups.map((group) => (
          <fieldset key={group.label} aria-label={group.label}>
            <Box p="10px 10px 4px" fz={12} fw={600} className={shared.muted} aria-hidden>
              {group.label}
            </Box>
            {group.entries.map((entry) => (
              <Option
                key={entry.key}
                id={idOf(entry)}
                entry={entry}
                isActive={entry === active}
                onPoint={() => setWanted(entry.key)}
                onGo={onGo}
              />
            ))}
          </fieldset>
        ))}
      </div>
      <Foot isQuiet={entries.length > 0 && !found.isError}>
        {isSearching && found.isError ? (
          <>
            <span role="alert">{errorSentence(found.error)}</span>
            <Button size="compact-sm" variant="default" onClick={() => void found.refetch()}>
              {fr.common.retry}
            </Button>
          </>
        ) : (
          <output className={entries.length > 0 ? 'visually-hidden' : undefined}>
            {isPending
              ? frPalette.searching
              : entries.length === 0
                ? frPalette.nothing(text.trim())
                : frPalette.count(entries.length)}
          </output>
        )}
      </Foot>
    </div>
  );
}

interface OptionProps {
  id: string;
  entry: Entry;
  isActive: boolean;
  onPoint: () => void;
  onGo: () => void;
}

/** A real link, so that it can open in a new tab; the focus stays in the field. */
function Option({ id, entry, isActive, onPoint, onGo }: OptionProps) {
  const { icon: Icon, badge } = entry;
  return (
    <Link
      id={id}
      to={entry.to}
      search={entry.search ?? {}}
      role="option"
      tabIndex={-1}
      aria-selected={isActive}
      className={classes.option}
      preload={false}
      onMouseMove={onPoint}
      onClick={(event) => {
        if (!(event.ctrlKey || event.metaKey || event.shiftKey)) onGo();
      }}
    >
      <Icon size={18} stroke={1.6} />
      <Box component="span" flex={1} miw={0}>
        <Box component="span" display="block" fw={550} className={shared.cut}>
          {entry.label}
        </Box>
        {entry.hint && <span className={`${shared.under} ${shared.cut}`}>{entry.hint}</span>}
      </Box>
      {badge && <StatusBadge tone={badge.tone}>{badge.text}</StatusBadge>}
    </Link>
  );
}

function Foot({ isQuiet, children }: { isQuiet: boolean; children: ReactNode }) {
  return (
    <div className={classes.foot} data-quiet={isQuiet || undefined}>
      <Group flex={1} gap={8} miw={0} className={shared.wrap}>
        {children}
      </Group>
      <div className={classes.keys} aria-hidden>
        <kbd>↑</kbd>
        <kbd>↓</kbd> {frPalette.keys.move}
        <kbd>↵</kbd> {frPalette.keys.open}
        <kbd>Échap</kbd> {frPalette.keys.close}
      </div>
    </div>
  );
}
