import { Textarea } from '@mantine/core';
import type { UseFormReturnType } from '@mantine/form';
import type { ReleaseStatus } from '@regie/contract/releases.ts';
import { type Release, ReleaseForm } from '@regie/contract/routes/releases.ts';
import type { ImportOutcome } from '@regie/contract/routes/row-import.ts';
import { routes } from '@regie/contract/routes.ts';
import { useQuery } from '@tanstack/react-query';
import { useEffect, useEffectEvent, useState } from 'react';
import { paths } from '#src/app/paths.ts';
import { frScreens } from '#src/app/screens.fr.ts';
import { useHistoryState } from '#src/domain/history-state.ts';
import { api } from '#src/lib/api.ts';
import { useFormRecord } from '#src/lib/form-record.ts';
import { fr } from '#src/lib/fr.ts';
import { useIdParam } from '#src/lib/id-param.ts';
import { Form } from '#src/ui/form.tsx';
import { LinkButton } from '#src/ui/link-button.tsx';
import { PageHeader } from '#src/ui/page-header.tsx';
import { RecordPage, Section } from '#src/ui/record-page.tsx';
import shared from '#src/ui/shared.module.css';
import { PageSkeleton, RightGate } from '#src/ui/states.tsx';
import { CoverEditor } from './cover-upload.tsx';
import { ReleaseFormFields, releaseFormValues } from './release-form-fields.tsx';
import { releaseHead, releaseTabs } from './release-frame.tsx';
import { RedirectToReleases } from './release-paths.tsx';
import { StatusField, useDeliveryConfirmation } from './release-status.tsx';
import { releaseQuery, resourcesQuery } from './releases.api.ts';
import { frReleases } from './releases.fr.ts';
import { RowImport } from './row-import.tsx';
import { TrackSection } from './track-section.tsx';

const t = frReleases.form;

export default function ReleaseEditPage() {
  const id = useIdParam();
  return id === undefined ? <RedirectToReleases /> : <EditLoader key={id} id={id} />;
}

function EditLoader({ id }: { id: number }) {
  const { release: passed } = useHistoryState();
  const { record, loaded, version, reload } = useFormRecord(
    releaseQuery(id),
    passed?.data.id === id ? passed : undefined,
  );
  if (!record) return loaded.isError ? <RedirectToReleases error={loaded.error} /> : <PageSkeleton shape="form" />;
  return (
    <RightGate isAllowed={record.canEdit}>
      <EditView key={version} release={record} onReload={reload} />
    </RightGate>
  );
}

function EditedTracks({ release }: { release: Release }) {
  const resources = useQuery(resourcesQuery(release.id));
  return <TrackSection release={resources.data?.release ?? release} />;
}

const initialValues = (release: Release) => ({
  ...releaseFormValues(release),
  status: release.status,
  note: release.note ?? '',
});

interface FilledFieldsProps {
  filled: ImportOutcome['filled'];
  form: UseFormReturnType<ReturnType<typeof initialValues>>;
}

function FilledFields({ filled, form }: FilledFieldsProps) {
  const fill = useEffectEvent(({ barcode, coverAi }: NonNullable<ImportOutcome['filled']>) => {
    const hasChanges = form.isDirty();
    const values = {
      barcode: form.values.barcode || (barcode ?? ''),
      coverAi: form.values.coverAi || (coverAi ?? ''),
    };
    form.setValues(values);
    if (!hasChanges) form.resetDirty({ ...form.values, ...values });
  });
  useEffect(() => {
    if (filled) fill(filled);
  }, [filled]);
  return null;
}

function EditView({ release, onReload }: { release: Release; onReload: () => Promise<void> }) {
  // Initial values are read once; a save only updates the state they are compared with.
  const [status, setStatus] = useState<ReleaseStatus>(release.status);
  const [seenAt, setSeenAt] = useState(release.updatedAt);
  const [filled, setFilled] = useState<ImportOutcome['filled']>(null);
  const delivery = useDeliveryConfirmation(release, status);
  return (
    <RecordPage
      header={<PageHeader {...releaseHead({ ...release, status }, frScreens.releases.edit)} />}
      tabs={releaseTabs(release, 0)}
    >
      <Section title={frReleases.cover.title}>
        <CoverEditor release={release} />
      </Section>
      <Form
        key={release.id}
        schema={ReleaseForm}
        initialValues={initialValues(release)}
        confirm={(body) => delivery.confirm(body.status)}
        submit={(body) =>
          api(routes.editRelease, {
            params: { id: release.id },
            body: { ...body, confirmQuality: delivery.isMeant(), updatedAt: seenAt },
          })
        }
        onSuccess={({ data }, form) => {
          setStatus(data.status);
          setSeenAt(data.updatedAt);
          form.setFieldValue('status', data.status);
          form.resetDirty();
        }}
        submitLabel={fr.common.save}
        hasSaveBar
        onReload={onReload}
        secondary={
          <LinkButton to={paths.release(release.id)} variant="default">
            {t.see}
          </LinkButton>
        }
      >
        {(form) => (
          <>
            <ReleaseFormFields form={form} />
            <FilledFields filled={filled} form={form} />
            <fieldset className={shared.fieldset}>
              <legend>{t.state}</legend>
              <div className={shared.fields}>
                <StatusField present={status} {...form.getInputProps('status')} value={form.values.status} />
                <Textarea
                  className={shared.wide}
                  label={t.note}
                  minRows={2}
                  maxRows={10}
                  maxLength={5000}
                  {...form.getInputProps('note')}
                />
              </div>
            </fieldset>
          </>
        )}
      </Form>
      <EditedTracks release={release} />
      <RowImport
        releaseId={release.id}
        onImported={(outcome) => {
          // The release only changed by this import since the form was loaded: saving the form is no conflict.
          if (outcome.filled?.updatedBefore !== seenAt) return;
          setSeenAt(outcome.filled.updatedAt);
          setFilled(outcome.filled);
        }}
      />
      {delivery.question}
    </RecordPage>
  );
}
