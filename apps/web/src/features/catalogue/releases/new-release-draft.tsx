import { Button, Group, Stack } from '@mantine/core';
import type { UseFormReturnType } from '@mantine/form';
import { artistRoles } from '@regie/contract/releases.ts';
import type { LookupItem } from '@regie/contract/routes/accounting.ts';
import { NewReleaseForm } from '@regie/contract/routes/orders.ts';
import { type Release, ReleaseForm, requiredText, TrackForm } from '@regie/contract/routes/releases.ts';
import { routes } from '@regie/contract/routes.ts';
import { useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useEffect, useEffectEvent, useRef, useState } from 'react';
import { paths } from '#src/app/paths.ts';
import { AccountField } from '#src/domain/account-field.tsx';
import { api } from '#src/lib/api.ts';
import { flashSuccess } from '#src/lib/flash.ts';
import { fr } from '#src/lib/fr.ts';
import { useCan } from '#src/lib/session.ts';
import { useUnsavedChanges } from '#src/lib/unsaved-changes.ts';
import { Form, fieldProps } from '#src/ui/form.tsx';
import { Section } from '#src/ui/record-page.tsx';
import shared from '#src/ui/shared.module.css';
import { CoverEditor } from './cover-upload.tsx';
import { MemberFields } from './member-fields.tsx';
import { frNewRelease } from './new-release.fr.ts';
import { WizardLink } from './new-release-link.tsx';
import { ReleaseFormFields, releaseFormValues } from './release-form-fields.tsx';
import { fullTitle, personName } from './release-labels.ts';
import { lastReleaseQuery } from './releases.api.ts';
import { frReleases } from './releases.fr.ts';
import { TrackSection } from './track-section.tsx';
import { primaryArtists } from './track-values.ts';
import { useAddWavs, type Wav, WavDrop, WavList } from './wav-tracks.tsx';

const t = frNewRelease;

export function DraftStep({ release }: { release: Release | undefined }) {
  return release ? <EditDraft release={release} /> : <CreateDraft />;
}

/** With the artists of all tracks that files become. */
const DraftForm = NewReleaseForm.extend({ artists: TrackForm.shape.artists });
/** Tracks need a language, so their release does. */
const WithTracks = DraftForm.extend({ language: requiredText(60) });

const draftPath = paths.newRelease('tracks');

/** The first Friday in three weeks or later, as dd/MM/yyyy: stores list releases on Fridays, and need time for them. */
function proposedDate(): string {
  const day = new Date();
  day.setDate(day.getDate() + 21 + ((12 - day.getDay()) % 7));
  return day.toLocaleDateString('fr-FR', { day: '2-digit', month: '2-digit', year: 'numeric' });
}

/** What a draft takes over from the account's last release. */
function takenValues(release: Release | undefined) {
  const { label, genre, subgenre, language, recordingOwnerName, coverDetailsOwner } = releaseFormValues(release);
  const artists = primaryArtists(release?.tracks[0]);
  return { label, genre, subgenre, language, recordingOwnerName, coverDetailsOwner, artists };
}

function draftValues() {
  const dates = { originalRealeaseDate: proposedDate(), digitalReleaseDate: proposedDate() };
  return { ...releaseFormValues(undefined), ...dates, ...takenValues(undefined), account: null as LookupItem | null };
}

/** Choosing an account fills what is empty, or was filled for another account. */
function DraftAccount({ form }: { form: UseFormReturnType<ReturnType<typeof draftValues>> }) {
  const can = useCan();
  const id = form.values.account?.id;
  const { data: last } = useQuery({ ...lastReleaseQuery(id ?? 0, can), enabled: id !== undefined });
  const taken = useRef(takenValues(undefined));
  const fill = useEffectEvent((next: typeof taken.current) => {
    const isUntouched = (name: keyof typeof next) =>
      JSON.stringify(form.values[name]) === JSON.stringify(taken.current[name]);
    const names = Object.keys(next) as (keyof typeof next)[];
    // Not `setValues`, which clears the errors of every field.
    for (const name of names.filter(isUntouched)) form.setFieldValue(name, next[name]);
    taken.current = next;
  });
  useEffect(() => {
    if (last !== undefined) fill(takenValues(last ?? undefined));
  }, [last]);
  return (
    <fieldset className={shared.fieldset}>
      <legend>{t.accountSection}</legend>
      <AccountField label={t.account} description={t.accountHint} required {...fieldProps(form, 'account', 'userId')} />
      {last && <p className={shared.note}>{t.taken(fullTitle(last))}</p>}
    </fieldset>
  );
}

function CreateDraft() {
  const navigate = useNavigate();
  const addWavs = useAddWavs();
  const [wavs, setWavs] = useState<Wav[]>([]);
  const hasTracks = wavs.length > 0;
  useUnsavedChanges(hasTracks);
  return (
    <Form
      schema={hasTracks ? WithTracks : DraftForm}
      initialValues={draftValues()}
      toBody={({ account, ...values }) => ({ ...values, userId: account?.id })}
      submit={async ({ artists, ...body }, { idempotencyKey }) => {
        const answer = await api(routes.createRelease, { body, idempotencyKey });
        const refused = await addWavs({ ...body, id: answer.data.id }, wavs, artists);
        return { ...answer, message: [answer.message, ...refused].join('. ') };
      }}
      onSuccess={({ data, message }) => {
        flashSuccess(message, { afterNavigation: true });
        void navigate({ to: draftPath, search: { release: String(data.id) }, replace: true });
      }}
      submitLabel={t.saveDraft}
      hasSaveBar="new"
    >
      {(form) => (
        <>
          <Section title={frReleases.tracks.title}>
            <WavDrop
              onWavs={(added) => {
                const isThere = ({ file }: Wav) =>
                  wavs.some((wav) => wav.file.name === file.name && wav.file.size === file.size);
                setWavs([...wavs, ...added.filter((wav) => !isThere(wav))]);
                return added.filter(isThere).map(({ file }) => frReleases.wavs.there(file.name));
              }}
            />
            <WavList wavs={wavs} onChange={setWavs} />
          </Section>
          <DraftAccount form={form} />
          <ReleaseFormFields form={form} isLanguageRequired={hasTracks} dateHint={t.dateHint} />
          {hasTracks && (
            <MemberFields
              label={frReleases.wavs.artists}
              addLabel={frReleases.trackForm.addArtist}
              roles={artistRoles}
              members={form.values.artists}
              onChange={(artists) => form.setFieldValue('artists', artists)}
              errorOf={(path) => form.errors[`artists.${path}`]}
            />
          )}
        </>
      )}
    </Form>
  );
}

function EditDraft({ release }: { release: Release }) {
  // `updatedAt` when the fields were filled: changes saved in another window are not overwritten.
  const [seenAt, setSeenAt] = useState(release.updatedAt);
  const navigate = useNavigate();
  const [isDirty, setIsDirty] = useState(false);
  const isContinuing = useRef(false);
  const fields = useRef<HTMLDivElement>(null);
  const saveAndContinue = () => {
    isContinuing.current = true;
    fields.current?.closest('form')?.requestSubmit();
  };
  return (
    <Stack gap={32}>
      <TrackSection release={release} isInWizard />
      <Form
        key={release.id}
        schema={ReleaseForm}
        initialValues={{ ...releaseFormValues(release), status: release.status }}
        submit={(body) => api(routes.editRelease, { params: { id: release.id }, body: { ...body, updatedAt: seenAt } })}
        onSuccess={({ data }) => {
          setSeenAt(data.updatedAt);
          if (isContinuing.current)
            void navigate({ to: paths.newRelease('plan'), search: { release: String(release.id) } });
        }}
        onDirtyChange={setIsDirty}
        submitLabel={fr.common.save}
        hasSaveBar
      >
        {(form) => (
          // After a refusal, the button of the form saves only.
          <Stack gap="md" ref={fields} onInput={() => (isContinuing.current = false)}>
            {release.Account && (
              <p>
                <span className={shared.muted}>{t.account}</span> {personName(release.Account)}
              </p>
            )}
            <ReleaseFormFields form={form} />
          </Stack>
        )}
      </Form>
      <Section title={frReleases.cover.title}>
        <CoverEditor release={release} />
      </Section>
      <Group justify="flex-end" gap={10}>
        {isDirty ? (
          <Button onClick={saveAndContinue}>{t.plan.submit}</Button>
        ) : (
          <WizardLink step="plan" releaseId={release.id}>
            {t.next.plan}
          </WizardLink>
        )}
      </Group>
    </Stack>
  );
}
