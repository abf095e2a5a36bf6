import { Box, Group, Stack } from '@mantine/core';
import { Fragment, type ReactNode } from 'react';
import { fr } from '#src/lib/fr.ts';
import shared from '#src/ui/shared.module.css';
import classes from './record-page.module.css';

export function RecordPage({ header, children, side }: { header: ReactNode; children: ReactNode; side?: ReactNode }) {
  return (
    <div data-record className={classes.record}>
      {header}
      <div className={classes.columns} data-side={side !== undefined || undefined}>
        <Stack gap={32} miw={0}>
          {children}
        </Stack>
        {side && (
          <Stack component="aside" gap={24} miw={0} className={classes.side} aria-label={fr.common.facts}>
            {side}
          </Stack>
        )}
      </div>
    </div>
  );
}

interface SectionProps {
  id?: string;
  title: string;
  actions?: ReactNode;
  children: ReactNode;
}

export function Section({ id, title, actions, children }: SectionProps) {
  return (
    <section id={id}>
      <Group justify="space-between" gap="8px 16px" mb={12}>
        <Box component="h2" miw={0} fz={16} fw={620} className={shared.wrap}>
          {title}
        </Box>
        {actions}
      </Group>
      {children}
    </section>
  );
}

export interface Fact {
  label: string;
  value: ReactNode;
}

export const hasValue = ({ value }: Fact): boolean =>
  value !== '' && value !== false && (value ?? undefined) !== undefined;

/** An e-mail address breaks before its @ and its dots. */
function breakAddress(text: string): ReactNode {
  if (!text.includes('@')) return text;
  return text.split(/(?=[@.])/).map((part, i) => (
    // biome-ignore lint/suspicious/noArrayIndexKey: the parts of a text never move
    <Fragment key={i}>
      {i > 0 && <wbr />}
      {part}
    </Fragment>
  ));
}

/** `title` makes a section of them. Left out: false, and facts without a value. */
export function Facts({ title, facts }: { title?: string; facts: readonly (Fact | false)[] }) {
  const list = (
    <dl className={`${shared.facts} ${classes.facts}`}>
      {facts
        .filter((fact): fact is Fact => fact !== false && hasValue(fact))
        .map(({ label, value }) => (
          <div key={label}>
            <dt>{label}</dt>
            <dd>{typeof value === 'string' ? breakAddress(value) : value}</dd>
          </div>
        ))}
    </dl>
  );
  return title === undefined ? list : <Section title={title}>{list}</Section>;
}
