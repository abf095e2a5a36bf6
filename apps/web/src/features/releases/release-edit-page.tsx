import { Button, Select, Textarea } from '@mantine/core';
import {
  listOfStatus,
  offeredStatuses,
  qualityReasons,
  type ReleaseStatus,
  releaseLists,
  releaseStatuses,
} from '@regie/contract/releases.ts';
import { type Release, ReleaseForm } from '@regie/contract/routes/releases.ts';
import { routes } from '@regie/contract/routes.ts';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { Link, Navigate } from '@tanstack/react-router';
import { useRef, useState } from 'react';
import { fr } from '#src/fr.ts';
import { api, errorSentence } from '#src/lib/api.ts';
import { useHistoryState } from '#src/lib/history-state.ts';
import { useCan } from '#src/lib/session.ts';
import { paths } from '#src/paths.ts';
import { ConfirmModal } from '#src/ui/confirm-modal.tsx';
import { Form } from '#src/ui/form.tsx';
import { PageHeader } from '#src/ui/page-header.tsx';
import { Section } from '#src/ui/record-page.tsx';
import { PageSkeleton, RightGate } from '#src/ui/states.tsx';
import { CoverEditor } from './cover-upload.tsx';
import { homeOfReleases } from './release-addresses.ts';
import { ReleaseBadge } from './release-badge.tsx';
import { ReleaseFormFields, releaseFormValues } from './release-form-fields.tsx';
import { useReleaseId } from './release-id.ts';
import { artistOf, fullTitle, splitQuality } from './release-words.ts';
import { releaseQuery } from './releases.api.ts';
import classes from './releases.module.css';
import { RowImport } from './row-import.tsx';

const t = fr.releases.form;

/** Without an id or when the release does not load, the lists (specification 1 §2). */
function ToLists({ problem }: { problem: string }) {
  const can = useCan();
  return <Navigate to={homeOfReleases(can)} state={{ problem }} replace />;
}

export default function ReleaseEditPage() {
  const id = useReleaseId();
  return id === undefined ? <ToLists problem={t.missing} /> : <EditLoader key={id} id={id} />;
}

const freshForMs = 30_000;

/** Prefilled from the page that led here, unless that was long ago (a reload keeps the navigation's state). */
function EditLoader({ id }: { id: number }) {
  const { release: given } = useHistoryState();
  const queryClient = useQueryClient();
  const [prefill, setPrefill] = useState(() =>
    given && given.data.id === id && Date.now() - given.readAt < freshForMs ? given.data : undefined,
  );
  const [reloads, setReloads] = useState(0);
  // Read once: what another window saves meanwhile must not take the place of what is being typed.
  const loaded = useQuery({ ...releaseQuery(id), enabled: prefill === undefined, staleTime: 0, gcTime: 0 });
  const release = prefill ?? (loaded.isFetchedAfterMount ? loaded.data : undefined);
  if (release) {
    const reload = async () => {
      setPrefill(await queryClient.fetchQuery({ ...releaseQuery(id), staleTime: 0 }));
      setReloads((count) => count + 1);
    };
    return (
      <RightGate isAllowed={release.canEdit}>
        <EditView key={reloads} release={release} onReload={reload} />
      </RightGate>
    );
  }
  return loaded.isError ? <ToLists problem={t.loadFailed(errorSentence(loaded.error))} /> : <PageSkeleton />;
}

const initialValues = (release: Release) => ({
  ...releaseFormValues(release),
  status: release.status,
  note: release.note ?? '',
});

function EditView({ release, onReload }: { release: Release; onReload: () => Promise<void> }) {
  // The values are read once; what saving changes is only the state that they are compared with.
  const [status, setStatus] = useState<ReleaseStatus>(release.status);
  const [seenAt, setSeenAt] = useState(release.updatedAt);
  const [asked, setAsked] = useState<(isMeant: boolean) => void>();
  const isMeant = useRef(false);
  const { blocking } = splitQuality(release.quality);
  const artist = artistOf(release);

  const answer = (meant: boolean) => {
    asked?.(meant);
    setAsked(undefined);
  };
  return (
    <>
      <PageHeader
        title={t.title(fullTitle(release))}
        badge={<ReleaseBadge status={status} />}
        text={artist ?? fr.releases.noArtist}
      />
      <Section title={fr.cover.title}>
        <CoverEditor release={release} />
      </Section>
      <Form
        key={release.id}
        schema={ReleaseForm}
        initialValues={initialValues(release)}
        confirm={async (body) => {
          isMeant.current = false;
          const isDelivery = body.status === 'DELIVRED' && status !== 'DELIVRED';
          if (!isDelivery || blocking.length === 0) return true;
          isMeant.current = await new Promise<boolean>((resolve) => setAsked(() => resolve));
          return isMeant.current;
        }}
        submit={(body) =>
          api(routes.editRelease, {
            params: { id: release.id },
            body: { ...body, confirmQuality: isMeant.current, updatedAt: seenAt },
          })
        }
        onSuccess={({ data }, form) => {
          setStatus(data.status);
          setSeenAt(data.updatedAt);
          form.setFieldValue('status', data.status);
          form.resetDirty();
        }}
        submitLabel={fr.common.save}
        asksBeforeLeaving
        onReload={onReload}
        secondary={
          <Button component={Link} to={paths.release(release.id)} variant="default">
            {t.see}
          </Button>
        }
      >
        {(form) => (
          <>
            <ReleaseFormFields form={form} />
            <fieldset className={classes.fields}>
              <legend>{t.state}</legend>
              <div className={classes.grid}>
                <StatusField present={status} {...form.getInputProps('status')} value={form.values.status} />
                <Textarea
                  className={classes.wide}
                  label={t.note}
                  autosize
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
      <RowImport releaseId={release.id} />
      <ConfirmModal
        isOpen={asked !== undefined}
        onClose={() => answer(false)}
        name={artist ? `${fullTitle(release)}, ${fr.releases.page.by(artist)}` : fullTitle(release)}
        consequence={t.deliverConsequence}
        verb={t.deliverVerb}
        onConfirm={async () => answer(true)}
      >
        <ul>
          {blocking.map((reason) => (
            <li key={reason}>{qualityReasons[reason].label}</li>
          ))}
        </ul>
      </ConfirmModal>
    </>
  );
}

const statusLabel = (status: ReleaseStatus): string =>
  status === 'PAID' ? t.statuses.PAID : releaseStatuses[status].label;

interface StatusFieldProps {
  /** As the server has it. */
  present: ReleaseStatus;
  value: ReleaseStatus;
  onChange: (status: string | null) => void;
  error?: React.ReactNode;
}

/** The three statuses offered and the present one; a move to another list needs its right too (decisions §4). */
function StatusField({ present, value, onChange, error }: StatusFieldProps) {
  const can = useCan();
  // OPENED and PENDING read alike: a reopened release stays what it is.
  const offered = offeredStatuses.filter((status) => !(status === 'PENDING' && present === 'OPENED'));
  const statuses: ReleaseStatus[] = offered.some((status) => status === present) ? offered : [present, ...offered];
  return (
    <Select
      label={t.status}
      required
      allowDeselect={false}
      data={statuses.map((status) => {
        const isMine = status === present || can(releaseLists[listOfStatus(status)].edit);
        const label = statusLabel(status);
        return { value: status, label: isMine ? label : t.statusNotYours(label), disabled: !isMine };
      })}
      value={value}
      onChange={onChange}
      error={error}
    />
  );
}
