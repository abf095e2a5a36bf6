import { Box, Button, Checkbox, Select, SimpleGrid, Stack, Textarea, TextInput } from '@mantine/core';
import type { UseFormReturnType } from '@mantine/form';
import type { LookupItem } from '@regie/contract/routes/accounting.ts';
import { NewTicketForm, type Ticket, TicketForm } from '@regie/contract/routes/tickets.ts';
import { routes } from '@regie/contract/routes.ts';
import { formatTicketNumber } from '@regie/contract/tickets.ts';
import { completeUrl } from '@regie/contract/web-link.ts';
import { useQueryClient } from '@tanstack/react-query';
import { flushSync } from 'react-dom';
import { paths } from '#src/app/paths.ts';
import { AccountField } from '#src/domain/account-field.tsx';
import { AccountLink } from '#src/domain/account-link.tsx';
import { lookupTracks } from '#src/domain/lookups.ts';
import { TrackLink } from '#src/domain/tracks/track-link.tsx';
import { api } from '#src/lib/api.ts';
import type { DialogState } from '#src/lib/asked.ts';
import { flashSuccess } from '#src/lib/flash.ts';
import { fr } from '#src/lib/fr.ts';
import { useCan } from '#src/lib/session.ts';
import { Identifier } from '#src/ui/copy-button.tsx';
import { DateText } from '#src/ui/dates.tsx';
import { CancelButton, Dialog } from '#src/ui/dialog.tsx';
import { Form, fieldProps } from '#src/ui/form.tsx';
import { LookupField } from '#src/ui/lookup-field.tsx';
import { Facts } from '#src/ui/record-page.tsx';
import { SuccessWithLink } from '#src/ui/success-with-link.tsx';
import { SuccessWithUndo } from '#src/ui/success-with-undo.tsx';
import { customerName, TicketBadge, ticketTimeRange, VideoLink } from './ticket-labels.tsx';
import { frTickets } from './tickets.fr.ts';

const t = frTickets;
const statuses = ['OPENED', 'CLOSED'] as const;

/** A ticket with all its fields (product §22.14); read-only without edit_tools. */
export function TicketModal({ ticket, ...dialog }: { ticket: Ticket } & DialogState) {
  const can = useCan();
  return (
    <Dialog {...dialog} title={t.editTitle(formatTicketNumber(ticket.id))} size="lg">
      {can('edit_tools') ? (
        <TicketEditor key={`${ticket.id} ${ticket.updatedAt}`} ticket={ticket} onClose={dialog.onClose} />
      ) : (
        <Stack gap={16}>
          <Facts
            facts={[
              { label: t.field.title, value: ticket.title },
              { label: t.field.status, value: <TicketBadge status={ticket.status} /> },
              { label: t.column.timing, value: ticketTimeRange(ticket) },
              { label: t.field.isClaimed, value: ticket.isClaimed ? fr.common.yes : fr.common.no },
              { label: t.field.isProtected, value: ticket.isProtected ? fr.common.yes : fr.common.no },
              { label: t.field.note, value: ticket.note },
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
  const { status, url, startAt, endAt, isClaimed, isProtected, note } = ticket;
  return (
    <Form
      schema={TicketForm}
      initialValues={{ status, url, startAt: startAt ?? '', endAt: endAt ?? '', isClaimed, isProtected, note }}
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

function TicketFacts({ ticket }: { ticket: Ticket }) {
  const { Track: track, Account: account } = ticket;
  const facts = [
    { label: t.column.url, value: <VideoLink ticket={ticket} /> },
    track !== null && {
      label: t.field.track,
      value: (
        <>
          {track.releaseId === null ? track.title : <TrackLink id={track.id}>{track.title}</TrackLink>}{' '}
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

export function NewTicketModal(dialog: DialogState) {
  return (
    <Dialog {...dialog} title={t.add} size="lg">
      <Form
        schema={NewTicketForm}
        initialValues={newTicket}
        toBody={({ track, account, ...values }) => ({
          ...values,
          trackId: track?.id,
          // The server knows the track's owner.
          userId: track ? undefined : account?.id,
        })}
        submit={(body, options) => api(routes.createTicket, { body, ...options })}
        onSuccess={({ data, message }) => {
          flashSuccess(
            <SuccessWithLink to={paths.tickets('opened')} search={{ q: data.title }} label={t.see}>
              {message}
            </SuccessWithLink>,
          );
          dialog.onClose();
        }}
        submitLabel={t.create}
        busyLabel={t.saving}
        secondary={<CancelButton />}
        hasSaveBar="always"
      >
        {(form) => (
          <>
            <TextInput label={t.field.title} required data-autofocus {...form.getInputProps('title')} />
            <LookupField
              label={t.field.track}
              description={t.field.trackHint}
              lookup={lookupTracks}
              {...fieldProps(form, 'track', 'trackId')}
            />
            {!form.values.track && <AccountField label={t.field.account} {...fieldProps(form, 'account', 'userId')} />}
            <TicketFields form={form} />
          </>
        )}
      </Form>
    </Dialog>
  );
}

const newTicket = {
  title: '',
  url: '',
  startAt: '',
  endAt: '',
  isClaimed: false,
  isProtected: false,
  track: null as Awaited<ReturnType<typeof lookupTracks>>[number] | null,
  account: null as LookupItem | null,
};
type TicketValues = Pick<typeof newTicket, 'url' | 'startAt' | 'endAt' | 'isClaimed' | 'isProtected'>;

/** The fields shared by new and existing tickets (product §22.14). */
function TicketFields<Values extends TicketValues>({ form: given }: { form: UseFormReturnType<Values> }) {
  const form: Pick<UseFormReturnType<Values>, 'getInputProps'> = given;
  const url = form.getInputProps('url');
  return (
    <>
      <SimpleGrid minColWidth="min(180px, 100%)" autoFlow="auto-fit" spacing={16} verticalSpacing={12}>
        <TextInput
          label={t.field.startAt}
          description={t.field.timingHint}
          placeholder="01:23"
          {...form.getInputProps('startAt')}
        />
        <TextInput
          label={t.field.endAt}
          description={t.field.timingHint}
          placeholder="47:56"
          {...form.getInputProps('endAt')}
        />
      </SimpleGrid>
      <Textarea
        label={t.field.url}
        description={t.field.urlHint}
        required
        minRows={2}
        maxRows={5}
        spellCheck={false}
        inputMode="url"
        {...url}
        onBlur={() => {
          const completed = completeUrl(given.values.url);
          if (completed !== given.values.url) url.onChange(completed);
        }}
      />
      <Stack component="fieldset" gap={10}>
        <Box component="legend" mb={8} fw={500}>
          {t.field.agreements}
        </Box>
        <Checkbox label={t.field.isClaimed} {...form.getInputProps('isClaimed', { type: 'checkbox' })} />
        <Checkbox label={t.field.isProtected} {...form.getInputProps('isProtected', { type: 'checkbox' })} />
      </Stack>
    </>
  );
}
