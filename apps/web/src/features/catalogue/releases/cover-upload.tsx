import { Box, Button, Group, Image, Progress, Stack } from '@mantine/core';
import { coverMaxBytes, coverProblem } from '@regie/contract/covers.ts';
import { messages } from '@regie/contract/messages.ts';
import { anyEditLibraries, anyReadLibraries } from '@regie/contract/releases.ts';
import { routes } from '@regie/contract/routes.ts';
import { formatPercent } from '@regie/values/formats.ts';
import { IconDownload, IconPhotoUp } from '@tabler/icons-react';
import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import { Cover, hasCover } from '#src/domain/cover.tsx';
import { ApiError, apiUpload, buildPath, errorSentence, isAbort } from '#src/lib/api.ts';
import { useAsked } from '#src/lib/asked.ts';
import { flashSuccess } from '#src/lib/flash.ts';
import { fr } from '#src/lib/fr.ts';
import { useCan } from '#src/lib/session.ts';
import { useUnsavedChanges } from '#src/lib/unsaved-changes.ts';
import { Message } from '#src/ui/alerts.tsx';
import { buttonIcon } from '#src/ui/button-icon.tsx';
import { Dialog } from '#src/ui/dialog.tsx';
import { Dropzone } from '#src/ui/dropzone.tsx';
import shared from '#src/ui/shared.module.css';
import { SmallButton } from '#src/ui/small-button.tsx';
import { frReleases } from './releases.fr.ts';

const t = frReleases.cover;

/** Without a file, one is to be chosen; it is being sent while `sentBytes` is there, and can be sent again after that. */
interface State {
  file?: File;
  preview?: string;
  sentBytes?: number;
  problem?: string;
  note?: string;
}

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

function CoverUpload({ releaseId, onReplaced }: CoverUploadProps) {
  const [state, setState] = useState<State>({});
  const queryClient = useQueryClient();
  const sending = useRef<AbortController>(undefined);
  const { file, preview, sentBytes, problem, note } = state;
  useEffect(() => () => sending.current?.abort(), []);
  useUnsavedChanges(file !== undefined);
  useEffect(
    () => () => {
      if (preview !== undefined) URL.revokeObjectURL(preview);
    },
    [preview],
  );

  const send = async (chosen: { file: File; preview: string }) => {
    const controller = new AbortController();
    sending.current = controller;
    setState({ ...chosen, sentBytes: 0 });
    try {
      const { data, message } = await apiUpload(routes.replaceCover, {
        params: { id: releaseId },
        file: chosen.file,
        fileName: chosen.file.name,
        signal: controller.signal,
        onProgress: (bytes) => setState({ ...chosen, sentBytes: bytes }),
      });
      setState({});
      onReplaced({ coverDetails: data.coverDetails, message });
      await Promise.all([
        queryClient.invalidateQueries({ queryKey: ['release', releaseId] }),
        queryClient.invalidateQueries({ queryKey: ['list'] }),
      ]);
    } catch (error) {
      if (isAbort(error)) return setState({ note: t.cancelled });
      const refusal = error instanceof ApiError ? error.errors.cover : undefined;
      // The server would refuse the same image again: another one is needed.
      setState(refusal === undefined ? { ...chosen, problem: errorSentence(error) } : { problem: refusal });
    }
  };
  const choose = async (chosen: File) => {
    const refusal = await findProblem(chosen);
    if (refusal !== undefined) return setState({ problem: refusal });
    await send({ file: chosen, preview: URL.createObjectURL(chosen) });
  };

  if (file === undefined || preview === undefined) {
    return (
      <Stack gap={12}>
        <Message tone="note" text={note} />
        <Dropzone
          label={t.field}
          accept=".png,.jpg,.jpeg,image/png,image/jpeg"
          hint={t.hint}
          error={problem}
          onFile={(chosen) => void choose(chosen)}
        />
      </Stack>
    );
  }
  const share = sentBytes === undefined || file.size === 0 ? 1 : sentBytes / file.size;
  return (
    <Stack gap={12}>
      <Message text={problem} />
      <Group gap={16}>
        <Image flex="none" src={preview} w={120} h={120} radius={10} alt={t.preview(file.name)} />
        <Stack flex="1 1 240px" gap={8} miw={0} align="flex-start">
          <Group component="p" w="100%" justify="space-between" gap={12} fz={13} wrap="nowrap">
            <Box component="span" miw={0} className={shared.cut}>
              {file.name}
            </Box>
            {sentBytes !== undefined && (
              <span className={`${shared.muted} figures`} role="status">
                {share >= 1 ? t.checking : formatPercent(Math.floor(share * 100))}
              </span>
            )}
          </Group>
          {sentBytes === undefined ? (
            <Group gap={16}>
              <Button onClick={() => void send({ file, preview })}>{fr.common.retry}</Button>
              <Button variant="default" onClick={() => setState({})}>
                {t.other}
              </Button>
            </Group>
          ) : (
            <>
              <Progress w="100%" value={share * 100} animated={share >= 1} aria-label={t.sending} />
              <SmallButton onClick={() => sending.current?.abort()}>{t.cancel}</SmallButton>
            </>
          )}
        </Stack>
      </Group>
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

export function CoverButton({ release }: { release: WithCover }) {
  const { ask, dialog } = useAsked<void>();
  const label = hasCover(release) ? t.replace : t.add;
  return (
    <>
      <SmallButton icon={IconPhotoUp} onClick={() => ask()}>
        {label}
      </SmallButton>
      <Dialog {...dialog} title={label} size="lg">
        <CoverUpload
          releaseId={release.id}
          onReplaced={({ message }) => {
            dialog.onClose();
            flashSuccess(message);
          }}
        />
      </Dialog>
    </>
  );
}

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

export function CoverEditor({ release }: { release: WithCover }) {
  const [coverDetails, setCoverDetails] = useState(release.coverDetails);
  const shown = { ...release, coverDetails };
  return (
    <Group align="flex-start" gap={24} maw={760}>
      <Stack gap={10} align="flex-start" flex="none">
        <Cover release={shown} size="hero" />
        <DownloadCover release={shown} />
      </Stack>
      <Box flex="1 1 300px" miw={0}>
        <CoverUpload
          releaseId={release.id}
          onReplaced={(answer) => {
            setCoverDetails(answer.coverDetails);
            flashSuccess(answer.message);
          }}
        />
      </Box>
    </Group>
  );
}
