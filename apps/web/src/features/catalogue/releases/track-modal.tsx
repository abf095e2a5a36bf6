import { Button, Checkbox, Stack, TextInput } from '@mantine/core';
import { instruments } from '@regie/contract/instruments.ts';
import { artistRoles, contributorRoles } from '@regie/contract/releases.ts';
import { type Release, type Track, TrackForm } from '@regie/contract/routes/releases.ts';
import { routes } from '@regie/contract/routes.ts';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { frAi } from '#src/domain/ai/ai.fr.ts';
import { AiField } from '#src/domain/ai/ai-field.tsx';
import { nextIsrcsQuery } from '#src/domain/tracks/next-isrcs.ts';
import { api } from '#src/lib/api.ts';
import type { DialogState } from '#src/lib/asked.ts';
import { CancelButton, Dialog } from '#src/ui/dialog.tsx';
import { Form, fieldProps } from '#src/ui/form.tsx';
import shared from '#src/ui/shared.module.css';
import { AudioField, NewAudioField, useSendAudio } from './audio-field.tsx';
import { MemberFields, type MemberValue } from './member-fields.tsx';
import { GenreField, LanguageField, YearField } from './release-fields.tsx';
import { fullTitle } from './release-labels.ts';
import { frReleases } from './releases.fr.ts';
import { trackValues } from './track-values.ts';

const t = frReleases.trackForm;

function NextIsrc({ onTake }: { onTake: (isrc: string) => void }) {
  const { data } = useQuery({ ...nextIsrcsQuery, staleTime: 0, gcTime: 0 });
  const next = data?.find((prefix) => prefix.next !== null)?.next;
  if (!next) return null;
  return (
    <Button variant="subtle" size="compact-sm" mr={4} onClick={() => onTake(next)}>
      {t.takeIsrc(next)}
    </Button>
  );
}

/** Adds a track to a release or edits one, with its members (product §15.5). */
export function TrackModal({
  release,
  track: opened,
  isOpen,
  onClose,
}: { release: Release; track: Track | 'new' } & DialogState) {
  // The track as loaded into the form: changes saved in another window must not replace it silently.
  const [reloaded, setReloaded] = useState<{ of: Track | 'new'; track: Track }>();
  const track = reloaded?.of === opened ? reloaded.track : opened;
  const isNew = track === 'new';
  const [audio, setAudio] = useState<File>();
  const sendAudio = useSendAudio();
  const close = () => {
    setAudio(undefined);
    onClose();
  };
  const reload = async () => {
    const { data } = await api(routes.getRelease, { params: { id: release.id } });
    const present = data.tracks.find(({ id }) => !isNew && id === track.id);
    if (present) setReloaded({ of: opened, track: present });
    else onClose();
  };
  return (
    <Dialog
      isOpen={isOpen}
      onClose={close}
      isDirty={audio !== undefined}
      size={792}
      title={isNew ? frReleases.tracks.add : t.editTitle(fullTitle(track))}
    >
      <Form
        key={isNew ? 'new' : `${track.id} ${track.updatedAt}`}
        schema={TrackForm}
        initialValues={trackValues(release, track)}
        toBody={(values) => ({ ...values, libraryId: release.id, updatedAt: isNew ? undefined : track.updatedAt })}
        onReload={isNew ? undefined : reload}
        submit={async (body, { idempotencyKey }) => {
          if (!isNew) return api(routes.editTrack, { params: { id: track.id }, body });
          const answer = await api(routes.addTrack, { body, idempotencyKey });
          const { title, version = null } = body;
          if (!audio) return answer;
          // The track is saved: the file's error is shown with that message.
          const refusal = await sendAudio({ id: answer.data.id, title, version, libraryId: release.id }, audio);
          return refusal === undefined ? answer : { ...answer, message: `${answer.message}. ${refusal}` };
        }}
        onClose={close}
        submitLabel={isNew ? frReleases.tracks.add : t.save}
        secondary={<CancelButton />}
        hasSaveBar="always"
      >
        {(form) => {
          const { values, errors } = form;
          const members = (list: 'artists' | 'contributors' | 'musicians' | 'editors') => ({
            members: values[list],
            onChange: (next: MemberValue[]) => form.setFieldValue(list, next),
            errorOf: (path: string) => errors[`${list}.${path}`],
          });
          return (
            <>
              <div className={shared.fields}>
                <TextInput label={t.title} required data-autofocus {...form.getInputProps('title')} />
                <TextInput label={t.version} {...form.getInputProps('version')} />
                <TextInput
                  label={t.isrc}
                  description={t.isrcHint}
                  {...form.getInputProps('isrc')}
                  onBlur={() => form.setFieldValue('isrc', values.isrc.toUpperCase().replace(/[\s-]/g, ''))}
                  rightSection={values.isrc === '' && <NextIsrc onTake={(isrc) => form.setFieldValue('isrc', isrc)} />}
                  rightSectionWidth="auto"
                />
                <TextInput label={t.starTime} description={t.starTimeHint} {...form.getInputProps('starTime')} />
                <GenreField label={t.genre} required {...fieldProps(form, 'genre')} />
                <GenreField label={t.subgenre} {...fieldProps(form, 'subgenre')} />
                <LanguageField label={t.language} required={!values.noVoice} {...fieldProps(form, 'language')} />
                <Checkbox
                  pb={8}
                  style={{ alignSelf: 'end' }}
                  label={t.noVoice}
                  checked={values.noVoice}
                  onChange={(event) => form.setFieldValue('noVoice', event.currentTarget.checked)}
                />
                <TextInput label={t.recordingOwner} required {...form.getInputProps('recordingOwnerName')} />
                <YearField label={t.recordingYear} required {...fieldProps(form, 'yearOfRegistration')} />
                <AiField label={frAi.recordingAi} {...form.getInputProps('recordingAi')} />
                <AiField label={frAi.compositionAi} {...form.getInputProps('compositionAi')} />
              </div>
              <Stack gap={20}>
                <MemberFields
                  label={t.artists}
                  addLabel={t.addArtist}
                  roles={artistRoles}
                  canCreate
                  {...members('artists')}
                />
                <MemberFields
                  label={t.contributors}
                  addLabel={t.addContributor}
                  roles={contributorRoles}
                  {...members('contributors')}
                />
                <MemberFields
                  label={t.musicians}
                  addLabel={t.addMusician}
                  roles={instruments}
                  isMusician
                  isSearchable
                  {...members('musicians')}
                />
                <MemberFields label={t.editors} addLabel={t.addEditor} roles={[t.editorRole]} {...members('editors')} />
              </Stack>
              <fieldset className={shared.fieldset}>
                <legend>{frReleases.audio.title}</legend>
                {isNew ? (
                  <NewAudioField file={audio} onChange={setAudio} />
                ) : (
                  <AudioField track={release.tracks.find((present) => present.id === track.id) ?? track} />
                )}
              </fieldset>
            </>
          );
        }}
      </Form>
    </Dialog>
  );
}
