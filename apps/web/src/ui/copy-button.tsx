import { useClipboard } from '@mantine/hooks';
import { IconCheck, IconCopy } from '@tabler/icons-react';
import type { ReactNode } from 'react';
import { fr } from '#src/lib/fr.ts';
import classes from './inline.module.css';

/** `children`, a link, show the value. The copy button shows on hover and focus. Lists render one per row, so it is kept light. */
export function Identifier({ value, name, children = value }: { value: string; name: string; children?: ReactNode }) {
  const { copied, copy } = useClipboard();
  return (
    <span className={classes.identifier}>
      <code>{children}</code>
      <button
        type="button"
        className={classes.copy}
        title={copied ? fr.common.copied : fr.common.copy(name)}
        aria-label={copied ? fr.common.copied : fr.common.copy(`${name} ${value}`)}
        onClick={() => copy(value)}
      >
        {copied ? <IconCheck size={14} stroke={2} aria-hidden /> : <IconCopy size={14} stroke={1.8} aria-hidden />}
      </button>
    </span>
  );
}
