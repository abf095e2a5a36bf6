import { Button } from '@mantine/core';
import { formatPayoutNumber } from '@regie/contract/payouts.ts';
import type { AccountFigures } from '@regie/contract/routes/account-statement.ts';
import type { PendingAdjustment, Profile } from '@regie/contract/routes/accounts.ts';
import { routes } from '@regie/contract/routes.ts';
import {
  IconBuildingBank,
  IconCashBanknote,
  IconDisc,
  IconFileImport,
  IconFileInvoice,
  IconUserPlus,
  IconVideoPlus,
} from '@tabler/icons-react';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { paths } from '#src/app/paths.ts';
import { frScreens } from '#src/app/screens.fr.ts';
import { frApproval } from '#src/domain/approval/approval.fr.ts';
import { ApprovalNotice } from '#src/domain/approval/approval-notice.tsx';
import { journalFact } from '#src/domain/journal-fact.tsx';
import { api } from '#src/lib/api.ts';
import { formatBalance, formatInteger, formatMoney, formatPercent, sumAmounts } from '#src/lib/formats.ts';
import { fr } from '#src/lib/fr.ts';
import { useIdParam } from '#src/lib/id-param.ts';
import { newId } from '#src/lib/new-id.ts';
import { useCan } from '#src/lib/session.ts';
import { DateText } from '#src/ui/dates.tsx';
import { Loading } from '#src/ui/loaded.tsx';
import { Balance, Money } from '#src/ui/money.tsx';
import { PageHeader } from '#src/ui/page-header.tsx';
import { Facts, RecordPage, Section } from '#src/ui/record-page.tsx';
import shared from '#src/ui/shared.module.css';
import { NotFound } from '#src/ui/states.tsx';
import { AccountContracts } from './account-contracts.tsx';
import { BalanceHistory, TopTracks } from './account-history.tsx';
import { accountName, accountTone } from './account-labels.ts';
import { AccountTickets } from './account-tickets.tsx';
import { AccountToneBadge } from './account-tone.tsx';
import { figuresQuery, profileQuery, requestOptionsQuery } from './accounts.api.ts';
import { frAccounts } from './accounts.fr.ts';
import classes from './accounts.module.css';
import { LibrariesModal } from './libraries-modal.tsx';
import { LibraryImportModal } from './library-import-modal.tsx';
import { AccountForm, toShown } from './profile-form.tsx';
import { AddReferralModal, ReferralSection } from './referral-section.tsx';

const t = frAccounts.profile;

export default function ProfilePage() {
  const id = useIdParam();
  return id === undefined ? <NotFound /> : <ProfileLoader key={id} id={id} />;
}

function ProfileLoader({ id }: { id: number }) {
  const queryClient = useQueryClient();
  const profile = useQuery(profileQuery(id));
  const [reloads, setReloads] = useState(0);
  const reload = async () => {
    await queryClient.fetchQuery({ ...profileQuery(id), staleTime: 0 });
    setReloads((count) => count + 1);
  };
  // A form must not start from stale data.
  if (profile.data && profile.isFetchedAfterMount) {
    return <ProfileView profile={profile.data} reloads={reloads} onReload={reload} />;
  }
  return <Loading query={profile} />;
}

interface ProfileViewProps {
  profile: Profile;
  /** The number of times the form was reset. */
  reloads: number;
  onReload: () => Promise<void>;
}

function ProfileView({ profile, reloads, onReload }: ProfileViewProps) {
  const tone = accountTone({ ...profile, hasLabelSubscription: profile.subscriptionUntil !== null });
  return (
    <RecordPage
      header={
        <>
          <PageHeader
            title={accountName(profile)}
            badge={tone && <AccountToneBadge tone={tone} />}
            text={[profile.company, profile.email].filter(Boolean).join(' · ') || undefined}
          />
          <nav className={classes.shortcuts} aria-label={t.shortcuts}>
            <Shortcuts profile={profile} />
          </nav>
        </>
      }
      side={<ProfileFacts profile={profile} />}
    >
      {profile.pendingAdjustment && <WaitingAdjustment profile={profile} waiting={profile.pendingAdjustment} />}
      <Section title={t.details}>
        <EditForm key={reloads} profile={profile} onReload={onReload} />
      </Section>
      <BalanceHistory accountId={profile.id} />
      <TopTracks accountId={profile.id} />
      <ReferralSection profile={profile} />
      <AccountContracts profile={profile} />
      <AccountTickets accountId={profile.id} />
    </RecordPage>
  );
}

/** A balance change that waits for a second person (product §39.16). */
function WaitingAdjustment({ profile, waiting }: { profile: Profile; waiting: PendingAdjustment }) {
  const { amountEur, reason, proposedBy, canApprove } = waiting;
  const [idempotencyKey] = useState(newId);
  const options = { params: { id: profile.id }, idempotencyKey };
  return (
    <ApprovalNotice
      title={t.waitingTitle}
      text={t.waitingText(
        proposedBy,
        formatMoney(amountEur, 'EUR'),
        formatBalance(sumAmounts([profile.income, amountEur])),
        reason,
      )}
      canApprove={canApprove}
      onApprove={() => api(routes.approveAdjustment, { ...options, body: { amountEur } })}
      onWithdraw={() => api(routes.withdrawAdjustment, options)}
    />
  );
}

/** Initial values are read once; a save updates what the next one is compared with. */
function EditForm({ profile, onReload }: { profile: Profile; onReload: () => Promise<void> }) {
  const [seen, setSeen] = useState({ income: profile.income, updatedAt: profile.updatedAt });
  return (
    <AccountForm
      shares={profile}
      profile={profile}
      seen={seen}
      submit={(body, { idempotencyKey }) =>
        api(routes.editProfile, { params: { id: profile.id }, body, idempotencyKey })
      }
      onSuccess={({ data }, form) => {
        setSeen({ income: data.income, updatedAt: data.updatedAt });
        // An adjustment that waits for a second person has no effect yet: the next save must not request it again.
        form.setFieldValue('income', toShown(data.income));
        form.setFieldValue('reason', '');
        form.resetDirty();
      }}
      successMessage={({ data, message }, { income }) =>
        data.pendingAdjustment && income !== toShown(data.income)
          ? { text: `${message}. ${frApproval.waiting}.`, isInfo: true }
          : { text: message }
      }
      onReload={onReload}
      submitLabel={fr.common.save}
    />
  );
}

/** Disabled, with the reason, while nothing of the balance can be requested. */
function RequestPayout({ accountId }: { accountId: number }) {
  const obstacle = useQuery(requestOptionsQuery(accountId)).data?.obstacle ?? null;
  return (
    <Button
      {...(obstacle === null
        ? { renderRoot: (props) => <Link {...props} to={paths.requestPayout} search={{ userId: String(accountId) }} /> }
        : { disabled: true, title: obstacle })}
      variant="default"
      leftSection={<IconCashBanknote size={16} stroke={1.8} aria-hidden />}
    >
      {t.requestPayout}
    </Button>
  );
}

/** Links from an account (product §22.5). */
function Shortcuts({ profile }: { profile: Profile }) {
  const can = useCan();
  const [dialog, setDialog] = useState<'libraries' | 'import' | 'referral'>();
  const close = () => setDialog(undefined);
  return (
    <>
      <Button
        renderRoot={(props) => <Link {...props} to={paths.billings(profile.id)} />}
        variant="default"
        leftSection={<IconBuildingBank size={16} stroke={1.8} aria-hidden />}
      >
        {t.billings}
      </Button>
      <Button
        renderRoot={(props) => <Link {...props} to={paths.accountInvoices(profile.id)} />}
        variant="default"
        leftSection={<IconFileInvoice size={16} stroke={1.8} aria-hidden />}
      >
        {frAccounts.invoices.button}
      </Button>
      <Button
        variant="default"
        leftSection={<IconDisc size={16} stroke={1.8} aria-hidden />}
        onClick={() => setDialog('libraries')}
      >
        {frAccounts.libraries.button}
      </Button>
      <Button
        variant="default"
        leftSection={<IconFileImport size={16} stroke={1.8} aria-hidden />}
        onClick={() => setDialog('import')}
      >
        {frAccounts.libraryImport.button}
      </Button>
      {can('edit_pending_payout') && <RequestPayout accountId={profile.id} />}
      {can('edit_reports') && (
        <Button
          renderRoot={(props) => (
            <Link
              {...props}
              to={paths.addYoutubeReport}
              state={{ userId: profile.id, userName: accountName(profile) }}
            />
          )}
          variant="default"
          leftSection={<IconVideoPlus size={16} stroke={1.8} aria-hidden />}
        >
          {t.addYoutube}
        </Button>
      )}
      <Button
        variant="default"
        leftSection={<IconUserPlus size={16} stroke={1.8} aria-hidden />}
        onClick={() => setDialog('referral')}
      >
        {t.addReferral}
      </Button>
      <AddReferralModal profile={profile} isOpen={dialog === 'referral'} onClose={close} />
      <LibrariesModal profile={profile} isOpen={dialog === 'libraries'} onClose={close} />
      <LibraryImportModal profile={profile} isOpen={dialog === 'import'} onClose={close} />
    </>
  );
}

function ProfileFacts({ profile }: { profile: Profile }) {
  const can = useCan();
  const figures = useQuery(figuresQuery(profile.id)).data;
  const facts = [
    { label: t.balance, value: <Balance amount={profile.income} /> },
    ...(figures
      ? [
          {
            label: frAccounts.figures.pending,
            value: <PendingPayouts figures={figures} accountId={profile.id} />,
          },
          { label: frAccounts.figures.releases, value: formatInteger(figures.releases) },
        ]
      : []),
    ...(profile.subscriptionUntil ? [{ label: t.subscriptionUntil, value: profile.subscriptionUntil }] : []),
    ...(profile.referrersPercentile > 0
      ? [{ label: t.referrers, value: t.ofNet(formatPercent(profile.referrersPercentile)) }]
      : []),
    { label: t.createdAt, value: <DateText ms={profile.createdAt} /> },
    { label: t.updatedAt, value: <DateText ms={profile.updatedAt} hasTime /> },
    ...(can('read_reports')
      ? [
          {
            label: frScreens.reports.title,
            value: (
              <Link className={shared.link} to={paths.reporting()} search={{ userId: String(profile.id) }}>
                {t.reports}
              </Link>
            ),
          },
        ]
      : []),
    ...(can('read_audit') ? [journalFact('account', profile.id, t.journal)] : []),
  ];
  return (
    <Section title={fr.common.facts}>
      <Facts facts={facts} />
    </Section>
  );
}

const shownPayouts = 5;

function PendingPayouts({ figures, accountId }: { figures: AccountFigures; accountId: number }) {
  const can = useCan();
  if (figures.pendingPayouts.length === 0) return frAccounts.figures.noPending;
  const mayOpen = can('edit_pending_payout') || can('edit_paid_payout');
  return (
    <>
      <Money amount={figures.pendingTotalEur} currency="EUR" />
      {figures.pendingPayouts.slice(0, shownPayouts).map((payout) => (
        <span key={payout.id} className={classes.payout}>
          {mayOpen ? (
            <Link className={shared.link} to={paths.payout(payout.id)}>
              {formatPayoutNumber(payout.id)}
            </Link>
          ) : (
            formatPayoutNumber(payout.id)
          )}
          <Money amount={payout.amountEur} currency="EUR" />
        </span>
      ))}
      {can('read_pending_payout') && (
        <Link
          className={`${shared.link} ${classes.hint}`}
          to={paths.pendingPayouts}
          search={{ user: String(accountId) }}
        >
          {frAccounts.figures.allPending}
        </Link>
      )}
    </>
  );
}
