import { Button, Menu, Skeleton } from '@mantine/core';
import type { Profile } from '@regie/contract/routes/accounts.ts';
import { IconCashBanknote, IconFileImport, IconUserPlus, IconVideoPlus } from '@tabler/icons-react';
import { type QueryClient, useQuery } from '@tanstack/react-query';
import { Link, Outlet, useMatches } from '@tanstack/react-router';
import { type ReactNode, useState } from 'react';
import { paths } from '#src/app/paths.ts';
import { frScreens } from '#src/app/screens.fr.ts';
import { frPrivacy } from '#src/domain/privacy/privacy.fr.ts';
import { RecordSigning } from '#src/domain/signing/record-signing.tsx';
import { formatDate, formatInteger } from '#src/lib/formats.ts';
import { useIdParam } from '#src/lib/id-param.ts';
import { useIsPhone } from '#src/lib/is-phone.ts';
import { useCan } from '#src/lib/session.ts';
import { Notice } from '#src/ui/alerts.tsx';
import { buttonIcon } from '#src/ui/button-icon.tsx';
import { LinkButton } from '#src/ui/link-button.tsx';
import { Tabs } from '#src/ui/list/list-toolbar.tsx';
import { Loaded } from '#src/ui/loaded.tsx';
import { Balance, Money } from '#src/ui/money.tsx';
import { PageHeader } from '#src/ui/page-header.tsx';
import shared from '#src/ui/shared.module.css';
import { NotFound } from '#src/ui/states.tsx';
import { accountName, accountTone, accountTrail, addVideoIncome } from './account-labels.ts';
import { AccountMenu } from './account-menu.tsx';
import { AccountToneBadge } from './account-tone.tsx';
import { payableQuery, profileQuery } from './accounts.api.ts';
import { frAccounts } from './accounts.fr.ts';
import classes from './accounts.module.css';
import { AddReferralModal } from './add-referral-modal.tsx';
import { LibraryImportModal } from './library-import-modal.tsx';

const t = frAccounts.frame;
const obstacleId = 'payout-obstacle';

/** What every tab of an account shows: who it is, what is owed to it, the actions, the tabs. */
export const prefetch = (client: QueryClient, id: number) =>
  Promise.all([client.prefetchQuery(profileQuery(id)), client.prefetchQuery(payableQuery(id))]);

export default function AccountFrame() {
  const id = useIdParam();
  const profile = useQuery({ ...profileQuery(id ?? 0), enabled: id !== undefined });
  if (id === undefined) return <NotFound />;
  return <Loaded query={profile}>{(data) => <AccountView key={id} profile={data} />}</Loaded>;
}

function tabsOf({ id, erasedAt }: Profile, canReadJournal: boolean) {
  // Nothing can be added to an account whose data was erased.
  const canAdd = erasedAt === null;
  const accounts = frScreens.accounts;
  return [
    { label: t.overview, to: paths.profile(id) },
    { label: t.statement, to: paths.statement(id) },
    canAdd && { label: accounts.releases, to: paths.accountReleases(id) },
    canAdd && { label: t.billings, to: paths.billings(id) },
    { label: accounts.invoices, to: paths.accountInvoices(id) },
    { label: accounts.contracts, to: paths.accountContracts(id) },
    canAdd && { label: accounts.referrals, to: paths.accountReferrals(id) },
    canReadJournal && { label: frScreens.journal, to: paths.accountJournal(id) },
    canAdd && { label: accounts.edit, to: paths.editProfile(id) },
  ].filter((tab) => tab !== false);
}

function AccountView({ profile }: { profile: Profile }) {
  const can = useCan();
  const isPhone = useIsPhone();
  const path = useMatches().at(-1)?.pathname;
  const tabs = tabsOf(profile, can('read_audit'));
  const current = tabs.find((tab) => tab.to === path);
  const isOverview = current === tabs[0];
  const state = accountTone({ ...profile, hasLabelSubscription: profile.subscriptionUntil !== null });
  const isLabel = profile.role === 'LABEL' || profile.subscriptionUntil !== null;
  return (
    <>
      {/* On phones its actions are the bar of a record. */}
      <div data-record className={classes.frame}>
        <PageHeader
          // Another screen, whose title is announced.
          key={path}
          title={accountName(profile)}
          crumb={isOverview ? undefined : current?.label}
          trail={isOverview ? undefined : accountTrail(profile)}
          badge={
            <>
              {state && state !== 'label' && <AccountToneBadge tone={state} />}
              {isLabel && <AccountToneBadge tone="label" />}
            </>
          }
          text={
            [profile.company, profile.email].filter(Boolean).join(' · ') || (profile.erasedAt === null && t.noEmail)
          }
          actions={profile.erasedAt === null && <Actions profile={profile} isPhone={isPhone} />}
        />
      </div>
      {profile.erasedAt !== null && (
        <div className={classes.notices}>
          <Notice tone="info">{frPrivacy.account.erased(formatDate(profile.erasedAt))}</Notice>
        </div>
      )}
      <KeyFacts profile={profile} />
      {profile.pendingAdjustment && (
        <div className={classes.notices}>
          <RecordSigning subject="proposal" id={String(profile.pendingAdjustment.id)} />
        </div>
      )}
      {profile.erasedAt === null && isPhone && (
        <div className={classes.shortcuts}>
          <Shortcuts profile={profile} />
        </div>
      )}
      <Tabs label={t.tabs} tabs={tabs.map((tab) => ({ ...tab, isCurrent: tab === current }))} />
      <Outlet />
    </>
  );
}

/** What is owed to the account, and what of it can be paid now. */
function KeyFacts({ profile }: { profile: Profile }) {
  const can = useCan();
  const payable = useQuery(payableQuery(profile.id)).data;
  return (
    <dl className={classes.keyFacts}>
      <div>
        <dt className={classes.keyFactLabel}>{frAccounts.profile.balance}</dt>
        <dd className={`${shared.figure} ${classes.keyFact}`}>
          <Balance amount={profile.income} />
        </dd>
      </div>
      <KeyFact label={frAccounts.figures.pending} isLoading={!payable}>
        <span className={classes.smallFigure}>
          <Money amount={payable?.pendingTotalEur ?? 0} currency="EUR" />
        </span>
        {payable && payable.pendingCount > 0 && can('read_pending_payout') && (
          <Link
            className={`${shared.link} ${classes.keyFactHint}`}
            to={paths.pendingPayouts}
            search={{ user: String(profile.id) }}
            aria-label={frAccounts.figures.allPending}
          >
            {t.pendingCount(formatInteger(payable.pendingCount), payable.pendingCount)}
          </Link>
        )}
      </KeyFact>
      <KeyFact label={t.payable} isLoading={!payable}>
        <span className={classes.smallFigure}>
          <Money amount={payable?.payableEur ?? 0} currency="EUR" />
        </span>
        {payable?.reason && (
          <span id={obstacleId} className={classes.keyFactHint}>
            {payable.reason}
          </span>
        )}
      </KeyFact>
    </dl>
  );
}

function KeyFact({ label, isLoading, children }: { label: string; isLoading: boolean; children: ReactNode }) {
  return (
    <div>
      <dt className={classes.keyFactLabel}>{label}</dt>
      <dd className={classes.keyFact}>
        {isLoading ? (
          <Skeleton component="span" display="inline-block" h={24} w={110} className={classes.keyFactSkeleton} />
        ) : (
          children
        )}
      </dd>
    </div>
  );
}

/** Disabled, with the reason, while nothing of the balance can be requested; the bar of a phone is without it then. */
function RequestPayout({ accountId, isPhone }: { accountId: number; isPhone: boolean }) {
  const payable = useQuery(payableQuery(accountId)).data;
  const obstacle = payable?.obstacle ?? null;
  if (isPhone && obstacle !== null) return null;
  return (
    <Button
      style={isPhone && !payable ? { visibility: 'hidden' } : undefined}
      {...(obstacle === null
        ? { renderRoot: (props) => <Link {...props} to={paths.requestPayout} search={{ userId: String(accountId) }} /> }
        : { disabled: true, title: obstacle, 'aria-describedby': obstacleId })}
      leftSection={buttonIcon(IconCashBanknote)}
      px={12}
    >
      {frAccounts.profile.requestPayout}
    </Button>
  );
}

/** The actions of product §22.5; its lists are tabs. */
function Actions({ profile, isPhone }: { profile: Profile; isPhone: boolean }) {
  const can = useCan();
  const [isImporting, setIsImporting] = useState(false);
  return (
    <>
      {can('edit_pending_payout') && <RequestPayout accountId={profile.id} isPhone={isPhone} />}
      {!isPhone && (
        <>
          <Button
            variant="default"
            px={12}
            leftSection={buttonIcon(IconFileImport)}
            onClick={() => setIsImporting(true)}
          >
            {frAccounts.libraryImport.button}
          </Button>
          <Shortcuts profile={profile} />
        </>
      )}
      <AccountMenu profile={profile}>
        {isPhone && (
          <Menu.Item leftSection={buttonIcon(IconFileImport)} onClick={() => setIsImporting(true)}>
            {frAccounts.libraryImport.button}
          </Menu.Item>
        )}
      </AccountMenu>
      <LibraryImportModal profile={profile} isOpen={isImporting} onClose={() => setIsImporting(false)} />
    </>
  );
}

/** The less frequent actions: on phones above the tabs, since the bar of actions has no room for them. */
function Shortcuts({ profile }: { profile: Profile }) {
  const can = useCan();
  const [isAdding, setIsAdding] = useState(false);
  return (
    <>
      {can('edit_reports') && (
        <LinkButton {...addVideoIncome(profile)} variant="default" px={12} leftSection={buttonIcon(IconVideoPlus)}>
          {frAccounts.profile.addYoutube}
        </LinkButton>
      )}
      <Button variant="default" px={12} leftSection={buttonIcon(IconUserPlus)} onClick={() => setIsAdding(true)}>
        {frAccounts.profile.addReferral}
      </Button>
      <AddReferralModal profile={profile} isOpen={isAdding} onClose={() => setIsAdding(false)} />
    </>
  );
}
