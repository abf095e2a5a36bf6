import { frEntry as fr } from '#src/lib/entry.fr.ts';

export function Mark({ size, isAnimated = false }: { size: number; isAnimated?: boolean }) {
  const fader = (n: number) => (isAnimated ? `splash-fader splash-fader-${n}` : 'mark-fader');
  return (
    <svg viewBox="0 0 64 64" width={size} height={size} aria-hidden="true" className="splash-mark">
      <rect className="splash-square" width="64" height="64" rx="15" />
      <g className="splash-track">
        <path d="M18 14v36M32 14v36M46 14v36" />
      </g>
      <rect className={fader(1)} x="12" y="31" width="12" height="8" rx="2.5" />
      <rect className={fader(2)} x="26" y="19" width="12" height="8" rx="2.5" />
      <rect className={fader(3)} x="40" y="37" width="12" height="8" rx="2.5" />
    </svg>
  );
}

/** Shown during the session check; index.html draws the same before any script. */
export function Splash() {
  return (
    <div className="splash" role="status" aria-label={fr.common.loadingApp}>
      <Mark size={72} isAnimated />
    </div>
  );
}
