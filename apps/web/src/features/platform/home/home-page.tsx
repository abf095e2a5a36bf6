import { Box, Group, Skeleton } from '@mantine/core';
import { type HomeFigures, homeDays } from '@regie/contract/routes/accounting.ts';
import { routes } from '@regie/contract/routes.ts';
import { defaultUnsignedEur, signatureMessages } from '@regie/contract/signatures.ts';
import {
  IconBell,
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
import { api } from '#src/lib/api.ts';
import { formatInteger, formatMoney, formatMonth, formatTotal } from '#src/lib/formats.ts';
import { fr } from '#src/lib/fr.ts';
import { dayBefore } from '#src/lib/months.ts';
import { usePreference } from '#src/lib/preferences.ts';
import { isAllowed, useCan, useSignedIn } from '#src/lib/session.ts';
import { Notice } from '#src/ui/alerts.tsx';
import { ChartsSkeleton } from '#src/ui/charts-skeleton.tsx';
import { PageHeader } from '#src/ui/page-header.tsx';
import shared from '#src/ui/shared.module.css';
import { EmptyState, ErrorState } from '#src/ui/states.tsx';
import { frHome } from './home.fr.ts';
import { boardQuery, HomeMonths } from './home-month.tsx';
import classes from './home-page.module.css';

const HomeIncome = lazy(async () => ({ default: (await import('./home-income.tsx')).HomeIncome }));
const andList = new Intl.ListFormat('fr');

interface Figure {
  /** Absent where the hint says it. */
  value?: string;
  hint: string;
}
interface BoxContent {
  to: string;
  label: string;
  /** Undefined when the figure is not available to the admin. */
  figure: (figures: HomeFigures) => Figure | undefined;
}

/** The six link boxes of product §11.5; each requires its screen's capability. */
const boxes: readonly BoxContent[] = [
  {
    to: paths.profiles,
    label: frHome.accounts,
    figure: ({ accounts }) =>
      accounts === null ? undefined : { value: formatInteger(accounts), hint: frHome.accountsHint },
  },
  {
    to: paths.releases('unpaid'),
    label: frHome.unpaidReleases,
    figure: ({ unpaidReleases, since }) =>
      unpaidReleases === null
        ? undefined
        : { value: formatInteger(unpaidReleases), hint: shortSince(frHome.unpaidReleasesHint, since.unpaidReleases) },
  },
  {
    to: paths.pendingPayouts,
    label: frHome.pendingPayouts,
    figure: ({ pendingPayouts, since }) =>
      pendingPayouts === null
        ? undefined
        : {
            value: formatInteger(pendingPayouts.count),
            hint: shortSince(formatMoney(pendingPayouts.amountEur, 'EUR'), since.pendingPayouts),
          },
  },
  {
    to: paths.addPlatformReport,
    label: frHome.createReport,
    figure: ({ reports }) => {
      if (reports === null) return undefined;
      return {
        hint:
          reports.lastMonth === null
            ? frHome.createReportNone
            : frHome.createReportHint(formatMonth(reports.lastMonth)),
      };
    },
  },
  {
    to: paths.reporting(),
    label: frHome.reports,
    figure: ({ reports }) =>
      reports === null
        ? undefined
        : { value: formatTotal(reports.count, reports.countIsExact), hint: frHome.reportsHint },
  },
  {
    to: paths.unpaidAccounts,
    label: frHome.unpaidAccounts,
    figure: ({ unpaidAccounts }) =>
      unpaidAccounts === null
        ? undefined
        : {
            value: formatInteger(unpaidAccounts.count),
            hint: frHome.unpaidAccountsHint(formatMoney(unpaidAccounts.payableEur, 'EUR')),
          },
  },
];

const dayMs = 86_400_000;
const daysSince = (since: number) => Math.floor((Date.now() - since) / dayMs);
const waitingSince = (hint: string, since: number | null) =>
  since === null ? hint : `${hint}, ${frHome.since(daysSince(since))}`;
const shortSince = (hint: string, since: number | null) =>
  since === null ? hint : `${hint}, ${frHome.sinceShort(formatInteger(daysSince(since)))}`;

function mayOpen(address: string, held: Parameters<typeof isAllowed>[1]): boolean {
  const screen = findScreenOf(address);
  return screen !== undefined && isAllowed(screen.access, held);
}

export default function HomePage() {
  const { user, userCapabilities } = useSignedIn();
  const home = useQuery({ queryKey: ['home'], queryFn: ({ signal }) => api(routes.getHome, { signal }) });
  const board = useQuery({ ...boardQuery, enabled: mayOpen(paths.months, userCapabilities) });
  // Sections of unknown height appear together, so that none moves another.
  const isLoading = home.isPending || board.isLoading;
  const shown = boxes.filter((box) => mayOpen(box.to, userCapabilities));
  const sections = sectionsFor(userCapabilities);
  const isAnythingOpen = sections.length > 0;
  return (
    <>
      <PageHeader title={frHome.title(user.fname)} isPageTitle={false} />
      <FactorNotice />
      {home.data?.data.signatures && <SignatoryNotices {...home.data.data.signatures} />}
      {!isAnythingOpen && <EmptyState icon={IconReportMoney} title={frHome.nothingTitle} text={frHome.nothing} />}
      {shown.length > 0 && (
        <ul className={classes.boxes} aria-label={frHome.boxes}>
          {shown.map((box) => (
            <HomeBox key={box.to} box={box} figures={home.data?.data} isFailed={home.isError} />
          ))}
        </ul>
      )}
      {isLoading && isAnythingOpen && <SectionsSkeleton />}
      {!isLoading && board.isError && <ErrorState query={board} />}
      {!isLoading && board.data && <HomeMonths {...board.data} />}
      {home.isError && isAnythingOpen && <ErrorState query={home} />}
      {!isLoading && home.data && <Attention figures={home.data.data} />}
      {!isLoading && mayOpen(paths.insight, userCapabilities) && (
        <Box mt={32}>
          <Suspense fallback={<ChartsSkeleton />}>
            <HomeIncome />
          </Suspense>
        </Box>
      )}
      {/* Without any box, lists the available screens. */}
      {shown.length === 0 && isAnythingOpen && (
        <nav aria-label={frHome.screens}>
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

/** What weakens signatures: nobody or one person signs, or much may leave without. */
function SignatoryNotices({ signatories, unsignedEur }: NonNullable<HomeFigures['signatures']>) {
  const can = useCan();
  const t = frHome.signatories;
  const notices = [
    signatories === 0 && signatureMessages.none(can('edit_admins') || can('manage_settings')),
    signatories === 1 && t.one,
    unsignedEur > defaultUnsignedEur && t.limit(formatMoney(unsignedEur, 'EUR')),
  ].filter((text) => text !== false);
  return notices.map((text) => (
    <div key={text} className={classes.notice}>
      <Notice tone="info">{text}</Notice>
    </div>
  ));
}

/** Suggests adding a second factor to admins without one, until they hide it. */
function FactorNotice() {
  const { hasFactor, provider } = useSignedIn();
  const [notice, setNotice] = usePreference('factorNotice', ['on', 'off']);
  if (notice === 'off' || hasFactor || provider !== undefined) return null;
  return (
    <div className={classes.notice}>
      <Notice tone="info" onDismiss={() => setNotice('off')}>
        {frHome.factorNotice.text} <Link to={paths.security}>{frHome.factorNotice.link}</Link>
      </Notice>
    </div>
  );
}

function SectionsSkeleton() {
  return (
    <Box mt={32} role="status" aria-label={fr.common.loading}>
      <Skeleton h={22} w={180} mb={12} />
      <Skeleton h={110} mb={32} />
      <Skeleton h={22} w={180} mb={12} />
      {[0, 1, 2, 3, 4].map((row) => (
        <Skeleton key={row} h={56} mb={1} />
      ))}
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
        <Group
          component="span"
          justify="space-between"
          gap={4}
          fz={12}
          fw={550}
          lh="20px"
          wrap="nowrap"
          className={shared.nowrap}
        >
          <span className={classes.boxLabel}>{box.label}</span>{' '}
          {figure?.value !== undefined && (
            <Box component="span" fz={14} fw={650}>
              {figure.value}
            </Box>
          )}
        </Group>{' '}
        <span className={classes.boxHint}>
          {figures === undefined && !isFailed ? (
            <Skeleton component="span" display="block" h={12} w="70%" mt={3} />
          ) : (
            figure?.hint
          )}
        </span>
      </Link>
    </li>
  );
}

interface Waiting {
  to: string;
  search?: Record<string, string>;
  icon: ComponentType<{ size?: number; stroke?: number }>;
  /** Null for those who may not see it. */
  count: number | null | undefined;
  isLowerBound?: boolean;
  label: (count: number) => string;
  hint: (count: number) => string;
  since?: number | null;
}

/** What may wait, each kind with its screen. */
function listKinds(figures: HomeFigures): Waiting[] {
  const { unmatched, unsaved, missingRates, signatures, since } = figures;
  const amounts = unmatched ? [{ currency: 'EUR', amount: unmatched.amountEur }, ...unmatched.withoutRate] : [];
  return [
    {
      to: paths.releases('paid'),
      icon: IconDisc,
      count: figures.qualityControl,
      label: frHome.qualityControl,
      hint: frHome.qualityControlHint,
      since: since.qualityControl,
    },
    {
      to: paths.tickets('opened'),
      icon: IconFlag,
      count: figures.openTickets,
      label: frHome.openTickets,
      hint: frHome.openTicketsHint,
      since: since.openTickets,
    },
    {
      to: paths.unmatched,
      icon: IconMusicQuestion,
      count: unmatched?.items,
      label: frHome.unmatched,
      hint: () =>
        frHome.unmatchedHint(andList.format(amounts.map(({ amount, currency }) => formatMoney(amount, currency)))),
      since: since.unmatched,
    },
    {
      to: paths.statements,
      search: { status: 'blocked' },
      icon: IconFileX,
      count: figures.blockedStatements,
      label: frHome.blockedStatements,
      hint: () => frHome.blockedStatementsHint,
      since: since.blockedStatements,
    },
    {
      to: unsaved?.lastImportId && unsaved.imports === 1 ? paths.import(unsaved.lastImportId) : paths.imports,
      icon: IconFileAlert,
      count: unsaved?.isrcs,
      isLowerBound: unsaved?.isExact === false,
      label: () => frHome.unsaved,
      hint: () => frHome.unsavedHint(unsaved?.imports ?? 0),
      since: since.unsaved,
    },
    {
      to: paths.exchangeRates,
      icon: IconCurrencyEuro,
      count: missingRates?.months,
      label: () => frHome.missingRates,
      hint: () => frHome.missingRatesHint(formatMonth(missingRates?.first ?? null)),
    },
    {
      to: paths.signatures,
      icon: IconWritingSign,
      count: signatures?.toSign,
      label: frHome.toSign,
      hint: () => frHome.toSignHint,
    },
    {
      to: paths.journal,
      search: { mark: 'alerts', from: dayBefore(homeDays.alerts), signIns: 'with' },
      icon: IconBell,
      count: figures.alerts,
      label: frHome.alerts,
      hint: () => frHome.alertsHint,
    },
    {
      to: paths.manageAdmins,
      icon: IconMailX,
      count: figures.undeliveredMails,
      label: frHome.undeliveredMails,
      hint: () => frHome.undeliveredMailsHint,
    },
    {
      to: paths.system,
      icon: IconDatabaseX,
      count: figures.isBackupLate === null ? null : Number(figures.isBackupLate),
      label: () => frHome.lateBackup,
      hint: () => frHome.lateBackupHint,
    },
  ];
}

/** Pending work, each item linked to its screen. */
function Attention({ figures }: { figures: HomeFigures }) {
  const { userCapabilities } = useSignedIn();
  const kinds = listKinds(figures).filter(
    ({ to, count }) => typeof count === 'number' && mayOpen(to, userCapabilities),
  );
  const waiting = kinds.flatMap(({ count, ...kind }) => (count ? { count, ...kind } : []));
  if (kinds.length === 0) return null;
  return (
    <Box aria-labelledby="today" component="section" mt={32}>
      <h2 id="today" className={shared.sectionTitle}>
        {frHome.today}
      </h2>
      {waiting.length === 0 && (
        <p className={classes.done}>
          <IconCircleCheck size={20} stroke={1.7} aria-hidden />
          {frHome.allDone}
        </p>
      )}
      {waiting.length > 0 && (
        <ul className={classes.waiting}>
          {waiting.map(({ to, search = {}, label, icon: Icon, count, isLowerBound = false, hint, since = null }) => (
            <li key={to}>
              <Link to={to} search={search} className={classes.item}>
                <Icon size={20} stroke={1.6} />
                <Box component="span" flex="none" miw={44} fz={18} fw={620} ta="right" className="figures">
                  {formatTotal(count, !isLowerBound)}
                </Box>
                <Box component="span" flex={1} miw={0}>
                  <Box component="span" display="block" fw={550}>
                    {label(count)}
                  </Box>
                  <Box component="span" display="block" className={shared.note}>
                    {waitingSince(hint(count), since)}
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
