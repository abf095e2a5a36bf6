import { Button, Textarea } from '@mantine/core';
import { canMove, listOfStatus, type ReleaseMove, releaseLists, releaseMoves } from '@regie/contract/releases.ts';
import type { Release } from '@regie/contract/routes/releases.ts';
import { routes } from '@regie/contract/routes.ts';
import { IconArchive, IconArrowBackUp, IconBan } from '@tabler/icons-react';
import { useState } from 'react';
import { fr } from '#src/fr.ts';
import { api } from '#src/lib/api.ts';
import { flashSuccess } from '#src/lib/flash.ts';
import { useHeldWork } from '#src/lib/held-work.ts';
import { useCan } from '#src/lib/session.ts';
import { ConfirmModal } from '#src/ui/confirm-modal.tsx';
import { artistOf, fullTitle } from './release-words.ts';

const t = fr.releases.page;
const moveRoutes = { close: routes.closeRelease, reopen: routes.reopenRelease } as const;
const moveIcons = { close: IconArchive, reopen: IconArrowBackUp } as const;

/** Where a release goes beside what its form offers (decisions §4); a move to another list needs its right too. */
export function ReleaseMoves({ release }: { release: Release }) {
  const can = useCan();
  const [asked, setAsked] = useState<ReleaseMove>();
  const [isAsking, setIsAsking] = useState(false);
  const [isWithdrawing, setIsWithdrawing] = useState(false);
  const [note, setNote] = useState('');
  useHeldWork(isWithdrawing && note !== (release.note ?? ''));
  const artist = artistOf(release);
  const name = artist ? `${fullTitle(release)}, ${t.by(artist)}` : fullTitle(release);

  const moves = (['reopen', 'close'] as const).filter(
    (move) => canMove(release.status, move) && can(releaseLists[listOfStatus(releaseMoves[move].to)].edit),
  );
  const canWithdraw = release.status !== 'CANCEL' && release.status !== 'DRAFT' && can(releaseLists.unpublished.edit);
  return (
    <>
      {moves.map((move) => {
        const Icon = moveIcons[move];
        return (
          <Button
            key={move}
            variant="default"
            leftSection={<Icon size={16} stroke={1.8} aria-hidden />}
            onClick={() => {
              setAsked(move);
              setIsAsking(true);
            }}
          >
            {t[move]}
          </Button>
        );
      })}
      {canWithdraw && (
        <Button
          variant="default"
          leftSection={<IconBan size={16} stroke={1.8} aria-hidden />}
          onClick={() => {
            setNote(release.note ?? '');
            setIsWithdrawing(true);
          }}
        >
          {t.withdraw}
        </Button>
      )}
      {asked && (
        <ConfirmModal
          isOpen={isAsking}
          onClose={() => setIsAsking(false)}
          name={name}
          consequence={t.moveConsequence[asked]}
          verb={t.moveVerb[asked]}
          onConfirm={async () => {
            const { message } = await api(moveRoutes[asked], { params: { id: release.id } });
            flashSuccess(message);
          }}
        />
      )}
      <ConfirmModal
        isOpen={isWithdrawing}
        onClose={() => setIsWithdrawing(false)}
        name={name}
        consequence={t.withdrawConsequence}
        verb={t.withdrawVerb}
        isLoading={note.trim() === ''}
        onConfirm={async () => {
          const { message } = await api(routes.withdrawRelease, { params: { id: release.id }, body: { note } });
          flashSuccess(message);
        }}
      >
        <Textarea
          label={t.withdrawNote}
          required
          autosize
          minRows={2}
          maxRows={8}
          maxLength={5000}
          value={note}
          onChange={(event) => setNote(event.currentTarget.value)}
        />
      </ConfirmModal>
    </>
  );
}
