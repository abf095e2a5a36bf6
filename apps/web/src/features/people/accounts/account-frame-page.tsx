import { Box, Button, Group, Menu, Stack, Text } from '@mantine/core';
import type { Capability } from '@regie/contract/capabilities.ts';
import { messages } from '@regie/contract/messages.ts';
import { payoutMessages } from '@regie/contract/payouts.ts';
import type { AccountPayable } from '@regie/contract/routes/account-statement.ts';
import type { LookupItem } from '@regie/contract/routes/accounting.ts';
import type { Profile } from '@regie/contract/routes/accounts.ts';
import { ReferralForm } from '@regie/contract/routes/referrals.ts';
import { routes } from '@regie/contract/routes.ts';
import { formatDate, splitBalance } from '@regie/values/formats.ts';
import {
  IconCashBanknote,
  IconFileImport,
  IconFileZip,
  IconUserPlus,
  IconUserX,
  IconVideoPlus,
} from '@tabler/icons-react';
import { type QueryClient, useQuery } from '@tanstack/react-query';
import { Link, Outlet, useMatches } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { paths } from '#src/app/paths.ts';
import { frScreens } from '#src/app/screens.fr.ts';
import { AccountField } from '#src/domain/account-field.tsx';
import { NothingToPay } from '#src/domain/nothing-to-pay.tsx';
import { ErasureModal } from '#src/domain/privacy/erasure-modal.tsx';
import { exportPersonalData } from '#src/domain/privacy/export-personal-data.ts';
import { frPrivacy } from '#src/domain/privacy/privacy.fr.ts';
import { RecordSigning } from '#src/domain/signing/record-signing.tsx';
import { api, apiQuery } from '#src/lib/api.ts';
import { type DialogState, useAsked } from '#src/lib/asked.ts';
import { fr } from '#src/lib/fr.ts';
import { useIdParam } from '#src/lib/id-param.ts';
import { useIsPhone } from '#src/lib/is-phone.ts';
import { useCan } from '#src/lib/session.ts';
import { Notice } from '#src/ui/alerts.tsx';
import { buttonIcon } from '#src/ui/button-icon.tsx';
import { CancelButton, Dialog } from '#src/ui/dialog.tsx';
import { Balance } from '#src/ui/exact.tsx';
import { Form, fieldProps } from '#src/ui/form.tsx';
import { LinkButton } from '#src/ui/link-button.tsx';
import { Loaded } from '#src/ui/loaded.tsx';
import { Money } from '#src/ui/money.tsx';
import { MoreMenu } from '#src/ui/more-menu.tsx';
import { NumberField } from '#src/ui/number-field.tsx';
import { PageHeader } from '#src/ui/page-header.tsx';
import { RecordTabs } from '#src/ui/record-page.tsx';
import shared from '#src/ui/shared.module.css';
import { NotFound, RightGate } from '#src/ui/states.tsx';
import { AccountContext } from './account-context.ts';
import { accountName, accountTone } from './account-labels.ts';
import { AccountToneBadge } from './account-tone.tsx';
import { payableQuery, profileQuery } from './accounts.api.ts';
import { frAccounts } from './accounts.fr.ts';
import classes from './accounts.module.css';
import { KeyFact } from './key-fact.tsx';
import { LibraryImportModal } from './library-import-modal.tsx';

const t = frAccounts.frame;
const obstacleId = 'payout-obstacle';

export const prefetch = (client: QueryClient, id: number) =>
  Promise.all([client.prefetchQuery(profileQuery(id)), client.prefetchQuery(payableQuery(id))]);

export default function AccountFrame() {
  const id = useIdParam();
  const profile = useQuery({ ...profileQuery(id ?? 0), enabled: id !== undefined });
  if (id === undefined) return <NotFound />;
  return <Loaded query={profile}>{(data) => <AccountView key={id} profile={data} />}</Loaded>;
}

interface Tab {
  label: string;
  to: string;
  needs?: Capability;
}

function tabsOf({ id, erasedAt }: Profile): Tab[] {
  // Nothing can be added to an account whose data was erased.
  const canAdd = erasedAt === null;
  const accounts = frScreens.accounts;
  return [
    { label: fr.common.overview, to: paths.profile(id) },
    { label: accounts.statement, to: paths.statement(id) },
    canAdd && { label: accounts.releases, to: paths.accountReleases(id) },
    canAdd && { label: t.billings, to: paths.billings(id) },
    { label: accounts.invoices, to: paths.accountInvoices(id) },
    { label: accounts.contracts, to: paths.accountContracts(id) },
    { label: accounts.royalties, to: paths.accountRoyalties(id), needs: 'read_statements_out' } as const,
    canAdd && { label: accounts.referrals, to: paths.accountReferrals(id) },
    { label: frScreens.journal, to: paths.accountJournal(id), needs: 'read_audit' } as const,
    canAdd && { label: accounts.edit, to: paths.editProfile(id) },
  ].filter((tab) => tab !== false);
}

function AccountView({ profile }: { profile: Profile }) {
  const can = useCan();
  const isPhone = useIsPhone();
  const path = useMatches().at(-1)?.pathname;
  const allTabs = tabsOf(profile);
  const isAllowed = ({ needs }: Tab) => needs === undefined || can(needs);
  const tabs = allTabs.filter(isAllowed);
  const current = allTabs.find((tab) => tab.to === path);
  const isOverview = current === tabs[0];
  const state = accountTone({ ...profile, hasLabelSubscription: profile.subscriptionUntil !== null });
  const isLabel = profile.role === 'LABEL' || profile.subscriptionUntil !== null;
  return (
    <RightGate isAllowed={!current || isAllowed(current)}>
      {/* On phones its actions are the bar of a record. */}
      <div data-record className={classes.frame}>
        <PageHeader
          // Another screen, whose title is announced.
          key={path}
          title={accountName(profile)}
          crumb={isOverview ? undefined : current?.label}
          owner={isOverview ? undefined : { id: profile.id, name: accountName(profile) }}
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
        <Stack gap={10} maw={760} mb={16}>
          <Notice tone="note">{frPrivacy.account.erased(formatDate(profile.erasedAt))}</Notice>
        </Stack>
      )}
      <KeyFacts profile={profile} />
      {profile.pendingAdjustment && (
        <Stack gap={10} maw={760} mb={16}>
          <RecordSigning subject="proposal" id={String(profile.pendingAdjustment.id)} />
        </Stack>
      )}
      {profile.erasedAt === null && isPhone && (
        <div className={classes.shortcuts}>
          <Shortcuts profile={profile} />
        </div>
      )}
      <RecordTabs label={t.tabs} tabs={tabs} />
      <AccountContext value={profile}>
        <Outlet />
      </AccountContext>
    </RightGate>
  );
}

function KeyFacts({ profile }: { profile: Profile }) {
  const can = useCan();
  const payable = useQuery(payableQuery(profile.id)).data;
  const isWhole = payable?.payableEur === splitBalance(profile.income).payable && payable.reason === null;
  const hint = { fw: 400, lh: 1.35, lts: 0, maw: 480, className: shared.under };
  return (
    // With room for a line under the figures.
    <Group component="dl" align="stretch" gap="8px 40px" mih={74} mb={12}>
      <KeyFact label={frAccounts.profile.balance} isLoading={false}>
        <span className={shared.figure}>
          <Balance amount={profile.income} />
        </span>
        {isWhole && (
          <Box component="span" {...hint}>
            {t.payable}
          </Box>
        )}
      </KeyFact>
      {!isWhole && (
        <KeyFact label={t.payable} isLoading={!payable}>
          <Money amount={payable?.payableEur ?? 0} currency="EUR" />
          {payable?.reason && (
            <Box component="span" {...hint}>
              <WhyNothing accountId={profile.id} payable={payable} />
            </Box>
          )}
        </KeyFact>
      )}
      {/* What is pending may be why nothing is payable. */}
      {payable && payable.pendingCount > 0 && (payable.reason === null || fixOf(payable)) && (
        <KeyFact label={frScreens.payouts.pending} isLoading={false}>
          <Money amount={payable.pendingEur} currency="EUR" />
          {can('read_pending_payout') && (
            <Box component="span" {...hint}>
              <Link
                className={shared.link}
                to={paths.pendingPayouts}
                search={{ user: String(profile.id) }}
                aria-label={frAccounts.figures.allPending}
              >
                {t.pendingCount(payable.pendingCount)}
              </Link>
            </Box>
          )}
        </KeyFact>
      )}
    </Group>
  );
}

const fixes = [
  { of: payoutMessages.noBilling, to: paths.billings, label: frAccounts.profile.addBilling },
  { of: payoutMessages.recentlyChanged, to: paths.billings, label: frAccounts.profile.checkBilling },
  { of: messages.accountDisabled, to: paths.editProfile, label: frAccounts.profile.openForm },
];
const fixOf = ({ reason }: AccountPayable) => fixes.find(({ of }) => of === reason);

/** With the way to what changes it; an amount that is too small is explained by what is pending. */
function WhyNothing({ accountId, payable }: { accountId: number; payable: AccountPayable }) {
  const { reason, pendingCount } = payable;
  const fix = fixOf(payable);
  return (
    <>
      <span id={obstacleId}>{!fix && pendingCount > 0 ? <NothingToPay {...payable} /> : reason}</span>
      {fix && (
        <>
          {'. '}
          <Link className={shared.textLink} to={fix.to(accountId)}>
            {fix.label}
          </Link>
        </>
      )}
    </>
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
      {frScreens.payouts.request}
    </Button>
  );
}

function Actions({ profile, isPhone }: { profile: Profile; isPhone: boolean }) {
  const can = useCan();
  const { ask: askImport, dialog: importing } = useAsked<void>();
  return (
    <>
      {can('edit_pending_payout') && <RequestPayout accountId={profile.id} isPhone={isPhone} />}
      {!isPhone && (
        <>
          <Button variant="default" px={12} leftSection={buttonIcon(IconFileImport)} onClick={() => askImport()}>
            {frAccounts.libraryImport.button}
          </Button>
          <Shortcuts profile={profile} />
        </>
      )}
      <AccountMenu profile={profile}>
        {isPhone && (
          <Menu.Item leftSection={buttonIcon(IconFileImport)} onClick={() => askImport()}>
            {frAccounts.libraryImport.button}
          </Menu.Item>
        )}
      </AccountMenu>
      <LibraryImportModal profile={profile} {...importing} />
    </>
  );
}

/** The less frequent actions: on phones above the tabs, since the bar of actions has no room for them. */
function Shortcuts({ profile }: { profile: Profile }) {
  const can = useCan();
  const { ask, dialog } = useAsked<void>();
  return (
    <>
      {can('edit_reports') && (
        <LinkButton
          to={paths.addYoutubeReport}
          // Also in a new tab, which has no navigation state.
          search={{ userId: String(profile.id) }}
          state={{ userId: profile.id, userName: accountName(profile) }}
          variant="default"
          px={12}
          leftSection={buttonIcon(IconVideoPlus)}
        >
          {frAccounts.profile.addYoutube}
        </LinkButton>
      )}
      <Button variant="default" px={12} leftSection={buttonIcon(IconUserPlus)} onClick={() => ask()}>
        {frAccounts.profile.addReferral}
      </Button>
      <AddReferralModal profile={profile} {...dialog} />
    </>
  );
}

function AccountMenu({ profile, children }: { profile: Profile; children: ReactNode }) {
  const { ask, dialog } = useAsked<void>();
  return (
    <>
      <MoreMenu label={frPrivacy.account.more}>
        {children}
        <Menu.Item
          leftSection={buttonIcon(IconFileZip)}
          onClick={() => void exportPersonalData(routes.exportAccount, profile.id, accountName(profile))}
        >
          {frPrivacy.export}
        </Menu.Item>
        <Menu.Item leftSection={buttonIcon(IconUserX)} onClick={() => ask()}>
          {frPrivacy.erase}
        </Menu.Item>
      </MoreMenu>
      <AccountErasure profile={profile} {...dialog} />
    </>
  );
}

function AccountErasure({ profile, ...dialog }: { profile: Profile } & DialogState) {
  const { id } = profile;
  const preview = useQuery({
    ...apiQuery(['profile', id, 'erasure'], routes.getErasure, { params: { id } }),
    enabled: dialog.isOpen,
  }).data;
  return (
    <ErasureModal
      {...dialog}
      name={accountName(profile)}
      consequence={
        <Stack gap="xs">
          <Text inherit>{frPrivacy.account.consequence}</Text>
          {preview && (
            <>
              <Text inherit>{frPrivacy.account.removed(preview)}</Text>
              <Text inherit>{frPrivacy.account.kept(preview)}</Text>
            </>
          )}
        </Stack>
      }
      obstacles={preview?.obstacles ?? []}
      isLoading={!preview}
      erase={(reason, { idempotencyKey }) =>
        api(routes.eraseAccount, { params: { id }, body: { reason }, idempotencyKey })
      }
    />
  );
}

function AddReferralModal({ profile, ...dialog }: { profile: Profile } & DialogState) {
  return (
    <Dialog {...dialog} title={frAccounts.referrals.addTitle(accountName(profile))} size="md">
      <Form
        schema={ReferralForm}
        initialValues={{ referred: null as LookupItem | null, percentile: undefined as number | undefined }}
        toBody={({ referred, percentile }) => ({ referrerId: profile.id, referredId: referred?.id, percentile })}
        submit={(body, options) => api(routes.addReferral, { body, ...options })}
        onClose={dialog.onClose}
        submitLabel={frAccounts.referrals.add}
        secondary={<CancelButton />}
      >
        {(form) => (
          <>
            <AccountField
              label={frAccounts.referrals.referred}
              required
              {...fieldProps(form, 'referred', 'referredId')}
            />
            <NumberField
              label={frAccounts.referrals.percentile}
              description={frAccounts.referrals.percentileHint}
              required
              unit="%"
              {...fieldProps(form, 'percentile')}
            />
          </>
        )}
      </Form>
    </Dialog>
  );
}
