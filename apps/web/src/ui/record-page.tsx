import { Box, Group, Stack } from '@mantine/core';
import { useMatches } from '@tanstack/react-router';
import { Fragment, type ReactNode, startTransition, useEffect, useState } from 'react';
import { afterPaint } from '#src/lib/after-paint.ts';
import { fr } from '#src/lib/fr.ts';
import { usePageLocation } from '#src/lib/page-location.ts';
import { type ListTab, Tabs } from '#src/ui/list/list-toolbar.tsx';
import shared from '#src/ui/shared.module.css';
import { Method } from './method.tsx';
import classes from './record-page.module.css';

interface RecordTabsProps {
  label?: string;
  tabs: readonly Omit<ListTab, 'isCurrent'>[];
}

/** The pages of a record, each with its address; none for a record with one page. */
export function RecordTabs({ label = fr.common.recordTabs, tabs }: RecordTabsProps) {
  // Of the page that is shown: the frame of an account stays while its pages change.
  const pathname = useMatches().at(-1)?.pathname;
  if (tabs.length < 2) return null;
  return <Tabs label={label} tabs={tabs.map((tab) => ({ ...tab, isCurrent: tab.to === pathname }))} />;
}

interface RecordPageProps {
  header: ReactNode;
  tabs?: RecordTabsProps['tabs'];
  children: ReactNode;
  side?: ReactNode;
}

export function RecordPage({ header, tabs = [], children, side }: RecordPageProps) {
  return (
    <div data-record className={classes.record}>
      {header}
      <RecordTabs tabs={tabs} />
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

/** The entries of the browser's history whose pages were shown whole. */
const shownWhole = new Set<string>();

/** What is below a record's first screen: it is rendered once that one is painted. */
export function Below({ isAtOnce = false, children }: { isAtOnce?: boolean; children: ReactNode }) {
  const key = usePageLocation().state.__TSR_key ?? '';
  // Back and forward restore the scroll position, which needs the height.
  const [isShown, setIsShown] = useState(isAtOnce || shownWhole.has(key));
  useEffect(() => {
    shownWhole.add(key);
    void afterPaint().then(() => startTransition(() => setIsShown(true)));
  }, [key]);
  return isShown ? children : <Box h="100vh" />;
}

interface SectionProps {
  id?: string;
  title: string;
  /** How its figures are made. */
  method?: string;
  actions?: ReactNode;
  children: ReactNode;
}

export function Section({ id, title, method, actions, children }: SectionProps) {
  return (
    <section id={id}>
      <Group justify="space-between" gap="8px 16px" mb={12}>
        <Group gap={4} miw={0} wrap="nowrap">
          <Box component="h2" miw={0} fz={16} fw={620} className={shared.wrap}>
            {title}
          </Box>
          {method && <Method of={title}>{method}</Method>}
        </Group>
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

/** What is rarely read, folded. */
export function TechnicalFacts({ facts }: { facts: readonly (Fact | false)[] }) {
  return (
    <details className={classes.technical}>
      <summary>{fr.common.technical}</summary>
      <Facts facts={facts} />
    </details>
  );
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
