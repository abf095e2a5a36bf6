import { Group } from '@mantine/core';
import type { Profile } from '@regie/contract/routes/accounts.ts';
import type { CustomContract } from '@regie/contract/routes/custom-contracts.ts';
import type { Ticket } from '@regie/contract/routes/tickets.ts';
import { routes } from '@regie/contract/routes.ts';
import { ticketStatuses } from '@regie/contract/state-names.ts';
import { formatTicketNumber } from '@regie/contract/tickets.ts';
import { formatInteger } from '@regie/values/formats.ts';
import { IconDownload, IconFilePencil, IconTrash } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { paths } from '#src/app/paths.ts';
import { frScreens } from '#src/app/screens.fr.ts';
import { stateTones } from '#src/domain/state-tones.ts';
import { useAct } from '#src/lib/act.ts';
import { api } from '#src/lib/api.ts';
import { useAsked } from '#src/lib/asked.ts';
import { fr } from '#src/lib/fr.ts';
import { useCan } from '#src/lib/session.ts';
import { Message } from '#src/ui/alerts.tsx';
import { buttonIcon } from '#src/ui/button-icon.tsx';
import { ConfirmModal } from '#src/ui/confirm-modal.tsx';
import { IconButton } from '#src/ui/icon-button.tsx';
import { LinkButton } from '#src/ui/link-button.tsx';
import type { ListColumn } from '#src/ui/list/list-columns.tsx';
import { LoadedRows } from '#src/ui/list/related-rows.tsx';
import { dayColumn } from '#src/ui/list/value-columns.tsx';
import { RecordPage, Section } from '#src/ui/record-page.tsx';
import shared from '#src/ui/shared.module.css';
import { StatusBadge } from '#src/ui/status-badge.tsx';
import { useAccount } from './account-context.ts';
import { accountName } from './account-labels.ts';
import { frAccounts } from './accounts.fr.ts';

const t = frAccounts.contracts;

export default function AccountContractsPage() {
  const can = useCan();
  const profile = useAccount();
  return (
    <RecordPage header={null}>
      <Contracts profile={profile} />
      {(can('read_tools') || can('edit_tools')) && <Tickets accountId={profile.id} />}
    </RecordPage>
  );
}

function Contracts({ profile }: { profile: Profile }) {
  const can = useCan();
  const contracts = useQuery({
    queryKey: ['profile', profile.id, 'contracts'],
    queryFn: ({ signal }) => api(routes.listCustomContracts, { query: { userId: profile.id, limit: 50 }, signal }),
  });
  const { subject: removed, ask, dialog } = useAsked<CustomContract>();
  const { act, isBusy, failure, setFailure } = useAct({ reloads: 'nothing' });
  const [downloaded, setDownloaded] = useState<number>();
  const rows = contracts.data?.data;
  const download = (id: number) => {
    setDownloaded(id);
    act(async () => {
      const [{ data }, { customContractDocument }, { downloadPdf }] = await Promise.all([
        api(routes.getCustomContract, { params: { id } }),
        import('@regie/documents/custom-contract.ts'),
        import('#src/lib/pdf.ts'),
      ]);
      await downloadPdf(customContractDocument(data));
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
        none={<p className={`${shared.muted} ${shared.spaced}`}>{t.none}</p>}
        title={t.title}
        columns={contractColumns}
        rows={rows}
        rowName={(contract) => contract.title}
        rowActions={(contract) => (
          <>
            <IconButton
              color="accent"
              icon={IconDownload}
              label={t.download(contract.title)}
              loading={isBusy && downloaded === contract.id}
              onClick={() => download(contract.id)}
            />
            {can('edit_tools') && (
              <IconButton icon={IconTrash} label={t.remove(contract.title)} onClick={() => ask(contract)} />
            )}
          </>
        )}
      />
      {rows && (contracts.data?.meta?.total ?? 0) > rows.length && (
        <p className={shared.under}>{t.more(formatInteger(rows.length))}</p>
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

const contractColumns: ListColumn<CustomContract>[] = [
  { key: 'title', header: t.name, cell: (contract) => contract.title },
  dayColumn({ key: 'createdAt', header: t.date, csv: (contract) => contract.createdAt }),
  { key: 'createdBy', header: t.by, cell: (contract) => contract.createdBy ?? fr.common.none },
];

const statuses = ['opened', 'closed'] as const;

function Tickets({ accountId }: { accountId: number }) {
  const tickets = useQuery({
    queryKey: ['profile', accountId, 'tickets'],
    queryFn: ({ signal }) =>
      Promise.all(
        statuses.map((status) =>
          api(routes.listTickets, { params: { status }, query: { userId: accountId, limit: 5 }, signal }),
        ),
      ),
  });
  const rows = tickets.data?.flatMap(({ data }) => data);
  return (
    <Section title={frAccounts.tickets.title}>
      <LoadedRows
        query={tickets}
        none={<p className={`${shared.muted} ${shared.spaced}`}>{frAccounts.tickets.none}</p>}
        title={frAccounts.tickets.title}
        columns={ticketColumns}
        rows={rows}
        rowName={(ticket) => frAccounts.tickets.open(formatTicketNumber(ticket.id), ticket.title)}
        rowLink={(ticket) => ({ to: paths.ticket(ticket.id) })}
      />
      {rows && rows.length > 0 && (
        <Group component="p" gap={8} mt="1em" mb={12}>
          {statuses.map((status, index) =>
            tickets.data?.[index]?.data.length ? (
              <Link
                key={status}
                className={shared.link}
                to={paths.tickets(status)}
                search={{ userId: String(accountId) }}
              >
                {frAccounts.tickets.all[status]}
              </Link>
            ) : null,
          )}
        </Group>
      )}
    </Section>
  );
}

const ticketColumns: ListColumn<Ticket>[] = [
  { key: 'title', header: frAccounts.tickets.column.title, cell: (ticket) => ticket.title },
  {
    key: 'number',
    header: frAccounts.tickets.column.number,
    isCode: true,
    cell: (ticket) => formatTicketNumber(ticket.id),
  },
  {
    key: 'status',
    header: frAccounts.tickets.column.status,
    cell: ({ status }) => <StatusBadge tone={stateTones.ticket[status]}>{ticketStatuses[status]}</StatusBadge>,
  },
  dayColumn({ key: 'createdAt', header: frAccounts.tickets.column.createdAt, csv: (ticket) => ticket.createdAt }),
];
