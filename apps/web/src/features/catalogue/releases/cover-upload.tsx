import { Box, Button, Group, Progress, Stack } from '@mantine/core';
import { coverMaxBytes, coverProblem } from '@regie/contract/covers.ts';
import { messages } from '@regie/contract/messages.ts';
import { anyEditLibraries, anyReadLibraries } from '@regie/contract/releases.ts';
import { routes } from '@regie/contract/routes.ts';
import { IconDownload, IconPhotoUp } from '@tabler/icons-react';
import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import { ApiError, apiUpload, buildPath, errorSentence, isAbort } from '#src/lib/api.ts';
import { flashSuccess } from '#src/lib/flash.ts';
import { formatPercent } from '#src/lib/formats.ts';
import { fr } from '#src/lib/fr.ts';
import { useCan } from '#src/lib/session.ts';
import { useUnsavedChanges } from '#src/lib/unsaved-changes.ts';
import { Notice } from '#src/ui/alerts.tsx';
import { buttonIcon } from '#src/ui/button-icon.tsx';
import { Dialog } from '#src/ui/dialog.tsx';
import { Dropzone } from '#src/ui/dropzone.tsx';
import shared from '#src/ui/shared.module.css';
import classes from './cover.module.css';
import { Cover, hasCover } from './cover.tsx';
import { frReleases } from './releases.fr.ts';

const t = frReleases.cover;

type State =
  | { kind: 'idle'; problem?: string; note?: string }
  | { kind: 'sending'; file: File; preview: string; sentBytes: number }
  | { kind: 'failed'; file: File; preview: string; problem: string };

/** The sentence that refuses a file before upload; the server checks more. */
async function findProblem(file: File): Promise<string | undefined> {
  if (file.size > coverMaxBytes) return messages.coverTooLarge;
  try {
    return coverProblem(new Uint8Array(await file.arrayBuffer()), messages);
  } catch {
    return t.unreadable;
  }
}

interface CoverUploadProps {
  releaseId: number;
  onReplaced: (answer: { coverDetails: string; message: string }) => void;
}

/** Takes, previews and uploads a cover; after a network error the file can be sent again. */
function CoverUpload({ releaseId, onReplaced }: CoverUploadProps) {
  const [state, setState] = useState<State>({ kind: 'idle' });
  const queryClient = useQueryClient();
  const sending = useRef<AbortController>(undefined);
  const preview = state.kind === 'idle' ? undefined : state.preview;
  useEffect(() => () => sending.current?.abort(), []);
  useUnsavedChanges(state.kind !== 'idle');
  useEffect(
    () => () => {
      if (preview !== undefined) URL.revokeObjectURL(preview);
    },
    [preview],
  );

  const send = async (file: File, shown: string) => {
    const controller = new AbortController();
    sending.current = controller;
    setState({ kind: 'sending', file, preview: shown, sentBytes: 0 });
    try {
      const { data, message } = await apiUpload(routes.replaceCover, {
        params: { id: releaseId },
        file,
        fileName: file.name,
        signal: controller.signal,
        onProgress: (sentBytes) => setState({ kind: 'sending', file, preview: shown, sentBytes }),
      });
      setState({ kind: 'idle' });
      onReplaced({ coverDetails: data.coverDetails, message });
      await Promise.all([
        queryClient.invalidateQueries({ queryKey: ['release', releaseId] }),
        queryClient.invalidateQueries({ queryKey: ['list'] }),
      ]);
    } catch (error) {
      if (isAbort(error)) return setState({ kind: 'idle', note: t.cancelled });
      const refusal = error instanceof ApiError ? error.errors.cover : undefined;
      // The server would refuse the same image again: another one is needed.
      if (refusal !== undefined) return setState({ kind: 'idle', problem: refusal });
      setState({ kind: 'failed', file, preview: shown, problem: errorSentence(error) });
    }
  };
  const choose = async (file: File) => {
    const problem = await findProblem(file);
    if (problem !== undefined) return setState({ kind: 'idle', problem });
    await send(file, URL.createObjectURL(file));
  };

  if (state.kind === 'idle') {
    return (
      <Stack gap={12}>
        {state.note && (
          <Notice tone="info" isMessage>
            {state.note}
          </Notice>
        )}
        <Dropzone
          label={t.field}
          accept=".png,.jpg,.jpeg,image/png,image/jpeg"
          hint={t.hint}
          error={state.problem}
          onFile={(file) => void choose(file)}
        />
      </Stack>
    );
  }
  const { file } = state;
  return (
    <Stack gap={12}>
      {state.kind === 'failed' && (
        <Notice tone="error" isMessage>
          {state.problem}
        </Notice>
      )}
      <Group gap={16}>
        <img className={classes.preview} src={state.preview} width={120} height={120} alt={t.preview(file.name)} />
        {state.kind === 'sending' ? (
          <Sending file={file} sentBytes={state.sentBytes} onCancel={() => sending.current?.abort()} />
        ) : (
          <Stack flex="1 1 240px" gap={8} miw={0}>
            <Group component="p" justify="space-between" gap={12} fz={13} wrap="nowrap">
              <Box component="span" miw={0} className={shared.cut}>
                {file.name}
              </Box>
            </Group>
            <Group gap={16}>
              <Button onClick={() => void send(file, state.preview)}>{fr.common.retry}</Button>
              <Button variant="default" onClick={() => setState({ kind: 'idle' })}>
                {t.other}
              </Button>
            </Group>
          </Stack>
        )}
      </Group>
    </Stack>
  );
}

function Sending({ file, sentBytes, onCancel }: { file: File; sentBytes: number; onCancel: () => void }) {
  const share = file.size === 0 ? 1 : sentBytes / file.size;
  const isSent = share >= 1;
  return (
    <Stack flex="1 1 240px" gap={8} miw={0}>
      <Group component="p" justify="space-between" gap={12} fz={13} wrap="nowrap">
        <Box component="span" miw={0} className={shared.cut}>
          {file.name}
        </Box>
        <span className={`${shared.muted} figures`} role="status">
          {isSent ? t.checking : formatPercent(Math.floor(share * 100))}
        </span>
      </Group>
      <Progress value={share * 100} animated={isSent} aria-label={t.sending} />
      <div>
        <Button variant="default" size="compact-sm" onClick={onCancel}>
          {t.cancel}
        </Button>
      </div>
    </Stack>
  );
}

interface WithCover {
  id: number;
  title: string;
  coverDetails: string;
}

function DownloadCover({ release }: { release: WithCover }) {
  const can = useCan();
  if (!hasCover(release) || ![...anyReadLibraries, ...anyEditLibraries].some(can)) return null;
  return (
    <Button
      component="a"
      href={`/api${buildPath(routes.downloadCover.path, { id: release.id })}`}
      download
      variant="default"
      size="compact-sm"
      leftSection={buttonIcon(IconDownload, 15)}
    >
      {t.download}
    </Button>
  );
}

/** Opens the dialog that adds or replaces the cover. */
export function CoverButton({ release }: { release: WithCover }) {
  const [isOpen, setIsOpen] = useState(false);
  const close = () => setIsOpen(false);
  const label = hasCover(release) ? t.replace : t.add;
  return (
    <>
      <Button
        variant="default"
        size="compact-sm"
        leftSection={buttonIcon(IconPhotoUp, 15)}
        onClick={() => setIsOpen(true)}
      >
        {label}
      </Button>
      <Dialog isOpen={isOpen} onClose={close} title={label} size="lg">
        <CoverUpload
          releaseId={release.id}
          onReplaced={({ message }) => {
            close();
            flashSuccess(message);
          }}
        />
      </Dialog>
    </>
  );
}

/** The cover beside a release, with its actions; a missing one is among what is to do. */
export function HeroCover({ release }: { release: WithCover & { canEdit: boolean } }) {
  return (
    <Stack gap={10} align="flex-start" flex="none">
      <Cover release={release} size="hero" />
      {hasCover(release) && (
        <Stack gap={6} align="flex-start">
          <DownloadCover release={release} />
          {release.canEdit && <CoverButton release={release} />}
        </Stack>
      )}
    </Stack>
  );
}

/** The cover on the edit page: saved on its own, when uploaded. */
export function CoverEditor({ release }: { release: WithCover }) {
  const [coverDetails, setCoverDetails] = useState(release.coverDetails);
  const shown = { ...release, coverDetails };
  return (
    <div className={classes.editing}>
      <Stack gap={10} align="flex-start" flex="none">
        <Cover release={shown} size="hero" />
        <DownloadCover release={shown} />
      </Stack>
      <CoverUpload
        releaseId={release.id}
        onReplaced={(answer) => {
          setCoverDetails(answer.coverDetails);
          flashSuccess(answer.message);
        }}
      />
    </div>
  );
}
