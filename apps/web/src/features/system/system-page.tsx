import { Button } from '@mantine/core';
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
          <div className={classes.page}>
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
              <ul className={classes.list} aria-label={t.checks}>
                {checks.map(({ name, isOk, text }) => (
                  <li key={name} className={classes.row} data-fault={!isOk || undefined}>
                    <strong>{systemCheckLabels[name]}</strong>
                    <span className={classes.text}>{text}</span>
                    <StatusBadge tone={isOk ? 'success' : 'danger'}>{isOk ? t.ok : t.fault}</StatusBadge>
                  </li>
                ))}
              </ul>
            </Section>
            <Section title={t.backups.title}>
              {backups.length === 0 ? <p>{t.backups.none}</p> : <Backups backups={backups} />}
            </Section>
          </div>
        );
      }}
    </Loaded>
  );
}

function Backups({ backups }: Pick<SystemState, 'backups'>) {
  const { title, encrypted, plain, failed } = t.backups;
  return (
    <ul className={classes.list} aria-label={title}>
      {backups.map(({ name, endedAt, sizeBytes, isEncrypted, error }) => (
        <li key={`${name} ${endedAt}`} className={classes.row} data-fault={error !== null || undefined}>
          <strong>
            <DateText ms={endedAt} hasTime />
          </strong>
          <span className={classes.text}>
            {name}
            {sizeBytes !== null && ` · ${formatBytes(sizeBytes)}`}
            {error !== null && <span className={classes.error}>{error}</span>}
          </span>
          {error !== null ? (
            <StatusBadge tone="danger">{failed}</StatusBadge>
          ) : (
            <StatusBadge tone={isEncrypted ? 'success' : 'warning'}>{isEncrypted ? encrypted : plain}</StatusBadge>
          )}
        </li>
      ))}
    </ul>
  );
}
