import type { CandidateGround } from '@regie/contract/unmatched.ts';

/**
 * Whether the first of these tracks, the likeliest first, may be accepted unseen: nothing speaks as much for a track of
 * another account. An ISRC that two accounts hold says nothing by itself.
 */
export function isClear(candidates: readonly { ground: CandidateGround; userId: number }[]): boolean {
  const [first] = candidates;
  if (!first || first.ground === 'isrc') return false;
  return candidates.every(({ ground, userId }) => ground !== first.ground || userId === first.userId);
}
