import { Box, Button, Checkbox, Group, Select, SimpleGrid, Stack, Textarea, TextInput } from '@mantine/core';
import type { UseFormReturnType } from '@mantine/form';
import { useHotkeys } from '@mantine/hooks';
import type { LookupItem } from '@regie/contract/routes/accounting.ts';
import { NewTicketForm, type Ticket, type TicketDetail, TicketForm } from '@regie/contract/routes/tickets.ts';
import { routes } from '@regie/contract/routes.ts';
import { formatTicketNumber, isWebUrl, linkToPassage } from '@regie/contract/tickets.ts';
import { completeUrl } from '@regie/contract/web-link.ts';
import { IconChevronDown, IconChevronUp, IconExternalLink } from '@tabler/icons-react';
import { type QueryClient, useQuery, useQueryClient } from '@tanstack/react-query';
import { useNavigate, useRouter } from '@tanstack/react-router';
import { useRef, useState } from 'react';
import { flushSync } from 'react-dom';
import { paths } from '#src/app/paths.ts';
import { AccountField } from '#src/domain/account-field.tsx';
import { AccountLink } from '#src/domain/account-link.tsx';
import { useHistoryState } from '#src/domain/history-state.ts';
import { lookupTracks } from '#src/domain/lookups.ts';
import { TrackLink } from '#src/domain/tracks/track-link.tsx';
import { api, apiQuery } from '#src/lib/api.ts';
import type { DialogState } from '#src/lib/asked.ts';
import { flashSuccess } from '#src/lib/flash.ts';
import { fr } from '#src/lib/fr.ts';
import { parseId } from '#src/lib/id-param.ts';
import { useShortcutsPreference } from '#src/lib/key-shortcuts.ts';
import type { SearchParams } from '#src/lib/search-params.ts';
import { useCan } from '#src/lib/session.ts';
import { buttonIcon } from '#src/ui/button-icon.tsx';
import { Identifier } from '#src/ui/copy-button.tsx';
import { DateText } from '#src/ui/dates.tsx';
import { CancelButton, Dialog } from '#src/ui/dialog.tsx';
import { Form, fieldProps } from '#src/ui/form.tsx';
import { IconButton } from '#src/ui/icon-button.tsx';
import { LookupField } from '#src/ui/lookup-field.tsx';
import { Facts } from '#src/ui/record-page.tsx';
import { SuccessWithLink } from '#src/ui/success-with-link.tsx';
import { SuccessWithUndo } from '#src/ui/success-with-undo.tsx';
import {
  customerName,
  TicketBadge,
  type TicketList,
  ticketLink,
  ticketTimeRange,
  VideoLink,
} from './ticket-labels.tsx';
import { frTickets } from './tickets.fr.ts';

const t = frTickets;
const statuses = ['OPENED', 'CLOSED'] as const;

/** The ticket that the address names, with all its fields (product §22.14); read-only without edit_tools. */
export function TicketModal({ list, search }: { list: TicketList; search: SearchParams }) {
  const can = useCan();
  const queryClient = useQueryClient();
  const navigate = useNavigate();
  const router = useRouter();
  const { opensDialog } = useHistoryState();
  const [shortcuts] = useShortcutsPreference();
  const buttons = useRef<Record<string, HTMLButtonElement | null>>({});
  const id = parseId(search.ticket);
  const filter = { q: search.q, userId: parseId(search.userId) };
  const { data: ticket } = useQuery({
    ...apiQuery(['ticket', id, filter], routes.getTicket, { params: { id: id ?? 0 }, query: filter }),
    enabled: id !== undefined,
    // Opened again, the form begins with the list's version, not with the one it left.
    gcTime: 0,
    placeholderData: (previous) => findListed(queryClient, list, id) ?? previous,
  });
  const close = () => {
    if (opensDialog) return router.history.back({ ignoreBlocker: true });
    const address = { to: paths.tickets(list), search: { ...search, ticket: undefined } };
    void navigate({ ...address, replace: true, resetScroll: false, ignoreBlocker: true });
  };
  const [previous, next] =
    search.order === 'asc' ? [ticket?.olderId, ticket?.newerId] : [ticket?.newerId, ticket?.olderId];
  const move = (to: number | null | undefined, button: 'previous' | 'next') => {
    if (!to || document.querySelectorAll('[role="dialog"]').length > 1) return;
    // The form of the ticket left is replaced, and the focus with it.
    buttons.current[button]?.focus();
    buttons.current[button]?.closest('section')?.scrollTo({ top: 0 });
    void navigate({ ...ticketLink(to, list, search), replace: true, resetScroll: false, state: true });
  };
  const isOpen = id !== undefined;
  useHotkeys(
    isOpen && shortcuts === 'on'
      ? [
          ['j', () => move(next, 'next')],
          ['k', () => move(previous, 'previous')],
        ]
      : [],
  );
  if (!ticket) return null;
  const { status, title, isClaimed, isProtected, note, url, startAt } = ticket;
  return (
    <Dialog isOpen={isOpen} onClose={close} title={t.editTitle(formatTicketNumber(ticket.id))} size="lg">
      <Group justify="space-between" gap={8} mb={16}>
        {isWebUrl(url) && (
          <Button
            component="a"
            variant="default"
            href={linkToPassage(ticket)}
            target="_blank"
            rel="noreferrer"
            leftSection={buttonIcon(IconExternalLink)}
          >
            {t.watch(startAt)}
          </Button>
        )}
        <Group gap={8} ml="auto">
          {(
            [
              ['previous', previous, IconChevronUp],
              ['next', next, IconChevronDown],
            ] as const
          ).map(([button, to, icon]) => (
            <IconButton
              key={button}
              ref={(element) => {
                buttons.current[button] = element;
              }}
              variant="default"
              icon={icon}
              label={t[button]}
              // Not disabled, which would lose the focus.
              aria-disabled={!to}
              onClick={() => move(to, button)}
            />
          ))}
        </Group>
      </Group>
      {can('edit_tools') ? (
        <TicketEditor key={ticket.id} opened={ticket} onClose={close} />
      ) : (
        <Stack gap={16}>
          <Facts
            facts={[
              { label: t.column.url, value: <VideoLink ticket={ticket} /> },
              { label: t.field.title, value: title },
              { label: t.field.status, value: <TicketBadge status={status} /> },
              { label: t.column.timing, value: ticketTimeRange(ticket) },
              { label: t.field.isClaimed, value: isClaimed ? fr.common.yes : fr.common.no },
              { label: t.field.isProtected, value: isProtected ? fr.common.yes : fr.common.no },
              { label: t.field.note, value: note },
            ]}
          />
          <TicketFacts ticket={ticket} />
        </Stack>
      )}
    </Dialog>
  );
}

/** The ticket as its list shows it, before it is loaded. */
function findListed(client: QueryClient, list: TicketList, id: number | undefined): TicketDetail | undefined {
  const pages = client.getQueriesData<{ data: Ticket[] }>({
    queryKey: ['list', `/tools/ticket/${list}/all`],
    type: 'active',
  });
  const tickets = pages.flatMap(([, page]) => page?.data ?? []).toSorted((one, other) => other.id - one.id);
  const at = tickets.findIndex((row) => row.id === id);
  const ticket = tickets[at];
  return ticket && { ...ticket, newerId: tickets[at - 1]?.id ?? null, olderId: tickets[at + 1]?.id ?? null };
}

/** Undoes the closing, unless the ticket changed since. */
async function reopenTicket(ticket: Ticket, options: { idempotencyKey: string }): Promise<string> {
  const body = { ...ticket, status: 'OPENED' as const };
  await api(routes.editTicket, { params: { id: ticket.id }, body, ...options });
  return t.moved.OPENED;
}

function TicketEditor({ opened, onClose }: { opened: Ticket; onClose: () => void }) {
  // The version that the form shows: what a colleague saves meanwhile must not be overwritten.
  const [ticket] = useState(opened);
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
          <Textarea label={t.field.title} value={ticket.title} readOnly variant="filled" minRows={1} />
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
            <SuccessWithLink to={paths.ticket(data.id)} label={t.see}>
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
