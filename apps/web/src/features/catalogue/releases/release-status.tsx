import { Select } from '@mantine/core';
import {
  listOfStatus,
  offeredStatuses,
  qualityReasons,
  type ReleaseStatus,
  releaseLists,
  releaseStatuses,
} from '@regie/contract/releases.ts';
import type { Release } from '@regie/contract/routes/releases.ts';
import { type ReactNode, useRef } from 'react';
import { useCan } from '#src/lib/session.ts';
import { useConfirmation } from '#src/ui/confirmation.tsx';
import { splitQuality, titleByArtist } from './release-labels.ts';
import { frReleases } from './releases.fr.ts';

const t = frReleases.form;

/** Asks before delivering a release that quality control blocks. @param present the stored status */
export function useDeliveryConfirmation(release: Release, present: ReleaseStatus) {
  const { ask, question } = useConfirmation();
  const meant = useRef(false);
  const { blocking } = splitQuality(release.quality);
  return {
    confirm: async (status: ReleaseStatus | undefined): Promise<boolean> => {
      meant.current = false;
      if (status !== 'DELIVRED' || present === 'DELIVRED' || blocking.length === 0) return true;
      meant.current = await ask({
        name: titleByArtist(release),
        consequence: t.deliverConsequence,
        verb: t.deliverVerb,
        isSafe: true,
        children: (
          <ul>
            {blocking.map((reason) => (
              <li key={reason}>{qualityReasons[reason].label}</li>
            ))}
          </ul>
        ),
      });
      return meant.current;
    },
    isMeant: () => meant.current,
    question,
  };
}

const statusLabel = (status: ReleaseStatus): string =>
  status === 'PAID' ? t.statuses.PAID : releaseStatuses[status].label;

interface StatusFieldProps {
  present: ReleaseStatus;
  value: ReleaseStatus;
  onChange: (status: string | null) => void;
  error?: ReactNode;
}

/** The statuses offered and the current one; another list requires its capability too (product §34.2). */
export function StatusField({ present, value, onChange, error }: StatusFieldProps) {
  const can = useCan();
  // OPENED and PENDING have the same label: a reopened release keeps its status.
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
