import { Button, Group, Loader, Select, Stack } from '@mantine/core';
import type { NextIsrc, ToolTrack } from '@regie/contract/routes/tools.ts';
import { routes } from '@regie/contract/routes.ts';
import { maxAssigned } from '@regie/contract/tools.ts';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { paths } from '#src/app/paths.ts';
import { nextIsrcsQuery } from '#src/domain/tracks/next-isrcs.ts';
import { useAct } from '#src/lib/act.ts';
import { api, errorSentence } from '#src/lib/api.ts';
import { flashSuccess } from '#src/lib/flash.ts';
import { formatInteger, plural } from '#src/lib/formats.ts';
import { fr } from '#src/lib/fr.ts';
import { useCan } from '#src/lib/session.ts';
import { useUnsavedChanges } from '#src/lib/unsaved-changes.ts';
import { Message, Notice } from '#src/ui/alerts.tsx';
import { Identifier } from '#src/ui/copy-button.tsx';
import { CancelButton, Dialog } from '#src/ui/dialog.tsx';
import { LinkButton } from '#src/ui/link-button.tsx';
import shared from '#src/ui/shared.module.css';
import { frTools } from './tools.fr.ts';
import classes from './tools.module.css';

const t = frTools.assign;

/** The next free ISRC of each of the house's prefixes, to copy. */
export function NextIsrcs() {
  const { data } = useQuery(nextIsrcsQuery);
  const free = data?.flatMap(({ next }) => (next === null ? [] : [next])) ?? [];
  if (data && free.length === 0) return null;
  return (
    <p className={classes.nextIsrcs} aria-busy={!data}>
      {frTools.empty.nextIsrcs}
      {free.map((isrc) => (
        <Identifier key={isrc} value={isrc} name={frTools.empty.nextIsrc} />
      ))}
    </p>
  );
}

interface AssignModalProps {
  tracks: readonly ToolTrack[];
  isOpen: boolean;
  onClose: () => void;
  onDone?: () => void;
}

/** Assigns the next free ISRCs to tracks without one, in their order. */
export function AssignModal({ tracks, isOpen, onClose, onDone }: AssignModalProps) {
  // The rows selected for it.
  useUnsavedChanges(isOpen, false);
  return (
    <Dialog isOpen={isOpen} onClose={onClose} title={t.title} size="md">
      {isOpen && <Assign tracks={tracks} onClose={onClose} onDone={onDone} />}
    </Dialog>
  );
}

function Assign({ tracks, onClose, onDone }: Omit<AssignModalProps, 'isOpen'>) {
  const can = useCan();
  const nextIsrcs = useQuery({ ...nextIsrcsQuery, staleTime: 0, gcTime: 0 });
  if (tracks.length > maxAssigned) return <Notice tone="error">{t.tooMany(formatInteger(maxAssigned))}</Notice>;
  if (nextIsrcs.isError) {
    return (
      <Stack gap="sm">
        <Notice tone="error">{errorSentence(nextIsrcs.error)}</Notice>
        <Group>
          <Button variant="default" onClick={() => void nextIsrcs.refetch()}>
            {fr.common.retry}
          </Button>
        </Group>
      </Stack>
    );
  }
  if (!nextIsrcs.data) {
    return (
      <Group gap="sm" role="status">
        <Loader size="sm" aria-hidden /> {fr.common.loading}
      </Group>
    );
  }
  if (nextIsrcs.data.length === 0) {
    return (
      <Stack gap="sm">
        <Notice tone="info">{can('manage_settings') ? t.noPrefix : t.noPrefixToAsk}</Notice>
        {can('manage_settings') && (
          <Group>
            <LinkButton to={paths.settings} variant="default">
              {t.settings}
            </LinkButton>
          </Group>
        )}
      </Stack>
    );
  }
  return <AssignForm tracks={tracks} prefixes={nextIsrcs.data} onClose={onClose} onDone={onDone} />;
}

/** The ISRC some numbers after another one. */
const after = (isrc: string, count: number) =>
  isrc.slice(0, 7) + String(Number(isrc.slice(7)) + count).padStart(5, '0');

interface AssignFormProps extends Omit<AssignModalProps, 'isOpen'> {
  prefixes: readonly NextIsrc[];
}

function AssignForm({ tracks, prefixes, onClose, onDone }: AssignFormProps) {
  const [offered] = useState(prefixes.find(({ next }) => next !== null)?.prefix ?? prefixes[0]?.prefix);
  const [prefix, setPrefix] = useState(offered);
  const { act, isBusy, failure, setFailure } = useAct();
  useUnsavedChanges(prefix !== offered);
  const chosen = prefixes.find((one) => one.prefix === prefix);
  const isEnough = chosen !== undefined && chosen.left >= tracks.length;
  const count = plural(tracks.length, frTools.track, frTools.tracks);
  const assign = () => {
    const body = { trackIds: tracks.map(({ trackId }) => trackId), prefix };
    act(async ({ idempotencyKey }) => {
      const { data, message } = await api(routes.assignIsrcs, { body, idempotencyKey });
      flashSuccess(t.done(message, data.assigned[0]?.isrc ?? '', data.assigned.at(-1)?.isrc ?? ''));
      onClose();
      onDone?.();
    }, body);
  };
  return (
    <Stack gap="sm">
      <Message tone="error" text={failure} onDismiss={setFailure} />
      {prefixes.length > 1 && (
        <Select
          label={t.prefix}
          data={prefixes.map((one) => one.prefix)}
          value={prefix ?? null}
          allowDeselect={false}
          onChange={(value) => setPrefix(value ?? undefined)}
        />
      )}
      {chosen?.next && isEnough ? (
        <>
          <p>{t.range(count, chosen.next, after(chosen.next, tracks.length - 1))}</p>
          <p className={shared.note}>{t.hint}</p>
        </>
      ) : (
        <Notice tone="error">{t.full(prefix ?? '', plural(chosen?.left ?? 0, t.left, t.lefts))}</Notice>
      )}
      <Group justify="flex-end" gap="sm">
        <CancelButton disabled={isBusy} />
        <Button onClick={assign} loading={isBusy} disabled={!isEnough} data-autofocus>
          {t.submit(plural(tracks.length, t.code, t.code))}
        </Button>
      </Group>
    </Stack>
  );
}
