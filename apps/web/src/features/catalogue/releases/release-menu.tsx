import { Menu, Textarea } from '@mantine/core';
import {
  canTransition,
  listOfStatus,
  type ReleaseTransition,
  releaseLists,
  releaseTransitions,
} from '@regie/contract/releases.ts';
import type { Release } from '@regie/contract/routes/releases.ts';
import { routes } from '@regie/contract/routes.ts';
import { IconArchive, IconArrowBackUp, IconBan, IconTrash } from '@tabler/icons-react';
import { useState } from 'react';
import { api } from '#src/lib/api.ts';
import { useAsked } from '#src/lib/asked.ts';
import { fr } from '#src/lib/fr.ts';
import { useCan } from '#src/lib/session.ts';
import { useUnsavedChanges } from '#src/lib/unsaved-changes.ts';
import { buttonIcon } from '#src/ui/button-icon.tsx';
import { ConfirmModal } from '#src/ui/confirm-modal.tsx';
import { MoreMenu } from '#src/ui/more-menu.tsx';
import { titleByArtist } from './release-labels.ts';
import { frReleases } from './releases.fr.ts';

const t = frReleases.page;
const transitionRoutes = { close: routes.closeRelease, reopen: routes.reopenRelease } as const;

/** Status transitions outside the release's form (product §34.3); another list requires its capability too. */
export function ReleaseMenu({ release, onRemove }: { release: Release; onRemove: () => void }) {
  const can = useCan();
  const { subject: selected, ask, dialog } = useAsked<ReleaseTransition>();
  const { ask: askWithdrawal, dialog: withdrawal } = useAsked<void>();
  // The input is kept when the dialog is opened again.
  const [typed, setTyped] = useState<string>();
  const note = typed ?? release.note ?? '';
  useUnsavedChanges(withdrawal.isOpen && typed !== undefined);
  const name = titleByArtist(release);

  const allows = (move: ReleaseTransition) =>
    canTransition(release.status, move) && can(releaseLists[listOfStatus(releaseTransitions[move].to)].edit);
  const canWithdraw = release.status !== 'CANCEL' && release.status !== 'DRAFT' && can(releaseLists.unpublished.edit);
  return (
    <>
      <MoreMenu label={t.more}>
        {(['close', 'reopen'] as const).filter(allows).map((move) => (
          <Menu.Item
            key={move}
            leftSection={buttonIcon(move === 'close' ? IconArchive : IconArrowBackUp)}
            onClick={() => ask(move)}
          >
            {t[move]}
          </Menu.Item>
        ))}
        {canWithdraw && (
          <Menu.Item leftSection={buttonIcon(IconBan)} onClick={() => askWithdrawal()}>
            {t.withdraw}
          </Menu.Item>
        )}
        <Menu.Item leftSection={buttonIcon(IconTrash)} onClick={onRemove}>
          {fr.common.remove}
        </Menu.Item>
      </MoreMenu>
      {selected && (
        <ConfirmModal
          {...dialog}
          name={name}
          consequence={t.moveConsequence[selected]}
          verb={t.moveVerb[selected]}
          isSafe
          onConfirm={() => api(transitionRoutes[selected], { params: { id: release.id } })}
        />
      )}
      <ConfirmModal
        {...withdrawal}
        name={name}
        consequence={[
          t.withdrawConsequence,
          ...(release.smartlinks.length > 0 ? [t.withdrawSmartlinks(release.smartlinks)] : []),
        ].join(' ')}
        verb={t.withdrawVerb}
        isLoading={note.trim() === ''}
        onConfirm={async () => {
          const answer = await api(routes.withdrawRelease, { params: { id: release.id }, body: { note } });
          setTyped(undefined);
          return answer;
        }}
      >
        <Textarea
          label={t.withdrawNote}
          required
          minRows={2}
          maxRows={8}
          maxLength={5000}
          value={note}
          onChange={(event) => setTyped(event.currentTarget.value)}
        />
      </ConfirmModal>
    </>
  );
}
