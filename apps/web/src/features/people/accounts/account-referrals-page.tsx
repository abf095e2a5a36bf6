import type { Referral } from '@regie/contract/routes/referrals.ts';
import { routes } from '@regie/contract/routes.ts';
import { formatInteger, formatMoney, formatPercent } from '@regie/values/formats.ts';
import { IconTrash } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { paths } from '#src/app/paths.ts';
import { api } from '#src/lib/api.ts';
import { useAsked } from '#src/lib/asked.ts';
import { ConfirmModal } from '#src/ui/confirm-modal.tsx';
import { IconButton } from '#src/ui/icon-button.tsx';
import type { ListColumn } from '#src/ui/list/list-columns.tsx';
import { LoadedRows } from '#src/ui/list/related-rows.tsx';
import { dayColumn, moneyColumn } from '#src/ui/list/value-columns.tsx';
import { Section } from '#src/ui/record-page.tsx';
import shared from '#src/ui/shared.module.css';
import { useAccount } from './account-context.ts';
import { accountName } from './account-labels.ts';
import { referralsQuery } from './accounts.api.ts';
import { frAccounts } from './accounts.fr.ts';

const t = frAccounts.referrals;

const referredName = (referral: Referral) => accountName({ ...referral.referred, id: referral.referredId });

export default function AccountReferralsPage() {
  const profile = useAccount();
  const referrals = useQuery(referralsQuery(profile.id));
  const { subject: deleted, ask, dialog } = useAsked<Referral>();
  const rows = referrals.data?.data;
  return (
    <Section title={t.title}>
      <LoadedRows
        query={referrals}
        none={<p className={`${shared.muted} ${shared.spaced}`}>{t.empty}</p>}
        title={t.title}
        columns={columns}
        rows={rows}
        rowName={referredName}
        rowLink={(referral) => ({ to: paths.profile(referral.referredId) })}
        rowActions={(referral) => (
          <IconButton icon={IconTrash} label={t.remove(referredName(referral))} onClick={() => ask(referral)} />
        )}
      />
      {rows && (referrals.data?.meta?.total ?? 0) > rows.length && (
        <p className={shared.under}>{t.more(formatInteger(rows.length))}</p>
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
        <span className={shared.name}>{referredName(referral)}</span>
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
