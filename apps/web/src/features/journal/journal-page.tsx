import { Drawer } from '@mantine/core';
import type { JournalEntry } from '@regie/contract/routes/staff.ts';
import { routes } from '@regie/contract/routes.ts';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { fr } from '#src/fr.ts';
import { api } from '#src/lib/api.ts';
import { formatDateTime } from '#src/lib/formats.ts';
import { isAllowed, useCan, useSignedIn } from '#src/lib/session.ts';
import { findScreenOf } from '#src/routes.tsx';
import { DateText } from '#src/ui/dates.tsx';
import type { ListFilter } from '#src/ui/list-filters.tsx';
import { type ListColumn, ListPage } from '#src/ui/list-page.tsx';
import { Facts } from '#src/ui/record-page.tsx';
import classes from './journal.module.css';
import { findChanges, showValue } from './journal-changes.ts';
import { actionLabel, actionNames, entityNames, fieldLabel, recordHref, recordLabel } from './journal-words.ts';

function who(entry: JournalEntry): string {
  return entry.admin?.name ?? fr.common.system;
}

function recordOf(entry: JournalEntry): string {
  return recordLabel(entry.entity, entry.entityId);
}

/** The names of what changed. */
function summary(entry: JournalEntry): string {
  const changes = findChanges(entry.before, entry.after);
  return changes.map((change) => fieldLabel(change.field)).join(', ') || fr.journal.noChanges;
}

const columns: readonly ListColumn<JournalEntry>[] = [
  {
    key: 'action',
    header: fr.journal.what,
    cell: (entry) => (
      <>
        <strong className={classes.action}>{actionLabel(entry.action)}</strong>
        <span className={classes.record}>{recordOf(entry)}</span>
      </>
    ),
    csv: (entry) => actionLabel(entry.action),
  },
  { key: 'record', header: fr.journal.record, csv: recordOf },
  { key: 'who', header: fr.journal.who, cell: who, csv: who },
  {
    key: 'changes',
    header: fr.journal.changes,
    isSecondary: true,
    cell: (entry) => <span className={classes.summary}>{summary(entry)}</span>,
    csv: (entry) =>
      findChanges(entry.before, entry.after)
        .map(
          ({ field, before, after }) =>
            `${fieldLabel(field)} : ${showValue(field, before)} → ${showValue(field, after)}`,
        )
        .join(' ; '),
  },
  {
    key: 'at',
    header: fr.journal.when,
    sort: 'at',
    align: 'right',
    cell: (entry) => <DateText ms={entry.at} withTime />,
    type: 'moment',
    csv: (entry) => entry.at,
  },
];

export default function JournalPage() {
  const can = useCan();
  const [entry, setEntry] = useState<JournalEntry>();
  const [isOpen, setIsOpen] = useState(false);
  const canSearchAdmins = can('read_admins') || can('edit_admins') || can('delete_admins');
  const filters: ListFilter[] = [
    { kind: 'days', label: fr.journal.period, fromParam: 'from', toParam: 'to' },
    {
      kind: 'select',
      label: fr.journal.entity,
      param: 'entity',
      options: Object.entries(entityNames).map(([value, label]) => ({ value, label })),
    },
    {
      kind: 'select',
      label: fr.journal.action,
      param: 'action',
      options: Object.entries(actionNames).map(([value, label]) => ({ value, label })),
    },
    { kind: 'text', label: fr.journal.entityId, param: 'entityId' },
    {
      kind: 'select',
      label: fr.journal.mark,
      param: 'mark',
      options: Object.entries(fr.journal.marks).map(([value, label]) => ({ value, label })),
    },
  ];
  if (canSearchAdmins) {
    filters.push({
      kind: 'lookup',
      label: fr.journal.admin,
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
        id="journal"
        title={fr.journal.title}
        route={routes.listJournal}
        rows={(data) => data}
        columns={columns}
        rowKey={(row) => row.id}
        rowName={(row) => `${actionLabel(row.action)}, ${recordOf(row)}, ${who(row)}, ${formatDateTime(row.at)}`}
        onRowOpen={(row) => {
          setEntry(row);
          setIsOpen(true);
        }}
        searchPlaceholder={fr.journal.searchPlaceholder}
        filters={filters}
        defaultSort={{ key: 'at', order: 'desc' }}
        exportName="journal"
        empty={{ title: fr.journal.emptyTitle, text: fr.journal.emptyText }}
      />
      <Drawer
        opened={isOpen}
        onClose={() => setIsOpen(false)}
        position="right"
        size="lg"
        title={entry ? `${actionLabel(entry.action)} · ${recordOf(entry)}` : ''}
      >
        {entry && <EntryDetail entry={entry} />}
      </Drawer>
    </>
  );
}

function EntryDetail({ entry }: { entry: JournalEntry }) {
  const { userCapabilities } = useSignedIn();
  const href = recordHref(entry.entity, entry.entityId);
  const screen = href === undefined ? undefined : findScreenOf(href);
  const canOpen = screen !== undefined && isAllowed(screen.access, userCapabilities);
  const changes = findChanges(entry.before, entry.after);
  return (
    <div className={classes.detail}>
      <Facts
        facts={[
          { label: fr.journal.who, value: who(entry) },
          { label: fr.journal.when, value: <DateText ms={entry.at} withTime /> },
          {
            label: fr.journal.record,
            value: canOpen ? <Link to={href}>{recordOf(entry)}</Link> : recordOf(entry),
          },
          ...(entry.address === null ? [] : [{ label: fr.journal.address, value: <code>{entry.address}</code> }]),
          ...(entry.agent === null ? [] : [{ label: fr.journal.agent, value: entry.agent }]),
          ...(entry.requestId === null ? [] : [{ label: fr.journal.requestId, value: <code>{entry.requestId}</code> }]),
        ]}
      />
      <h3 className={classes.heading}>{fr.journal.changes}</h3>
      {changes.length === 0 ? (
        <p className={classes.none}>{fr.journal.noChanges}</p>
      ) : (
        <dl className={classes.changes}>
          {changes.map(({ field, before, after }) => (
            <div key={field}>
              <dt>{fieldLabel(field)}</dt>
              {entry.before !== null && (
                <dd className={classes.before}>
                  <span className="visually-hidden">{fr.journal.before} : </span>
                  {showValue(field, before)}
                </dd>
              )}
              {entry.after !== null && (
                <dd className={classes.after}>
                  <span className="visually-hidden">{fr.journal.after} : </span>
                  {showValue(field, after)}
                </dd>
              )}
            </div>
          ))}
        </dl>
      )}
    </div>
  );
}
