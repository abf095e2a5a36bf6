import { Tooltip } from '@mantine/core';
import type { Profile } from '@regie/contract/routes/accounts.ts';
import type { Referral } from '@regie/contract/routes/referrals.ts';
import { routes } from '@regie/contract/routes.ts';
import { useQuery } from '@tanstack/react-query';
import { paths } from '#src/app/paths.ts';
import { api } from '#src/lib/api.ts';
import { useAsked } from '#src/lib/asked.ts';
import { formatInteger, formatMoney, formatPercent } from '#src/lib/formats.ts';
import { ConfirmModal } from '#src/ui/confirm-modal.tsx';
import type { ListColumn } from '#src/ui/list/list-columns.tsx';
import { LoadedRows } from '#src/ui/list/related-rows.tsx';
import { dayColumn, moneyColumn } from '#src/ui/list/value-columns.tsx';
import { Section } from '#src/ui/record-page.tsx';
import { RemoveIcon } from '#src/ui/remove-button.tsx';
import shared from '#src/ui/shared.module.css';
import { accountName } from './account-labels.ts';
import { AccountTab } from './account-tab.tsx';
import { referralsQuery } from './accounts.api.ts';
import { frAccounts } from './accounts.fr.ts';
import classes from './accounts.module.css';

const t = frAccounts.referrals;

const referredName = (referral: Referral) => accountName({ ...referral.referred, id: referral.referredId });

export default function AccountReferralsPage() {
  return <AccountTab>{(profile) => <Referrals profile={profile} />}</AccountTab>;
}

/** The accounts it referred, its earnings from them, and the action to end a referral (product §22.5). */
function Referrals({ profile }: { profile: Profile }) {
  const referrals = useQuery(referralsQuery(profile.id));
  const { subject: deleted, ask, dialog } = useAsked<Referral>();
  const rows = referrals.data?.data;
  return (
    <Section title={t.title}>
      <LoadedRows
        query={referrals}
        none={<p className={classes.muted}>{t.empty}</p>}
        title={t.title}
        columns={columns}
        rows={rows}
        rowName={referredName}
        rowLink={(referral) => ({ to: paths.profile(referral.referredId) })}
        rowActions={(referral) => (
          <Tooltip label={t.remove(referredName(referral))}>
            <RemoveIcon label={t.remove(referredName(referral))} onClick={() => ask(referral)} />
          </Tooltip>
        )}
      />
      {rows && (referrals.data?.meta?.total ?? 0) > rows.length && (
        <p className={classes.hint}>{t.more(formatInteger(rows.length))}</p>
      )}
      {deleted && (
        <ConfirmModal
          {...dialog}
          name={t.removeName(accountName(profile), referredName(deleted))}
          consequence={t.removeConsequence(formatPercent(deleted.percentile), formatMoney(deleted.earnedEur, 'EUR'))}
          verb={t.removeVerb}
          onConfirm={(options) => api(routes.deleteReferral, { params: { id: deleted.id }, ...options })}
        />
      )}
    </Section>
  );
}

const columns: ListColumn<Referral>[] = [
  {
    key: 'referred',
    header: t.referred,
    cell: (referral) => (
      <>
        <span className={classes.name}>{referredName(referral)}</span>
        <span data-card-only className={shared.under}>
          {formatPercent(referral.percentile)}
        </span>
      </>
    ),
  },
  {
    key: 'percentile',
    header: t.percentile,
    align: 'right',
    isTableOnly: true,
    cell: ({ percentile }) => formatPercent(percentile),
  },
  moneyColumn({ key: 'earned', header: t.earned, csv: (referral) => referral.earnedEur }),
  dayColumn({ key: 'since', header: t.since, csv: (referral) => referral.createdAt }),
];
