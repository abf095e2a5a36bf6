import { Group, Stack } from '@mantine/core';
import type { LookupItem } from '@regie/contract/routes/accounting.ts';
import { NewReleaseForm } from '@regie/contract/routes/orders.ts';
import { type Release, ReleaseForm } from '@regie/contract/routes/releases.ts';
import { routes } from '@regie/contract/routes.ts';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { paths } from '#src/app/paths.ts';
import { AccountField } from '#src/domain/account-field.tsx';
import { api } from '#src/lib/api.ts';
import { flashSuccess } from '#src/lib/flash.ts';
import { Form, fieldProps } from '#src/ui/form.tsx';
import { Section } from '#src/ui/record-page.tsx';
import shared from '#src/ui/shared.module.css';
import { CoverEditor } from './cover-upload.tsx';
import { frNewRelease } from './new-release.fr.ts';
import { WizardLink } from './new-release-link.tsx';
import { ReleaseFormFields, releaseFormValues } from './release-form-fields.tsx';
import { personName } from './release-labels.ts';
import { frReleases } from './releases.fr.ts';
import { TrackSection } from './track-section.tsx';

const t = frNewRelease;

export function DraftStep({ release }: { release: Release | undefined }) {
  return release ? <EditDraft release={release} /> : <CreateDraft />;
}

function CreateDraft() {
  const navigate = useNavigate();
  return (
    <Form
      schema={NewReleaseForm}
      initialValues={{ ...releaseFormValues(undefined), account: null as LookupItem | null }}
      toBody={({ account, ...values }) => ({ ...values, userId: account?.id })}
      submit={(body, { idempotencyKey }) => api(routes.createRelease, { body, idempotencyKey })}
      onSuccess={({ data, message }) => {
        flashSuccess(message, { afterNavigation: true });
        void navigate({ to: paths.newRelease('tracks'), search: { release: String(data.id) }, replace: true });
      }}
      submitLabel={t.saveDraft}
      hasSaveBar="new"
    >
      {(form) => (
        <>
          <fieldset className={shared.fieldset}>
            <legend>{t.accountSection}</legend>
            <AccountField
              label={t.account}
              description={t.accountHint}
              required
              {...fieldProps(form, 'account', 'userId')}
            />
          </fieldset>
          <ReleaseFormFields form={form} />
          <p className={shared.note}>{t.tracksLater}</p>
        </>
      )}
    </Form>
  );
}

function EditDraft({ release }: { release: Release }) {
  // `updatedAt` when the fields were filled: changes saved in another window are not overwritten.
  const [seenAt, setSeenAt] = useState(release.updatedAt);
  return (
    <Stack gap={32}>
      <Form
        key={release.id}
        schema={ReleaseForm}
        initialValues={{ ...releaseFormValues(release), status: release.status }}
        submit={(body) => api(routes.editRelease, { params: { id: release.id }, body: { ...body, updatedAt: seenAt } })}
        onSuccess={({ data }) => setSeenAt(data.updatedAt)}
        submitLabel={t.save}
        hasSaveBar
      >
        {(form) => (
          <>
            {release.Account && (
              <p>
                <span className={shared.muted}>{t.account}</span> {personName(release.Account)}
              </p>
            )}
            <ReleaseFormFields form={form} />
          </>
        )}
      </Form>
      <Section title={frReleases.cover.title}>
        <CoverEditor release={release} />
      </Section>
      <TrackSection release={release} />
      <Group justify="flex-end" gap={10}>
        <WizardLink step="plan" releaseId={release.id}>
          {t.next.plan}
        </WizardLink>
      </Group>
    </Stack>
  );
}
