import { Button } from '@mantine/core';
import { useState } from 'react';
import { errorSentence } from '#src/lib/api.ts';
import { fr } from '#src/lib/fr.ts';
import { Identifier } from './copy-button.tsx';
import classes from './inline.module.css';

interface HiddenNumberProps {
  /** The masked number: the last characters. */
  value: string;
  name: string;
  /** Fetches the complete number; the server journals the access. */
  reveal: () => Promise<string>;
}

/** A masked number; a button fetches the complete one. */
export function HiddenNumber({ value, name, reveal }: HiddenNumberProps) {
  const [whole, setWhole] = useState<string>();
  const [isFetching, setIsFetching] = useState(false);
  const [problem, setProblem] = useState<string>();
  if (whole !== undefined) return <Identifier value={whole} name={name} />;
  const show = async () => {
    setIsFetching(true);
    setProblem(undefined);
    try {
      setWhole(await reveal());
    } catch (error) {
      setProblem(errorSentence(error));
    } finally {
      setIsFetching(false);
    }
  };
  return (
    <span className={classes.identifier}>
      <code>{value}</code>
      <Button
        variant="subtle"
        size="compact-xs"
        loading={isFetching}
        title={fr.common.revealNote}
        aria-label={fr.common.revealNumber(name)}
        onClick={() => void show()}
      >
        {fr.common.reveal}
      </Button>
      {problem && <span role="alert">{problem}</span>}
    </span>
  );
}
