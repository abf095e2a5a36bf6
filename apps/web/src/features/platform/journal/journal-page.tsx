import { Box, Drawer, Stack } from '@mantine/core';
import { accountEntities, auditActionNames, auditEntityNames } from '@regie/contract/audit.ts';
import type { RecordLink } from '@regie/contract/entity.ts';
import type { JournalEntry } from '@regie/contract/routes/staff.ts';
import { routes } from '@regie/contract/routes.ts';
import { formatDateTime } from '@regie/values/formats.ts';
import { Link } from '@tanstack/react-router';
import { frScreens } from '#src/app/screens.fr.ts';
import { findScreenOf } from '#src/app/screens.ts';
import { changesText, findChanges, type Shown, showValue } from '#src/domain/journal/journal-changes.ts';
import { entryName, fieldLabel, findRecord, recordLabel, recordLink, who } from '#src/domain/journal/journal-labels.ts';
import { api } from '#src/lib/api.ts';
import { useAsked } from '#src/lib/asked.ts';
import { useIdParam } from '#src/lib/id-param.ts';
import { isAllowed, useCan, useSignedIn } from '#src/lib/session.ts';
import { DateText } from '#src/ui/dates.tsx';
import type { ListColumn } from '#src/ui/list/list-columns.tsx';
import { type ListFilter, selectFilter } from '#src/ui/list/list-filters.tsx';
import { ListPage } from '#src/ui/list/list-page.tsx';
import { momentColumn } from '#src/ui/list/value-columns.tsx';
import { Facts } from '#src/ui/record-page.tsx';
import shared from '#src/ui/shared.module.css';
import { frJournal } from './journal.fr.ts';
import classes from './journal.module.css';

function Named({ link, children }: { link: RecordLink | undefined; children: string }) {
  const { userCapabilities } = useSignedIn();
  const screen = link && findScreenOf(link.to);
  if (!link || !screen || !isAllowed(screen.access, userCapabilities)) return children;
  return (
    <Link to={link.to} search={link.search ?? {}} className={shared.link}>
      {children}
    </Link>
  );
}

function EntryRecord({ entry }: { entry: JournalEntry }) {
  const reference = { kind: entry.entity, id: entry.entityId ?? '' };
  return <Named link={recordLink(reference, findRecord(entry, reference))}>{recordLabel(entry)}</Named>;
}

const columns: readonly ListColumn<JournalEntry>[] = [
  {
    key: 'action',
    header: 'Action',
    width: '18%',
    cell: (entry) => <strong>{auditActionNames[entry.action]}</strong>,
    csv: (entry) => auditActionNames[entry.action],
  },
  {
    key: 'record',
    header: frJournal.record,
    width: '20%',
    cell: (entry) => <EntryRecord entry={entry} />,
    csv: recordLabel,
  },
  { key: 'who', header: frJournal.who, cell: who, csv: who },
  {
    key: 'changes',
    header: frJournal.changes,
    isSecondary: true,
    width: '40%',
    cell: (entry) => (
      <span className={`${shared.twoLines} ${shared.muted}`}>{changesText(entry) || frJournal.noChanges}</span>
    ),
    csv: changesText,
  },
  momentColumn({ key: 'at', header: frJournal.when, sort: 'at', align: 'right', csv: (entry) => entry.at }),
];

const accountEntityNames = Object.fromEntries(accountEntities.map((entity) => [entity, auditEntityNames[entity]]));

/** The journal, or the part of the account whose tab it is. */
export default function JournalPage() {
  const accountId = useIdParam();
  const can = useCan();
  const { subject: entry, ask, dialog } = useAsked<JournalEntry>();
  const canSearchAdmins = can('read_admins') || can('edit_admins') || can('delete_admins');
  const filters: ListFilter[] = [
    { kind: 'days', label: frJournal.period, fromParam: 'from', toParam: 'to' },
    selectFilter(frJournal.entity, 'entity', accountId === undefined ? auditEntityNames : accountEntityNames),
    selectFilter(frJournal.action, 'action', auditActionNames),
    ...(accountId !== undefined
      ? []
      : [
          selectFilter(frJournal.signIns, 'signIns', frJournal.signInOptions),
          { kind: 'text', label: frJournal.entityId, param: 'entityId' } as const,
        ]),
    selectFilter(frJournal.mark, 'mark', frJournal.marks),
  ];
  if (canSearchAdmins) {
    filters.push({
      kind: 'lookup',
      label: frJournal.admin,
      param: 'admin',
      lookup: async (q, signal) => {
        const { data } = await api(routes.listAdmins, { query: { q, limit: 20 }, signal });
        return data.admins.map((admin) => ({
          id: admin.id,
          label: `${admin.fname} ${admin.lname}`,
          hint: admin.email,
        }));
      },
    });
  }
  return (
    <>
      <ListPage
        title={frScreens.journal}
        hasWholeCards
        isTab={accountId !== undefined}
        route={routes.listJournal}
        query={{ account: accountId }}
        columns={columns}
        rowName={(row) =>
          `${auditActionNames[row.action]}, ${recordLabel(row)}, ${who(row)}, ${formatDateTime(row.at)}`
        }
        onRowOpen={ask}
        searchPlaceholder={frJournal.searchPlaceholder}
        filters={filters}
        defaultSort={{ key: 'at', order: 'desc' }}
        exportName="journal"
        empty={
          accountId === undefined
            ? { title: frJournal.emptyTitle, text: frJournal.emptyText }
            : { title: frJournal.noEntry, text: frJournal.noEntryText }
        }
      />
      <Drawer
        opened={dialog.isOpen}
        onClose={dialog.onClose}
        position="right"
        size="lg"
        title={entry ? entryName(entry) : ''}
      >
        {entry && <EntryDetail entry={entry} />}
      </Drawer>
    </>
  );
}

function EntryDetail({ entry }: { entry: JournalEntry }) {
  const changes = findChanges(entry);
  return (
    <div>
      <Facts
        facts={[
          { label: frJournal.who, value: who(entry) },
          { label: frJournal.when, value: <DateText ms={entry.at} hasTime /> },
          { label: frJournal.record, value: <EntryRecord entry={entry} /> },
          { label: frJournal.address, value: entry.address && <code>{entry.address}</code> },
          { label: frJournal.agent, value: entry.agent },
          { label: frJournal.requestId, value: entry.requestId && <code>{entry.requestId}</code> },
        ]}
      />
      <Box component="h3" mt={24} mb={8} fz={14} fw={620}>
        {frJournal.changes}
      </Box>
      {changes.length === 0 ? (
        <p className={`${shared.muted} ${shared.spaced}`}>{frJournal.noChanges}</p>
      ) : (
        <dl className={classes.changes}>
          {changes.map(({ field, before, after }) => (
            <div key={field}>
              <dt>{fieldLabel(entry.action, field)}</dt>
              {entry.before !== null && (
                <dd className={classes.before}>
                  <span className="visually-hidden">{frJournal.before} : </span>
                  <Value shown={showValue(entry, field, before)} />
                </dd>
              )}
              {entry.after !== null && (
                <dd className={classes.after}>
                  <span className="visually-hidden">{frJournal.after} : </span>
                  <Value shown={showValue(entry, field, after)} />
                </dd>
              )}
            </div>
          ))}
        </dl>
      )}
    </div>
  );
}

function Value({ shown: [first, ...others] }: { shown: readonly Shown[] }) {
  if (!first) return null;
  if (others.length === 0) return <Named link={first.link}>{first.text}</Named>;
  return (
    <Stack component="ul" gap={0}>
      {[first, ...others].map(({ text, link }, i) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the items of a stored list never move
        <li key={i}>
          <Named link={link}>{text}</Named>
        </li>
      ))}
    </Stack>
  );
}
