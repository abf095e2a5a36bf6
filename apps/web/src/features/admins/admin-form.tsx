import { TextInput } from '@mantine/core';
import { providerMessages } from '@regie/contract/identity-provider.ts';
import { type Admin, AdminEditForm, AdminForm, InvitationForm } from '@regie/contract/routes/staff.ts';
import { routes } from '@regie/contract/routes.ts';
import { fr } from '#src/fr.ts';
import { frSecurity } from '#src/fr-security.ts';
import { api } from '#src/lib/api.ts';
import { flashSuccess } from '#src/lib/flash.ts';
import { useSignedIn } from '#src/lib/session.ts';
import { Notice } from '#src/ui/alerts.tsx';
import { CancelButton, Dialog } from '#src/ui/dialog.tsx';
import { PasswordField } from '#src/ui/fields.tsx';
import { Form } from '#src/ui/form.tsx';
import classes from './admins.module.css';
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
      title={isNew ? fr.admins.add : fr.admins.editTitle(`${admin.fname} ${admin.lname}`)}
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
        onSuccess={({ message }) => {
          flashSuccess(message);
          onClose();
        }}
        submitLabel={isNew ? fr.admins.add : fr.common.save}
        secondary={<CancelButton />}
      >
        {(form) => (
          <>
            <div className={classes.pair}>
              <TextInput
                label={fr.auth.fname}
                required
                autoComplete="off"
                data-autofocus
                {...form.getInputProps('fname')}
              />
              <TextInput label={fr.auth.lname} required autoComplete="off" {...form.getInputProps('lname')} />
              <TextInput
                label={fr.auth.email}
                type="email"
                required
                autoComplete="off"
                {...form.getInputProps('email')}
              />
              {followed === null && (
                <PasswordField
                  label={isNew ? fr.auth.password : fr.auth.newPassword}
                  description={isNew ? fr.auth.passwordHint : fr.admins.passwordKeep}
                  inputWrapperOrder={['label', 'input', 'description', 'error']}
                  required={isNew}
                  autoComplete="new-password"
                  {...form.getInputProps('password')}
                />
              )}
            </div>
            {isOwn && provider === undefined && (form.values.email !== admin.email || form.values.password !== '') && (
              <PasswordField
                label={frSecurity.factors.password}
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
    <Dialog isOpen={isOpen} onClose={onClose} size={760} title={fr.admins.inviteTitle}>
      <Form
        schema={InvitationForm}
        initialValues={{ email: '', capabilities: [] as number[] }}
        submit={(body, { idempotencyKey }) => api(routes.inviteAdmin, { body, idempotencyKey })}
        onSuccess={({ message }) => {
          flashSuccess(message);
          onClose();
        }}
        submitLabel={fr.admins.sendInvitation}
        secondary={<CancelButton />}
      >
        {(form) => (
          <>
            <TextInput
              label={fr.auth.email}
              description={fr.admins.inviteText}
              type="email"
              required
              autoComplete="off"
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
