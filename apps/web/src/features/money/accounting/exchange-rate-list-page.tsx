import { Button } from '@mantine/core';
import type { ExchangeRate } from '@regie/contract/routes/accounting.ts';
import { routes } from '@regie/contract/routes.ts';
import { formatMonth, formatRate } from '@regie/values/formats.ts';
import { IconFileDownload, IconPlus } from '@tabler/icons-react';
import { useRouter } from '@tanstack/react-router';
import { useState } from 'react';
import { frScreens } from '#src/app/screens.fr.ts';
import { flashSuccess } from '#src/lib/flash.ts';
import { fr } from '#src/lib/fr.ts';
import { monthFromParam } from '#src/lib/months.ts';
import { useCan } from '#src/lib/session.ts';
import { buttonIcon } from '#src/ui/button-icon.tsx';
import { Dialog } from '#src/ui/dialog.tsx';
import type { ListColumn } from '#src/ui/list/list-columns.tsx';
import type { ListFilter } from '#src/ui/list/list-filters.tsx';
import { ListPage } from '#src/ui/list/list-page.tsx';
import { useListState } from '#src/ui/list/list-state.ts';
import { momentColumn, monthColumn, textColumn } from '#src/ui/list/value-columns.tsx';
import shared from '#src/ui/shared.module.css';
import { frAccounting } from './accounting.fr.ts';
import { EcbRatesModal } from './ecb-rates.tsx';
import { ExchangeRateEditor } from './exchange-rate-form.tsx';

const t = frAccounting;

const columns: ListColumn<ExchangeRate>[] = [
  monthColumn({
    key: 'month',
    header: t.month,
    sort: 'month',
    cell: (rate) => (
      <>
        {formatMonth(rate.month)}
        <span data-card-only className={shared.under}>
          {rate.currency}
        </span>
      </>
    ),
    csv: (rate) => rate.month,
  }),
  textColumn({ key: 'currency', header: t.currency, isTableOnly: true, csv: (rate) => rate.currency }),
  { key: 'rate', header: t.rate, align: 'right', cell: (rate) => formatRate(rate.rate), csv: (rate) => rate.rate },
  momentColumn({ key: 'updatedAt', header: 'Modifié le', csv: (rate) => rate.updatedAt }),
  textColumn({ key: 'updatedBy', header: 'Par', isSecondary: true, csv: (rate) => rate.updatedBy ?? fr.common.system }),
];

const filters: ListFilter[] = [{ kind: 'text', label: t.currency, param: 'currency' }];

const rateName = (rate: ExchangeRate) => t.editTitle(rate.currency, formatMonth(rate.month));

export default function ExchangeRateListPage() {
  const can = useCan();
  const mayEdit = can('manage_settings');
  const router = useRouter();
  const { search, setSearch } = useListState();
  // Asked for by a page whose income lacks the rate of `currency` for the month `add`.
  const missing =
    search.add === undefined ? undefined : { currency: search.currency, month: monthFromParam(search.add) };
  const [edited, setEdited] = useState<ExchangeRate | 'new' | undefined>(
    mayEdit && search.add !== undefined ? 'new' : undefined,
  );
  const [isImporting, setIsImporting] = useState(false);
  const goBack = () => {
    if (!missing || !router.history.canGoBack()) return false;
    router.history.back({ ignoreBlocker: true });
    return true;
  };
  const close = () => {
    setEdited(undefined);
    if (missing) setSearch({ add: undefined }, { replace: true });
  };
  const add = mayEdit && (
    <>
      <Button variant="default" leftSection={buttonIcon(IconFileDownload)} onClick={() => setIsImporting(true)}>
        {t.ecb.open}
      </Button>
      <Button leftSection={buttonIcon(IconPlus)} onClick={() => setEdited('new')}>
        {t.add}
      </Button>
    </>
  );
  return (
    <>
      <ListPage
        title={frScreens.exchangeRates}
        route={routes.listExchangeRates}
        columns={columns}
        rowKey={(rate) => `${rate.currency} ${rate.month}`}
        rowName={rateName}
        onRowOpen={mayEdit ? setEdited : undefined}
        searchPlaceholder={t.searchPlaceholder}
        filters={filters}
        defaultSort={{ key: 'month', order: 'desc' }}
        actions={add}
        empty={{ title: t.emptyTitle, text: t.emptyText, action: add }}
        method={t.hint}
      />
      <Dialog
        isOpen={edited !== undefined}
        onClose={() => goBack() || close()}
        title={edited === undefined || edited === 'new' ? t.add : rateName(edited)}
      >
        {edited !== undefined && (
          <ExchangeRateEditor
            rate={edited === 'new' ? undefined : edited}
            missing={missing}
            onSaved={(message) => {
              const isLeft = goBack();
              flashSuccess(message, { afterNavigation: isLeft });
              if (!isLeft) close();
            }}
          />
        )}
      </Dialog>
      <EcbRatesModal isOpen={isImporting} onClose={() => setIsImporting(false)} />
    </>
  );
}
