import { ActionIcon, Tooltip } from '@mantine/core';
import type { Profile } from '@regie/contract/routes/accounts.ts';
import type { CustomContract } from '@regie/contract/routes/custom-contracts.ts';
import { routes } from '@regie/contract/routes.ts';
import { IconDownload, IconFilePencil } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { paths } from '#src/app/paths.ts';
import { frScreens } from '#src/app/screens.fr.ts';
import { useAct } from '#src/lib/act.ts';
import { api } from '#src/lib/api.ts';
import { useAsked } from '#src/lib/asked.ts';
import { formatInteger } from '#src/lib/formats.ts';
import { fr } from '#src/lib/fr.ts';
import { useCan } from '#src/lib/session.ts';
import { Message } from '#src/ui/alerts.tsx';
import { buttonIcon } from '#src/ui/button-icon.tsx';
import { ConfirmModal } from '#src/ui/confirm-modal.tsx';
import { LinkButton } from '#src/ui/link-button.tsx';
import type { ListColumn } from '#src/ui/list/list-columns.tsx';
import { LoadedRows } from '#src/ui/list/related-rows.tsx';
import { dayColumn } from '#src/ui/list/value-columns.tsx';
import { Section } from '#src/ui/record-page.tsx';
import { RemoveIcon } from '#src/ui/remove-button.tsx';
import { accountName } from './account-labels.ts';
import { frAccounts } from './accounts.fr.ts';
import classes from './accounts.module.css';

const t = frAccounts.contracts;
const shown = 50;

/** The contracts of an account; each can be downloaded again unchanged. */
export function AccountContracts({ profile }: { profile: Profile }) {
  const can = useCan();
  const contracts = useQuery({
    queryKey: ['profile', profile.id, 'contracts'],
    queryFn: ({ signal }) => api(routes.listCustomContracts, { query: { userId: profile.id, limit: shown }, signal }),
  });
  const { subject: removed, ask, dialog } = useAsked<CustomContract>();
  const { act, isBusy, failure, setFailure } = useAct({ reloads: 'nothing' });
  const [downloaded, setDownloaded] = useState<number>();
  const rows = contracts.data?.data;
  const download = (id: number) => {
    setDownloaded(id);
    act(async () => {
      const [{ data }, { downloadCustomContract }] = await Promise.all([
        api(routes.getCustomContract, { params: { id } }),
        import('#src/domain/documents/custom-contract-pdf.ts'),
      ]);
      await downloadCustomContract(data);
    });
  };
  return (
    <Section
      title={t.title}
      actions={
        can('edit_tools') && (
          <LinkButton
            to={paths.createContract}
            search={{ userId: String(profile.id), name: accountName(profile) }}
            variant="default"
            leftSection={buttonIcon(IconFilePencil)}
          >
            {frScreens.createContract}
          </LinkButton>
        )
      }
    >
      <Message tone="error" text={failure} onDismiss={setFailure} />
      <LoadedRows
        query={contracts}
        none={<p className={classes.muted}>{t.none}</p>}
        title={t.title}
        columns={columns}
        rows={rows}
        rowName={(contract) => contract.title}
        rowActions={(contract) => (
          <>
            <Tooltip label={t.download(contract.title)}>
              <ActionIcon
                variant="subtle"
                size={32}
                loading={isBusy && downloaded === contract.id}
                aria-label={t.download(contract.title)}
                onClick={() => download(contract.id)}
              >
                <IconDownload size={16} stroke={1.8} aria-hidden />
              </ActionIcon>
            </Tooltip>
            {can('edit_tools') && (
              <Tooltip label={t.remove(contract.title)}>
                <RemoveIcon label={t.remove(contract.title)} onClick={() => ask(contract)} />
              </Tooltip>
            )}
          </>
        )}
      />
      {rows && (contracts.data?.meta?.total ?? 0) > rows.length && (
        <p className={classes.hint}>{t.more(formatInteger(rows.length))}</p>
      )}
      {removed && (
        <ConfirmModal
          {...dialog}
          name={removed.title}
          consequence={t.removeConsequence}
          verb={t.removeVerb}
          onConfirm={() => api(routes.deleteCustomContract, { params: { id: removed.id } })}
        />
      )}
    </Section>
  );
}

const columns: ListColumn<CustomContract>[] = [
  { key: 'title', header: t.name, cell: (contract) => contract.title },
  dayColumn({ key: 'createdAt', header: t.date, csv: (contract) => contract.createdAt }),
  { key: 'createdBy', header: t.by, cell: (contract) => contract.createdBy ?? fr.common.none },
];
