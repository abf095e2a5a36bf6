import type { PromoCode } from '@regie/contract/routes/promo-codes.ts';
import { routes } from '@regie/contract/routes.ts';
import { formatAlignedPercent } from '@regie/values/formats.ts';
import { IconPlus, IconTrash } from '@tabler/icons-react';
import { paths } from '#src/app/paths.ts';
import { frScreens } from '#src/app/screens.fr.ts';
import { api } from '#src/lib/api.ts';
import { useAsked } from '#src/lib/asked.ts';
import { fr } from '#src/lib/fr.ts';
import { useCan } from '#src/lib/session.ts';
import { buttonIcon } from '#src/ui/button-icon.tsx';
import { ConfirmModal } from '#src/ui/confirm-modal.tsx';
import { LinkButton } from '#src/ui/link-button.tsx';
import type { ListColumn } from '#src/ui/list/list-columns.tsx';
import { type ListFilter, selectFilter } from '#src/ui/list/list-filters.tsx';
import { ListPage } from '#src/ui/list/list-page.tsx';
import { integerColumn, textColumn } from '#src/ui/list/value-columns.tsx';
import shared from '#src/ui/shared.module.css';
import { SmallButton } from '#src/ui/small-button.tsx';
import { StatusBadge } from '#src/ui/status-badge.tsx';
import { frServices } from './services.fr.ts';

const t = frServices.promo;
const stateOf = (code: PromoCode) => (code.isExpired ? 'expired' : 'valid');

const columns: ListColumn<PromoCode>[] = [
  {
    key: 'name',
    header: t.name,
    sort: 'name',
    cell: (code) => (
      <>
        {code.name}
        {code.description && (
          <span className={`${shared.under} ${shared.twoLines}`} title={code.description}>
            {code.description}
          </span>
        )}
      </>
    ),
    csv: (code) => code.name,
  },
  { key: 'description', header: t.description, csv: (code) => code.description },
  { key: 'type', header: t.type, isSecondary: true, cell: () => t.percent, csv: () => t.percent },
  {
    key: 'amount',
    header: t.amount,
    align: 'right',
    sort: 'amount',
    cell: (code) => formatAlignedPercent(code.amount),
    unit: '%',
    csv: (code) => code.amount,
  },
  textColumn({ key: 'dueDate', header: t.dueDate, sort: 'dueDate', type: 'day', csv: (code) => code.dueDate }),
  {
    key: 'state',
    header: t.state,
    cell: (code) => <StatusBadge tone={code.isExpired ? 'neutral' : 'success'}>{t.states[stateOf(code)]}</StatusBadge>,
    csv: (code) => t.states[stateOf(code)],
  },
  integerColumn({ key: 'uses', header: t.uses, isSecondary: true, csv: (code) => code.uses }),
  { key: 'createdAt', header: t.createdAt, type: 'day', csv: (code) => code.createdAt },
];

const filters: ListFilter[] = [selectFilter(t.state, 'state', t.states, ['valid', 'expired'])];

/** The promo codes, each with a button that removes it (product §22.9). */
export default function PromoCodeListPage() {
  const can = useCan();
  const canEdit = can('edit_coupon');
  const { subject: selected, ask, dialog } = useAsked<PromoCode>();
  const toAdd = canEdit && (
    <LinkButton to={paths.addPromoCode} leftSection={buttonIcon(IconPlus)}>
      {frScreens.services.addPromoCode}
    </LinkButton>
  );
  return (
    <>
      <ListPage
        title={frScreens.services.promoCodes}
        route={routes.listPromoCodes}
        columns={columns}
        rowName={(code) => code.name}
        searchPlaceholder={t.search}
        filters={filters}
        defaultSort={{ key: 'createdAt', order: 'desc' }}
        exportName="codes-promo"
        actions={toAdd}
        empty={{ title: t.emptyTitle, text: t.emptyText, action: toAdd }}
        rowActions={
          canEdit
            ? (code) => (
                <SmallButton icon={IconTrash} aria-label={t.remove(code.name)} onClick={() => ask(code)}>
                  {fr.common.remove}
                </SmallButton>
              )
            : undefined
        }
      />
      {selected && (
        <ConfirmModal
          {...dialog}
          name={selected.name}
          consequence={t.removeConsequence(selected.uses)}
          verb={t.removeVerb}
          onConfirm={() => api(routes.deletePromoCode, { params: { id: selected.id } })}
        />
      )}
    </>
  );
}
