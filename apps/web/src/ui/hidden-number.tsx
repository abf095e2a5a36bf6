import { Button } from '@mantine/core';
import { useState } from 'react';
import { useAct } from '#src/lib/act.ts';
import { fr } from '#src/lib/fr.ts';
import { Identifier } from './copy-button.tsx';
import classes from './inline.module.css';

interface HiddenNumberProps {
  value: string;
  name: string;
  /** Fetches the complete number; the server journals the access. */
  reveal: () => Promise<string>;
}

export function HiddenNumber({ value, name, reveal }: HiddenNumberProps) {
  const [whole, setWhole] = useState<string>();
  const { act, isBusy, failure } = useAct({ reloads: 'nothing' });
  if (whole !== undefined) return <Identifier value={whole} name={name} />;
  return (
    <span className={classes.identifier}>
      <code>{value}</code>
      <Button
        variant="subtle"
        size="compact-xs"
        loading={isBusy}
        title={fr.common.revealNote}
        aria-label={fr.common.revealNumber(name)}
        onClick={() => act(async () => setWhole(await reveal()))}
      >
        {fr.common.reveal}
      </Button>
      {failure && <span role="alert">{failure}</span>}
    </span>
  );
}
