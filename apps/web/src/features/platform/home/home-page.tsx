import { Box, Group, Skeleton } from '@mantine/core';
import { type HomeFigures, homeDays } from '@regie/contract/routes/accounting.ts';
import { routes } from '@regie/contract/routes.ts';
import { defaultUnsignedEur, signatureMessages } from '@regie/contract/signatures.ts';
import { formatInteger, formatMoney, formatMonth, formatTotal } from '@regie/values/formats.ts';
import {
  IconBell,
  IconBuilding,
  IconChevronRight,
  IconCircleCheck,
  IconCurrencyEuro,
  IconDatabaseX,
  IconDisc,
  IconFileAlert,
  IconFileX,
  IconFlag,
  IconMailX,
  IconMusicQuestion,
  IconReportMoney,
  IconWritingSign,
} from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { type ComponentType, lazy, Suspense } from 'react';
import { paths } from '#src/app/paths.ts';
import { frScreens } from '#src/app/screens.fr.ts';
import { findScreenOf, sectionsFor } from '#src/app/screens.ts';
import { boardQuery } from '#src/domain/month-board.ts';
import { apiQuery } from '#src/lib/api.ts';
import { fr } from '#src/lib/fr.ts';
import { dayBefore } from '#src/lib/months.ts';
import { usePreference } from '#src/lib/preferences.ts';
import { isAllowed, useCan, useSignedIn } from '#src/lib/session.ts';
import { Notice } from '#src/ui/alerts.tsx';
import { ChartsSkeleton } from '#src/ui/charts-skeleton.tsx';
import { PageHeader } from '#src/ui/page-header.tsx';
import shared from '#src/ui/shared.module.css';
import { Skeletons } from '#src/ui/skeletons.tsx';
import { EmptyState, ErrorState } from '#src/ui/states.tsx';
import { frHome } from './home.fr.ts';
import { HomeMonths } from './home-month.tsx';
import classes from './home-page.module.css';

const HomeIncome = lazy(async () => ({ default: (await import('./home-income.tsx')).HomeIncome }));
const andList = new Intl.ListFormat('fr');
const t = frHome;

interface BoxContent {
  to: string;
  label: string;
  /** Null when the figure is not available to the admin. A value is absent where the hint says it. */
  figure: (figures: HomeFigures) => { value?: string; hint: string } | null;
}

/** The six link boxes of product §11.5; each requires its screen's capability. */
const boxes: readonly BoxContent[] = [
  {
    to: paths.profiles,
    label: t.accounts,
    figure: ({ accounts }) => (accounts === null ? null : { value: formatInteger(accounts), hint: t.accountsHint }),
  },
  {
    to: paths.releases('unpaid'),
    label: frScreens.releases.unpaid,
    figure: ({ unpaidReleases: count, since }) =>
      count === null
        ? null
        : { value: formatInteger(count), hint: shortSince(t.unpaidReleasesHint, since.unpaidReleases) },
  },
  {
    to: paths.pendingPayouts,
    label: frScreens.payouts.pending,
    figure: ({ pendingPayouts, since }) =>
      pendingPayouts && {
        value: formatInteger(pendingPayouts.count),
        hint: shortSince(formatMoney(pendingPayouts.amountEur, 'EUR'), since.pendingPayouts),
      },
  },
  {
    to: paths.addPlatformReport,
    label: t.createReport,
    figure: ({ reports }) =>
      reports && {
        hint: reports.lastMonth === null ? t.createReportNone : t.createReportHint(formatMonth(reports.lastMonth)),
      },
  },
  {
    to: paths.reporting(),
    label: t.reports,
    figure: ({ reports }) =>
      reports && { value: formatTotal(reports.count, reports.countIsExact), hint: t.reportsHint },
  },
  {
    to: paths.unpaidAccounts,
    label: frScreens.payouts.unpaidAccounts,
    figure: ({ unpaidAccounts }) =>
      unpaidAccounts && {
        value: formatInteger(unpaidAccounts.count),
        hint: t.unpaidAccountsHint(formatMoney(unpaidAccounts.payableEur, 'EUR')),
      },
  },
];

const dayMs = 86_400_000;
const daysSince = (since: number) => Math.floor((Date.now() - since) / dayMs);
const waitingSince = (hint: string, since: number | null) =>
  since === null ? hint : `${hint}, ${t.since(daysSince(since))}`;
const shortSince = (hint: string, since: number | null) =>
  since === null ? hint : `${hint}, ${t.sinceShort(formatInteger(daysSince(since)))}`;

function mayOpen(address: string, held: Parameters<typeof isAllowed>[1]): boolean {
  const screen = findScreenOf(address);
  return screen !== undefined && isAllowed(screen.access, held);
}

export default function HomePage() {
  const { user, userCapabilities } = useSignedIn();
  const home = useQuery(apiQuery(['home'], routes.getHome));
  const board = useQuery({ ...boardQuery, enabled: mayOpen(paths.months, userCapabilities) });
  // Sections of unknown height appear together, so that none moves another.
  const isLoading = home.isPending || board.isLoading;
  const shown = boxes.filter((box) => mayOpen(box.to, userCapabilities));
  const sections = sectionsFor(userCapabilities);
  const isAnythingOpen = sections.length > 0;
  return (
    <>
      <PageHeader title={t.title(user.fname)} isPageTitle={false} />
      <FactorNotice />
      {home.data?.signatures && <SignatoryNotices {...home.data.signatures} />}
      {!isAnythingOpen && <EmptyState icon={IconReportMoney} title={t.nothingTitle} text={t.nothing} />}
      {shown.length > 0 && (
        <ul className={classes.boxes} aria-label={t.boxes}>
          {shown.map((box) => (
            <HomeBox key={box.to} box={box} figures={home.data} isFailed={home.isError} />
          ))}
        </ul>
      )}
      {isLoading && isAnythingOpen && <SectionsSkeleton />}
      {!isLoading && board.isError && <ErrorState query={board} />}
      {!isLoading && board.data && <HomeMonths {...board.data} />}
      {home.isError && isAnythingOpen && <ErrorState query={home} />}
      {!isLoading && home.data && <Attention figures={home.data} />}
      {!isLoading && mayOpen(paths.analytics, userCapabilities) && (
        <Box mt={32}>
          <Suspense fallback={<ChartsSkeleton />}>
            <HomeIncome />
          </Suspense>
        </Box>
      )}
      {shown.length === 0 && isAnythingOpen && (
        <nav aria-label={t.screens}>
          {sections.map(({ section, entries }) => (
            <Box key={section} aria-labelledby={`home-${section}`} component="section" mt={24}>
              <h2 id={`home-${section}`} className={shared.sectionTitle}>
                {frScreens.sections[section]}
              </h2>
              <ul className={classes.boxes}>
                {entries.map(({ to, label, icon: Icon }) => (
                  <li key={to}>
                    <Link to={to} className={classes.box}>
                      <Group component="span" gap={8} mih={36} fz={13} fw={600} wrap="nowrap">
                        <Box component="span" display="grid" className={shared.muted} aria-hidden>
                          <Icon size={18} stroke={1.7} />
                        </Box>
                        {label}
                      </Group>
                    </Link>
                  </li>
                ))}
              </ul>
            </Box>
          ))}
        </nav>
      )}
    </>
  );
}

function SignatoryNotices({ signatories, unsignedEur }: NonNullable<HomeFigures['signatures']>) {
  const can = useCan();
  const notices = [
    signatories === 0 && signatureMessages.none(can('edit_admins') || can('manage_settings')),
    signatories === 1 && t.signatories.one,
    unsignedEur > defaultUnsignedEur && t.signatories.limit(formatMoney(unsignedEur, 'EUR')),
  ].filter((text) => text !== false);
  return notices.map((text) => (
    <Box key={text} mb={16}>
      <Notice tone="note">{text}</Notice>
    </Box>
  ));
}

function FactorNotice() {
  const { hasFactor, provider } = useSignedIn();
  const [notice, setNotice] = usePreference('factorNotice', ['on', 'off']);
  if (notice === 'off' || hasFactor || provider !== undefined) return null;
  return (
    <Box mb={16}>
      <Notice tone="note" onDismiss={() => setNotice('off')}>
        {t.factorNotice.text} <Link to={paths.security}>{t.factorNotice.link}</Link>
      </Notice>
    </Box>
  );
}

function SectionsSkeleton() {
  return (
    <Box mt={32} role="status" aria-label={fr.common.loading}>
      <Skeleton h={22} w={180} mb={12} />
      <Skeleton h={110} mb={32} />
      <Skeleton h={22} w={180} mb={12} />
      <Skeletons count={5} h={56} mb={1} />
      <Box mt={32}>
        <ChartsSkeleton />
      </Box>
    </Box>
  );
}

function HomeBox({ box, figures, isFailed }: { box: BoxContent; figures: HomeFigures | undefined; isFailed: boolean }) {
  const figure = figures && box.figure(figures);
  return (
    <li>
      <Link to={box.to} className={classes.box}>
        {/* Always one line: the row keeps its height while figures load. */}
        <Group component="span" justify="space-between" gap={4} fz={12} fw={550} lh="20px" wrap="nowrap">
          <span className={shared.cut}>{box.label}</span>{' '}
          {figure?.value !== undefined && (
            <Box component="span" fz={14} fw={650}>
              {figure.value}
            </Box>
          )}
        </Group>{' '}
        <Box component="span" display="block" mih={18} fz={12} lh="18px" className={`${shared.cut} ${shared.muted}`}>
          {figures === undefined && !isFailed ? (
            <Skeleton component="span" display="block" h={12} w="70%" mt={3} />
          ) : (
            figure?.hint
          )}
        </Box>
      </Link>
    </li>
  );
}

interface Waiting {
  kind: keyof typeof t.waiting;
  to: string;
  search?: Record<string, string>;
  icon: ComponentType<{ size?: number; stroke?: number }>;
  count: number | null | undefined;
  hint?: string;
}

function listKinds(figures: HomeFigures): Waiting[] {
  const { unmatched, unsaved, missingRates, signatures, isBackupLate, withoutSiren, undeliveredStatements } = figures;
  const amounts = unmatched ? [{ currency: 'EUR', amount: unmatched.amountEur }, ...unmatched.withoutRate] : [];
  const unmatchedSums = andList.format(amounts.map(({ amount, currency }) => formatMoney(amount, currency)));
  return [
    { kind: 'qualityControl', to: paths.releases('paid'), icon: IconDisc, count: figures.qualityControl },
    { kind: 'openTickets', to: paths.tickets('opened'), icon: IconFlag, count: figures.openTickets },
    {
      kind: 'unmatched',
      to: paths.unmatched,
      icon: IconMusicQuestion,
      count: unmatched?.items,
      hint: t.unmatchedHint(unmatchedSums),
    },
    {
      kind: 'blockedStatements',
      to: paths.statements,
      search: { status: 'blocked' },
      icon: IconFileX,
      count: figures.blockedStatements,
    },
    {
      kind: 'unsaved',
      to: unsaved?.lastImportId && unsaved.imports === 1 ? paths.import(unsaved.lastImportId) : paths.imports,
      icon: IconFileAlert,
      count: unsaved?.isrcs,
      hint: t.unsavedHint(unsaved?.imports ?? 0),
    },
    {
      kind: 'missingRates',
      to: paths.exchangeRates,
      icon: IconCurrencyEuro,
      count: missingRates?.months,
      hint: t.missingRatesHint(formatMonth(missingRates?.first ?? null)),
    },
    { kind: 'withoutSiren', to: paths.profiles, search: { siren: 'missing' }, icon: IconBuilding, count: withoutSiren },
    { kind: 'toSign', to: paths.signatures, icon: IconWritingSign, count: signatures?.toSign },
    {
      kind: 'alerts',
      to: paths.journal,
      search: { mark: 'alerts', from: dayBefore(homeDays.alerts), signIns: 'with' },
      icon: IconBell,
      count: figures.alerts,
    },
    {
      kind: 'undeliveredStatements',
      to: paths.royaltyRun(undeliveredStatements?.runId ?? 0),
      search: { letter: 'failed' },
      icon: IconMailX,
      count: undeliveredStatements?.count,
    },
    { kind: 'undeliveredMails', to: paths.manageAdmins, icon: IconMailX, count: figures.undeliveredMails },
    {
      kind: 'lateBackup',
      to: paths.system,
      icon: IconDatabaseX,
      count: isBackupLate === null ? null : Number(isBackupLate),
    },
  ];
}

function Attention({ figures }: { figures: HomeFigures }) {
  const { userCapabilities } = useSignedIn();
  const since: Partial<Record<Waiting['kind'], number | null>> = figures.since;
  const hints: Partial<Record<Waiting['kind'], (count: number) => string>> = t.hint;
  const kinds = listKinds(figures).filter(
    ({ to, count }) => typeof count === 'number' && mayOpen(to, userCapabilities),
  );
  const waiting = kinds.flatMap(({ count, ...kind }) => (count ? { count, ...kind } : []));
  if (kinds.length === 0) return null;
  return (
    <Box aria-labelledby="today" component="section" mt={32}>
      <h2 id="today" className={shared.sectionTitle}>
        {t.today}
      </h2>
      {waiting.length === 0 && (
        <Group component="p" gap={10} className={shared.muted}>
          <IconCircleCheck size={20} stroke={1.7} color="var(--positive)" aria-hidden />
          {t.allDone}
        </Group>
      )}
      {waiting.length > 0 && (
        <ul className={classes.waiting}>
          {waiting.map(({ kind, to, search = {}, icon: Icon, count, hint = hints[kind]?.(count) ?? '' }) => (
            <li key={kind}>
              <Link to={to} search={search} className={classes.item}>
                <Icon size={20} stroke={1.6} />
                <Box component="span" flex="none" miw={44} fz={18} fw={620} ta="right" className="figures">
                  {formatTotal(count, kind !== 'unsaved' || figures.unsaved?.isExact !== false)}
                </Box>
                <Box component="span" flex={1} miw={0}>
                  <Box component="span" display="block" fw={550}>
                    {t.waiting[kind](count)}
                  </Box>
                  <Box component="span" display="block" className={shared.note}>
                    {waitingSince(hint, since[kind] ?? null)}
                  </Box>
                </Box>
                <IconChevronRight size={18} stroke={1.6} />
              </Link>
            </li>
          ))}
        </ul>
      )}
    </Box>
  );
}
