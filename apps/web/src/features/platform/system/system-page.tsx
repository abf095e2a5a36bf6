import { Box, Button } from '@mantine/core';
import { type SystemState, systemCheckLabels } from '@regie/contract/routes/system.ts';
import { routes } from '@regie/contract/routes.ts';
import { useQuery } from '@tanstack/react-query';
import { frScreens } from '#src/app/screens.fr.ts';
import { apiQuery } from '#src/lib/api.ts';
import { formatBytes, formatDateTime } from '#src/lib/formats.ts';
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
                  <li key={name} className={classes.row} data-fault={!isOk || undefined}>
                    <strong>{systemCheckLabels[name]}</strong>
                    <span className={classes.text}>{text}</span>
                    <StatusBadge tone={isOk ? 'success' : 'danger'}>{isOk ? t.ok : t.fault}</StatusBadge>
                  </li>
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

function Backups({ backups }: Pick<SystemState, 'backups'>) {
  const { title, encrypted, plain, failed } = t.backups;
  return (
    <Box component="ul" mb={24} aria-label={title}>
      {backups.map(({ name, endedAt, sizeBytes, isEncrypted, error }) => (
        <li key={`${name} ${endedAt}`} className={classes.row} data-fault={error !== null || undefined}>
          <strong>
            <DateText ms={endedAt} hasTime />
          </strong>
          <span className={classes.text}>
            {name}
            {sizeBytes !== null && ` · ${formatBytes(sizeBytes)}`}
            {error !== null && (
              <Box component="span" display="block">
                {error}
              </Box>
            )}
          </span>
          {error !== null ? (
            <StatusBadge tone="danger">{failed}</StatusBadge>
          ) : (
            <StatusBadge tone={isEncrypted ? 'success' : 'warning'}>{isEncrypted ? encrypted : plain}</StatusBadge>
          )}
        </li>
      ))}
    </Box>
  );
}
