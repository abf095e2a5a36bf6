import { Box, Button, Checkbox, Group, SimpleGrid, Stack, TextInput } from '@mantine/core';
import { type CapabilitySection, capabilities, capabilitySections, impliedBy } from '@regie/contract/capabilities.ts';
import { capabilityPresets } from '@regie/contract/capability-presets.ts';
import { providerMessages } from '@regie/contract/identity-provider.ts';
import { type Admin, AdminEditForm, AdminForm, InvitationForm } from '@regie/contract/routes/staff.ts';
import { routes } from '@regie/contract/routes.ts';
import { fold } from '@regie/values/search-text.ts';
import { useState } from 'react';
import { frSignIn } from '#src/domain/sign-in/sign-in.fr.ts';
import { api } from '#src/lib/api.ts';
import type { DialogState } from '#src/lib/asked.ts';
import { fr } from '#src/lib/fr.ts';
import { useSignedIn } from '#src/lib/session.ts';
import { textsOf } from '#src/lib/texts.ts';
import { Notice } from '#src/ui/alerts.tsx';
import { CancelButton, Dialog } from '#src/ui/dialog.tsx';
import { PasswordField } from '#src/ui/fields.tsx';
import { Form } from '#src/ui/form.tsx';
import shared from '#src/ui/shared.module.css';
import { SmallButton } from '#src/ui/small-button.tsx';
import { frAdmins } from './admins.fr.ts';

/** Adds or edits an admin. An empty password keeps the current one (product §35.4). */
export function AdminModal({ admin, ...dialog }: { admin: Admin | 'new' } & DialogState) {
  const { user, provider } = useSignedIn();
  const isNew = admin === 'new';
  const isOwn = !isNew && admin.id === user.id;
  const followed = isNew ? null : admin.provider;
  const initialValues = {
    ...textsOf(isNew ? undefined : admin, 'fname', 'lname', 'email'),
    password: '',
    presentPassword: '',
    capabilities: isNew ? [] : admin.capabilities,
  };
  return (
    <Dialog {...dialog} size={760} title={isNew ? frAdmins.add : frAdmins.editTitle(`${admin.fname} ${admin.lname}`)}>
      <Form
        key={isNew ? 'new' : admin.id}
        schema={isNew ? AdminForm : AdminEditForm}
        initialValues={initialValues}
        submit={(body, { idempotencyKey }) =>
          isNew
            ? api(routes.createAdmin, { body: { ...body, password: body.password ?? '' }, idempotencyKey })
            : api(routes.editAdmin, { params: { id: admin.id }, body })
        }
        onClose={dialog.onClose}
        submitLabel={isNew ? frAdmins.add : fr.common.save}
        secondary={<CancelButton />}
        hasSaveBar="always"
      >
        {(form) => (
          <>
            <div className={shared.fields}>
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
            </div>
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
              <Notice tone="note">{providerMessages.rolesElsewhere(followed)}</Notice>
            )}
          </>
        )}
      </Form>
    </Dialog>
  );
}

export function InviteModal(dialog: DialogState) {
  return (
    <Dialog {...dialog} size={760} title={frAdmins.inviteTitle}>
      <Form
        schema={InvitationForm}
        initialValues={{ email: '', capabilities: [] as number[] }}
        submit={(body, { idempotencyKey }) => api(routes.inviteAdmin, { body, idempotencyKey })}
        onClose={dialog.onClose}
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

interface CapabilityBoxesProps {
  value: readonly number[];
  onChange: (ids: number[]) => void;
  error?: React.ReactNode;
}

const presets = ['accounting', 'catalogue', 'support', 'read_only'] as const;

/** Capabilities by section; an admin can only grant their own (product §35.3), which the server checks too. */
function CapabilityBoxes({ value, onChange, error }: CapabilityBoxesProps) {
  const { userCapabilities } = useSignedIn();
  const held = new Set<string>(userCapabilities);
  const [sought, setSought] = useState('');
  const set = (ids: readonly number[], isOn: boolean) => {
    const changed = new Set(ids);
    const others = value.filter((id) => !changed.has(id));
    onChange((isOn ? [...others, ...ids] : others).toSorted((a, b) => a - b));
  };
  /** What this admin may not grant stays as it is. */
  const start = (names: readonly string[]) =>
    onChange(
      capabilities
        .filter(({ id, name }) => (held.has(name) ? names.includes(name) : value.includes(id)))
        .map(({ id }) => id),
    );
  const isSought = (text: string) => fold(text).includes(fold(sought));
  // Editing includes reading: the box shows it.
  const implied = new Set(capabilities.filter(({ id }) => value.includes(id)).map(({ name }) => impliedBy(name)));
  const sections = Object.keys(capabilitySections) as CapabilitySection[];
  return (
    <fieldset>
      <Box component="legend" fz={14} fw={600}>
        {frAdmins.capabilities}
      </Box>
      {held.size < capabilities.length && (
        <Box component="p" mt={2} fz={12} className={shared.muted}>
          {frAdmins.notGrantable}
        </Box>
      )}
      {error && (
        <Box component="p" mt={8} c="var(--negative)" fz={12}>
          {error}
        </Box>
      )}
      <Group gap={8} mt={8} fz={13}>
        <span>{frAdmins.startFrom}</span>
        {presets.map((name) => (
          <SmallButton key={name} onClick={() => start(capabilityPresets[name])}>
            {frAdmins.presets[name]}
          </SmallButton>
        ))}
        <Button variant="subtle" size="compact-sm" onClick={() => start([])}>
          {frAdmins.noCapability}
        </Button>
        <TextInput
          flex="1 1 160px"
          aria-label={frAdmins.seekCapability}
          placeholder={frAdmins.seekCapability}
          value={sought}
          onChange={(event) => setSought(event.currentTarget.value)}
        />
      </Group>
      <SimpleGrid minColWidth="min(100%, 300px)" spacing={28} verticalSpacing={20} mt={12}>
        {sections.map((section) => {
          const group = capabilities.filter((capability) => capability.section === section);
          const grantable = group.filter(({ name }) => held.has(name)).map(({ id }) => id);
          const shown = isSought(capabilitySections[section]) ? group : group.filter(({ label }) => isSought(label));
          if (shown.length === 0) return null;
          const checked = group.filter(({ id, name }) => value.includes(id) || implied.has(name)).length;
          return (
            <fieldset key={section}>
              <legend className="visually-hidden">{capabilitySections[section]}</legend>
              <Checkbox
                label={<strong>{capabilitySections[section]}</strong>}
                aria-label={frAdmins.selectSection(capabilitySections[section])}
                checked={checked === group.length}
                indeterminate={checked > 0 && checked < group.length}
                disabled={grantable.length === 0}
                onChange={(event) => set(grantable, event.currentTarget.checked)}
              />
              <Stack gap={8} mt={8} pl={28}>
                {shown.map((capability) => (
                  <Checkbox
                    key={capability.id}
                    label={capability.label}
                    checked={value.includes(capability.id) || implied.has(capability.name)}
                    disabled={!held.has(capability.name) || implied.has(capability.name)}
                    onChange={(event) => set([capability.id], event.currentTarget.checked)}
                  />
                ))}
              </Stack>
            </fieldset>
          );
        })}
      </SimpleGrid>
    </fieldset>
  );
}
