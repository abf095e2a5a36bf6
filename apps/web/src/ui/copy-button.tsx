import { ActionIcon, CopyButton as MantineCopyButton, Tooltip } from '@mantine/core';
import { IconCheck, IconCopy } from '@tabler/icons-react';
import { fr } from '#src/fr.ts';
import classes from './bits.module.css';

/** An identifier in monospace; the copy button shows on hover and focus. */
export function Identifier({ value, name }: { value: string; name: string }) {
  return (
    <span className={classes.identifier}>
      <code>{value}</code>
      <MantineCopyButton value={value}>
        {({ copied, copy }) => (
          <Tooltip label={copied ? fr.common.copied : fr.common.copy(name)}>
            <ActionIcon
              variant="subtle"
              color="gray"
              size={24}
              className={classes.copy}
              aria-label={copied ? fr.common.copied : fr.common.copy(`${name} ${value}`)}
              onClick={copy}
            >
              {copied ? <IconCheck size={14} stroke={2} /> : <IconCopy size={14} stroke={1.8} />}
            </ActionIcon>
          </Tooltip>
        )}
      </MantineCopyButton>
    </span>
  );
}
