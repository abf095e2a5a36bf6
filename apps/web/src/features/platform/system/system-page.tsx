import { Box, Button } from '@mantine/core';
import { type SystemState, systemCheckLabels } from '@regie/contract/routes/system.ts';
import { routes } from '@regie/contract/routes.ts';
import { formatBytes, formatDateTime } from '@regie/values/formats.ts';
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { frScreens } from '#src/app/screens.fr.ts';
import { apiQuery } from '#src/lib/api.ts';
import { DateText } from '#src/ui/dates.tsx';
import { Loaded } from '#src/ui/loaded.tsx';
import { PageHeader } from '#src/ui/page-header.tsx';
import { Section } from '#src/ui/record-page.tsx';
import shared from '#src/ui/shared.module.css';
import { StatusBadge } from '#src/ui/status-badge.tsx';
import { frSystem } from './system.fr.ts';
import classes from './system.module.css';

const t = frSystem;

export default function SystemPage() {
  const system = useQuery(apiQuery(['system'], routes.getSystem));
  return (
    <Loaded query={system}>
      {({ version, checkedAt, checks, backups }) => {
        const faults = checks.filter(({ isOk }) => !isOk).length;
        return (
          <Box maw={960}>
            <PageHeader
              title={frScreens.system}
              badge={<StatusBadge tone={faults === 0 ? 'success' : 'danger'}>{t.summary(faults)}</StatusBadge>}
              text={t.checked(version, formatDateTime(checkedAt))}
              actions={
                <Button variant="default" loading={system.isFetching} onClick={() => void system.refetch()}>
                  {t.again}
                </Button>
              }
            />
            <Section title={t.checks}>
              <Box component="ul" mb={24} aria-label={t.checks}>
                {checks.map(({ name, isOk, text }) => (
                  <Row key={name} name={systemCheckLabels[name]} text={text} tone={isOk ? 'success' : 'danger'}>
                    {isOk ? t.ok : t.fault}
                  </Row>
                ))}
              </Box>
            </Section>
            <Section title={t.backups.title}>
              {backups.length === 0 ? <p className={shared.spaced}>{t.backups.none}</p> : <Backups backups={backups} />}
            </Section>
          </Box>
        );
      }}
    </Loaded>
  );
}

interface RowProps {
  name: ReactNode;
  text: ReactNode;
  tone: 'success' | 'warning' | 'danger';
  children: string;
}

function Row({ name, text, tone, children }: RowProps) {
  return (
    <li className={classes.row}>
      <strong className={shared.name}>{name}</strong>
      <Box component="span" c={tone === 'danger' ? undefined : 'dimmed'} fz={13} className={shared.wrap}>
        {text}
      </Box>
      <StatusBadge tone={tone}>{children}</StatusBadge>
    </li>
  );
}

function Backups({ backups }: Pick<SystemState, 'backups'>) {
  const { title, encrypted, plain, failed } = t.backups;
  return (
    <Box component="ul" mb={24} aria-label={title}>
      {backups.map(({ name, endedAt, sizeBytes, isEncrypted, error }) => (
        <Row
          key={`${name} ${endedAt}`}
          name={<DateText ms={endedAt} hasTime />}
          text={[name, sizeBytes !== null && formatBytes(sizeBytes), error].filter(Boolean).join(' · ')}
          tone={error !== null ? 'danger' : isEncrypted ? 'success' : 'warning'}
        >
          {error !== null ? failed : isEncrypted ? encrypted : plain}
        </Row>
      ))}
    </Box>
  );
}
