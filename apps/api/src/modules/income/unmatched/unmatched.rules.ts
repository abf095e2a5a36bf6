import type { CandidateGround } from '@regie/contract/unmatched.ts';

/**
 * Whether the first candidate may be accepted without review: no track of another account has an equally strong ground.
 * An ISRC held by two accounts is no ground.
 */
export function isClear(candidates: readonly { ground: CandidateGround; userId: number }[]): boolean {
  const [first] = candidates;
  if (!first || first.ground === 'isrc') return false;
  return candidates.every(({ ground, userId }) => ground !== first.ground || userId === first.userId);
}
