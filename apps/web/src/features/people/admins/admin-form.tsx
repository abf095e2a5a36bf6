import { SimpleGrid, TextInput } from '@mantine/core';
import { providerMessages } from '@regie/contract/identity-provider.ts';
import { type Admin, AdminEditForm, AdminForm, InvitationForm } from '@regie/contract/routes/staff.ts';
import { routes } from '@regie/contract/routes.ts';
import { frSignIn } from '#src/domain/sign-in/sign-in.fr.ts';
import { api } from '#src/lib/api.ts';
import { fr } from '#src/lib/fr.ts';
import { useSignedIn } from '#src/lib/session.ts';
import { Notice } from '#src/ui/alerts.tsx';
import { CancelButton, Dialog } from '#src/ui/dialog.tsx';
import { PasswordField } from '#src/ui/fields.tsx';
import { Form } from '#src/ui/form.tsx';
import { frAdmins } from './admins.fr.ts';
import { CapabilityBoxes } from './capability-boxes.tsx';

interface ModalProps {
  isOpen: boolean;
  onClose: () => void;
}

/** Adds or edits an admin. An empty password keeps the current one (product §35.4). */
export function AdminModal({ admin, isOpen, onClose }: ModalProps & { admin: Admin | 'new' }) {
  const { user, provider } = useSignedIn();
  const isNew = admin === 'new';
  const isOwn = !isNew && admin.id === user.id;
  const followed = isNew ? null : admin.provider;
  const initialValues = isNew
    ? { fname: '', lname: '', email: '', password: '', presentPassword: '', capabilities: [] as number[] }
    : {
        fname: admin.fname,
        lname: admin.lname,
        email: admin.email,
        password: '',
        presentPassword: '',
        capabilities: admin.capabilities,
      };
  return (
    <Dialog
      isOpen={isOpen}
      onClose={onClose}
      size={760}
      title={isNew ? frAdmins.add : frAdmins.editTitle(`${admin.fname} ${admin.lname}`)}
    >
      <Form
        key={isNew ? 'new' : admin.id}
        schema={isNew ? AdminForm : AdminEditForm}
        initialValues={initialValues}
        submit={(body, { idempotencyKey }) =>
          isNew
            ? api(routes.createAdmin, { body: { ...body, password: body.password ?? '' }, idempotencyKey })
            : api(routes.editAdmin, { params: { id: admin.id }, body })
        }
        onClose={onClose}
        submitLabel={isNew ? frAdmins.add : fr.common.save}
        secondary={<CancelButton />}
        hasSaveBar="always"
      >
        {(form) => (
          <>
            <SimpleGrid minColWidth="min(100%, 280px)" autoFlow="auto-fit" spacing={16}>
              <TextInput label={frSignIn.fname} required data-autofocus {...form.getInputProps('fname')} />
              <TextInput label={frSignIn.lname} required {...form.getInputProps('lname')} />
              <TextInput label={frSignIn.email} type="email" required {...form.getInputProps('email')} />
              {followed === null && (
                <PasswordField
                  label={isNew ? frSignIn.password : frSignIn.newPassword}
                  description={isNew ? frSignIn.passwordHint : frAdmins.passwordKeep}
                  required={isNew}
                  autoComplete="new-password"
                  {...form.getInputProps('password')}
                />
              )}
            </SimpleGrid>
            {isOwn && provider === undefined && (form.values.email !== admin.email || form.values.password !== '') && (
              <PasswordField
                label={frSignIn.currentPassword}
                required
                autoComplete="current-password"
                {...form.getInputProps('presentPassword')}
              />
            )}
            {followed === null ? (
              <CapabilityBoxes {...form.getInputProps('capabilities')} value={form.values.capabilities} />
            ) : (
              <Notice tone="info">{providerMessages.rolesElsewhere(followed)}</Notice>
            )}
          </>
        )}
      </Form>
    </Dialog>
  );
}

export function InviteModal({ isOpen, onClose }: ModalProps) {
  return (
    <Dialog isOpen={isOpen} onClose={onClose} size={760} title={frAdmins.inviteTitle}>
      <Form
        schema={InvitationForm}
        initialValues={{ email: '', capabilities: [] as number[] }}
        submit={(body, { idempotencyKey }) => api(routes.inviteAdmin, { body, idempotencyKey })}
        onClose={onClose}
        submitLabel={frAdmins.sendInvitation}
        secondary={<CancelButton />}
        hasSaveBar="always"
      >
        {(form) => (
          <>
            <TextInput
              label={frSignIn.email}
              description={frAdmins.inviteText}
              type="email"
              required
              data-autofocus
              {...form.getInputProps('email')}
            />
            <CapabilityBoxes {...form.getInputProps('capabilities')} value={form.values.capabilities} />
          </>
        )}
      </Form>
    </Dialog>
  );
}
