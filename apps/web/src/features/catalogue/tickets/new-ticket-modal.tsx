import { TextInput } from '@mantine/core';
import type { LookupItem } from '@regie/contract/routes/accounting.ts';
import { NewTicketForm } from '@regie/contract/routes/tickets.ts';
import { routes } from '@regie/contract/routes.ts';
import { paths } from '#src/app/paths.ts';
import { AccountField } from '#src/domain/account-field.tsx';
import { lookupTracks } from '#src/domain/lookups.ts';
import { api } from '#src/lib/api.ts';
import { flashSuccess } from '#src/lib/flash.ts';
import { CancelButton, Dialog } from '#src/ui/dialog.tsx';
import { Form, fieldProps } from '#src/ui/form.tsx';
import { LookupField } from '#src/ui/lookup-field.tsx';
import { SuccessWithLink } from '#src/ui/success-with-link.tsx';
import { TicketFields, type TicketValues } from './ticket-fields.tsx';
import { frTickets } from './tickets.fr.ts';

const t = frTickets;

interface Values extends TicketValues {
  title: string;
  track: Awaited<ReturnType<typeof lookupTracks>>[number] | null;
  account: LookupItem | null;
}

const initialValues: Values = {
  ...{ title: '', url: '', startAt: '', endAt: '' },
  ...{ isClaimed: false, isProtected: false, track: null, account: null },
};

export function NewTicketModal({ isOpen, onClose }: { isOpen: boolean; onClose: () => void }) {
  return (
    <Dialog isOpen={isOpen} onClose={onClose} title={t.add} size="lg">
      <Form
        schema={NewTicketForm}
        initialValues={initialValues}
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
          onClose();
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
