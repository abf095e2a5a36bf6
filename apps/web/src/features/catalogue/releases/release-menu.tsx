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
import { type ReactNode, useState } from 'react';
import { api } from '#src/lib/api.ts';
import { useAsked } from '#src/lib/asked.ts';
import { useCan } from '#src/lib/session.ts';
import { useUnsavedChanges } from '#src/lib/unsaved-changes.ts';
import { buttonIcon } from '#src/ui/button-icon.tsx';
import { ConfirmModal } from '#src/ui/confirm-modal.tsx';
import { MoreMenu } from '#src/ui/more-menu.tsx';
import { artistOf, fullTitle } from './release-labels.ts';
import { frReleases } from './releases.fr.ts';

const t = frReleases.page;
const transitionRoutes = { close: routes.closeRelease, reopen: routes.reopenRelease } as const;

/**
 * The "…" menu of a release: status transitions outside its form (product §34.3), where a move to another list requires
 * its capability too, and its removal.
 */
export function ReleaseMenu({
  release,
  onRemove,
  children,
}: {
  release: Release;
  onRemove: () => void;
  /** What the page adds before them. */
  children: ReactNode;
}) {
  const can = useCan();
  const { subject: selected, ask, dialog } = useAsked<ReleaseTransition>();
  const [isWithdrawing, setIsWithdrawing] = useState(false);
  // The input is kept when the dialog is opened again.
  const [typed, setTyped] = useState<string>();
  const note = typed ?? release.note ?? '';
  useUnsavedChanges(isWithdrawing && typed !== undefined);
  const artist = artistOf(release);
  const name = artist ? `${fullTitle(release)}, ${t.by(artist)}` : fullTitle(release);

  const allows = (move: ReleaseTransition) =>
    canTransition(release.status, move) && can(releaseLists[listOfStatus(releaseTransitions[move].to)].edit);
  const canWithdraw = release.status !== 'CANCEL' && release.status !== 'DRAFT' && can(releaseLists.unpublished.edit);
  return (
    <>
      <MoreMenu label={t.more}>
        {children}
        {allows('close') && (
          <Menu.Item leftSection={buttonIcon(IconArchive)} onClick={() => ask('close')}>
            {t.close}
          </Menu.Item>
        )}
        {allows('reopen') && (
          <Menu.Item leftSection={buttonIcon(IconArrowBackUp)} onClick={() => ask('reopen')}>
            {t.reopen}
          </Menu.Item>
        )}
        {canWithdraw && (
          <Menu.Item leftSection={buttonIcon(IconBan)} onClick={() => setIsWithdrawing(true)}>
            {t.withdraw}
          </Menu.Item>
        )}
        <Menu.Item c="var(--negative)" leftSection={buttonIcon(IconTrash)} onClick={onRemove}>
          {t.remove}
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
        isOpen={isWithdrawing}
        onClose={() => setIsWithdrawing(false)}
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
