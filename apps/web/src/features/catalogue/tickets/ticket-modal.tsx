import { Button, Select, Stack, Textarea, TextInput } from '@mantine/core';
import { type Ticket, TicketForm, type TicketStatus } from '@regie/contract/routes/tickets.ts';
import { routes } from '@regie/contract/routes.ts';
import { formatTicketNumber } from '@regie/contract/tickets.ts';
import { useQueryClient } from '@tanstack/react-query';
import { flushSync } from 'react-dom';
import { AccountLink } from '#src/domain/account-link.tsx';
import { TrackLink } from '#src/domain/tracks/track-link.tsx';
import { api } from '#src/lib/api.ts';
import { flashSuccess } from '#src/lib/flash.ts';
import { fr } from '#src/lib/fr.ts';
import { useCan } from '#src/lib/session.ts';
import { Identifier } from '#src/ui/copy-button.tsx';
import { DateText } from '#src/ui/dates.tsx';
import { CancelButton, Dialog } from '#src/ui/dialog.tsx';
import { Form } from '#src/ui/form.tsx';
import { Facts } from '#src/ui/record-page.tsx';
import { SuccessWithUndo } from '#src/ui/success-with-undo.tsx';
import { TicketFields, type TicketValues } from './ticket-fields.tsx';
import { customerName, TicketBadge, ticketTimeRange, VideoLink } from './ticket-labels.tsx';
import { frTickets } from './tickets.fr.ts';

const t = frTickets;
const statuses = ['OPENED', 'CLOSED'] as const;

interface Values extends TicketValues {
  status: TicketStatus;
  note: string;
}

/** A ticket with all its fields (product §22.14); read-only without edit_tools. */
export function TicketModal({ ticket, isOpen, onClose }: { ticket: Ticket; isOpen: boolean; onClose: () => void }) {
  const can = useCan();
  return (
    <Dialog isOpen={isOpen} onClose={onClose} title={t.editTitle(formatTicketNumber(ticket.id))} size="lg">
      {can('edit_tools') ? (
        <TicketEditor key={`${ticket.id} ${ticket.updatedAt}`} ticket={ticket} onClose={onClose} />
      ) : (
        <Stack gap={16}>
          <Facts
            facts={[
              { label: t.field.title, value: ticket.title },
              { label: t.field.status, value: <TicketBadge status={ticket.status} /> },
              { label: t.column.timing, value: ticketTimeRange(ticket) },
              { label: t.field.isClaimed, value: ticket.isClaimed ? fr.common.yes : fr.common.no },
              { label: t.field.isProtected, value: ticket.isProtected ? fr.common.yes : fr.common.no },
              ...(ticket.note ? [{ label: t.field.note, value: ticket.note }] : []),
            ]}
          />
          <TicketFacts ticket={ticket} />
        </Stack>
      )}
    </Dialog>
  );
}

/** Undoes the closing, unless the ticket changed since. */
async function reopenTicket(ticket: Ticket, options: { idempotencyKey: string }): Promise<string> {
  const body = { ...ticket, status: 'OPENED' as const };
  await api(routes.editTicket, { params: { id: ticket.id }, body, ...options });
  return t.moved.OPENED;
}

function TicketEditor({ ticket, onClose }: { ticket: Ticket; onClose: () => void }) {
  const queryClient = useQueryClient();
  const initialValues: Values = {
    status: ticket.status,
    url: ticket.url,
    startAt: ticket.startAt ?? '',
    endAt: ticket.endAt ?? '',
    isClaimed: ticket.isClaimed,
    isProtected: ticket.isProtected,
    note: ticket.note,
  };
  return (
    <Form
      schema={TicketForm}
      initialValues={initialValues}
      toBody={(values) => ({ ...values, updatedAt: ticket.updatedAt })}
      submit={(body, options) => api(routes.editTicket, { params: { id: ticket.id }, body, ...options })}
      onSuccess={({ data, message }) => {
        const done = data.status === ticket.status ? message : t.moved[data.status];
        flashSuccess(
          ticket.status === 'OPENED' && data.status === 'CLOSED' ? (
            <SuccessWithUndo label={t.reopen} undo={(options) => reopenTicket(data, options)}>
              {done}
            </SuccessWithUndo>
          ) : (
            done
          ),
        );
        onClose();
      }}
      onReload={async () => {
        await queryClient.invalidateQueries();
        onClose();
      }}
      submitLabel={fr.common.save}
      busyLabel={t.saving}
      hasSaveBar="always"
      secondary={(form) => (
        <>
          <CancelButton />
          {ticket.status === 'OPENED' && (
            <Button
              type="submit"
              variant="light"
              // The submit event that follows the click reads the state from the rendered form.
              onClick={() => flushSync(() => form.setFieldValue('status', 'CLOSED'))}
            >
              {t.close}
            </Button>
          )}
        </>
      )}
    >
      {(form) => (
        <>
          <TextInput label={t.field.title} value={ticket.title} readOnly variant="filled" />
          <TicketFacts ticket={ticket} />
          <Select
            label={t.field.status}
            required
            data={statuses.map((value) => ({ value, label: t.status[value] }))}
            allowDeselect={false}
            {...form.getInputProps('status')}
          />
          <Textarea
            label={t.field.note}
            description={t.field.noteHint}
            autosize
            minRows={2}
            maxRows={8}
            data-autofocus
            {...form.getInputProps('note')}
          />
          <TicketFields form={form} />
        </>
      )}
    </Form>
  );
}

/** The customer, and the linked track if any. */
function TicketFacts({ ticket }: { ticket: Ticket }) {
  const { Track: track, Account: account } = ticket;
  const facts = [
    { label: t.column.url, value: <VideoLink ticket={ticket} /> },
    track !== null && {
      label: t.field.track,
      value: (
        <>
          {track.releaseId === null ? (
            track.title
          ) : (
            <TrackLink id={track.id} releaseId={track.releaseId}>
              {track.title}
            </TrackLink>
          )}{' '}
          {track.isrc && <Identifier value={track.isrc} name={t.column.isrc} />}
        </>
      ),
    },
    account !== null && {
      label: t.field.account,
      value: <AccountLink id={account.id}>{customerName(ticket)}</AccountLink>,
    },
    { label: t.createdAt, value: <DateText ms={ticket.createdAt} hasTime /> },
    ticket.updatedAt !== ticket.createdAt && { label: t.updatedAt, value: <DateText ms={ticket.updatedAt} hasTime /> },
  ];
  return <Facts facts={facts} />;
}
