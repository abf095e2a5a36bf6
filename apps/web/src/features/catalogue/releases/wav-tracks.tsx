import { Box, Group, TextInput } from '@mantine/core';
import { routes } from '@regie/contract/routes.ts';
import { IconX } from '@tabler/icons-react';
import { type KeyboardEvent, useState } from 'react';
import { ApiError, api, errorSentence } from '#src/lib/api.ts';
import { fr } from '#src/lib/fr.ts';
import { newId } from '#src/lib/new-id.ts';
import { Dropzone } from '#src/ui/dropzone.tsx';
import { IconButton } from '#src/ui/icon-button.tsx';
import { audioTypes, refuseFile, useSendAudio } from './audio-field.tsx';
import type { MemberValue } from './member-fields.tsx';
import { frReleases } from './releases.fr.ts';
import { type TrackSource, trackBody } from './track-values.ts';
import { namedTracks } from './wav-titles.ts';

const t = frReleases.wavs;

/** A file that becomes a track of this title. */
export interface Wav {
  id: string;
  file: File;
  title: string;
}

/** `onWavs` gets the files in the order of their numbers, and may return why some were refused. */
export function WavDrop({ onWavs }: { onWavs: (wavs: Wav[]) => string[] | Promise<string[]> }) {
  const [refusal, setRefusal] = useState<readonly string[]>([]);
  const take = async (files: readonly File[]) => {
    const reasons = await Promise.all(files.map(refuseFile));
    const refused = files.flatMap(({ name }, i) => (reasons[i] ? [`${name}${fr.common.colon}${reasons[i]}`] : []));
    setRefusal(refused);
    const taken = files.filter((_, i) => reasons[i] === undefined);
    const names = namedTracks(taken.map(({ name }) => name));
    const wavs = taken.map((file, i) => ({ id: newId(), file, order: 0, title: file.name, ...names[i] }));
    const others = await onWavs(wavs.toSorted((a, b) => a.order - b.order || a.title.localeCompare(b.title, 'fr')));
    setRefusal([...refused, ...others]);
  };
  return (
    <Dropzone
      label={t.field}
      accept={audioTypes}
      hint={t.hint}
      error={refusal.join('. ') || undefined}
      onFiles={(files) => void take(files)}
    />
  );
}

/** Adds a track per file and sends its audio. @returns why some were refused */
export function useAddWavs() {
  const sendAudio = useSendAudio();
  return async (release: TrackSource, wavs: readonly Wav[], artists: MemberValue[]) => {
    const refused: string[] = [];
    for (const { id: idempotencyKey, file, title } of wavs) {
      const body = trackBody(release, 'new', { title, artists, contributors: [], musicians: [], editors: [] });
      try {
        const { data } = await api(routes.addTrack, { body, idempotencyKey });
        const reason = await sendAudio({ id: data.id, title, version: null, libraryId: release.id }, file);
        if (reason !== undefined) refused.push(`${title}${fr.common.colon}${reason}`);
      } catch (error) {
        const reason = error instanceof ApiError ? Object.values(error.errors)[0] : undefined;
        refused.push(`${title}${fr.common.colon}${reason ?? errorSentence(error)}`);
      }
    }
    return refused;
  };
}

export function WavList({ wavs, onChange }: { wavs: readonly Wav[]; onChange: (wavs: Wav[]) => void }) {
  return (
    <Box component="ol" mt={12} aria-label={frReleases.tracks.title}>
      {wavs.map((wav, index) => (
        <Group key={wav.id} component="li" gap={8} mb={4} wrap="nowrap">
          <Box component="span" w={24} ta="right" c="var(--ink-2)" className="figures">
            {index + 1}
          </Box>
          <TitleField
            title={wav.title}
            number={index + 1}
            onRename={(title) => onChange(wavs.map((other) => (other === wav ? { ...wav, title } : other)))}
          />
          <IconButton
            icon={IconX}
            label={t.remove(wav.title)}
            onClick={() => onChange(wavs.filter((other) => other !== wav))}
          />
        </Group>
      ))}
    </Box>
  );
}

interface TitleFieldProps {
  title: string;
  number: number;
  onRename: (title: string) => void;
}

/** A title in a list of tracks, renamed when it is left; Enter and Tab lead to the next one. */
export function TitleField({ title, number, onRename }: TitleFieldProps) {
  const [text, setText] = useState(title);
  const [last, setLast] = useState(title);
  if (title !== last) {
    setLast(title);
    setText(title);
  }
  const rename = () => {
    const next = text.trim();
    setText(next || title);
    if (next !== '' && next !== title) onRename(next);
  };
  const onKeyDown = (event: KeyboardEvent<HTMLInputElement>) => {
    const isEnter = event.key === 'Enter' && !event.nativeEvent.isComposing;
    if (!isEnter && (event.key !== 'Tab' || event.shiftKey)) return;
    const field = event.currentTarget;
    const fields = [...(field.closest('ol, table')?.querySelectorAll<HTMLInputElement>('[data-title]') ?? [])];
    const next = fields[fields.indexOf(field) + 1];
    // Enter would submit the form; after the last title, Tab goes on as usual.
    if (isEnter || next) event.preventDefault();
    if (next) next.select();
    else if (isEnter) field.blur();
  };
  return (
    <TextInput
      flex={1}
      miw={0}
      data-title
      aria-label={t.title(number)}
      maxLength={500}
      value={text}
      onChange={(event) => setText(event.currentTarget.value)}
      onBlur={rename}
      onKeyDown={onKeyDown}
    />
  );
}
