import type { TrackPage } from '@regie/contract/routes/track-page.ts';
import { states } from '@regie/contract/states.ts';
import { monthToMs } from '@regie/values/month.ts';
import type { Trx } from '#src/lib/db.ts';
import type { Caller } from '#src/lib/route.ts';
import { toWireRow } from '#src/lib/wire-row.ts';
import { findYearStart } from '#src/modules/income/analytics/analytics.service.ts';
import { type LineStore, listPlaces } from '#src/modules/income/lines/lines.service.ts';
import { getTrack } from './release-views.service.ts';
import * as queries from './track-page.queries.ts';

const toAccount = (row: { accountId: number; firstName: string; lastName: string }) => ({
  id: row.accountId,
  fname: row.firstName,
  lname: row.lastName,
});

const withTotal = <Row extends { total: number }>(rows: Row[]) => ({ rows, total: rows[0]?.total ?? 0 });

/** See product §22.18. @throws not_found */
export async function getTrackPage(db: Trx, caller: Caller, id: number): Promise<TrackPage> {
  const seesReports = caller.can('read_reports');
  const [found, payees, reports, aliases, tickets] = await Promise.all([
    getTrack(db, caller, id),
    caller.can('manage_profiles') ? listPayees(db, id) : null,
    seesReports ? queries.listReports(db, id) : null,
    seesReports ? queries.listAliases(db, id) : null,
    caller.can('read_tools') ? queries.listTickets(db, id) : null,
  ]);
  return {
    ...found,
    payees,
    reports:
      reports &&
      withTotal(
        reports.map((row) => ({
          ...toWireRow(row, 'grossEur', 'accountEur'),
          month: monthToMs(row.month),
          account: toAccount(row),
        })),
      ),
    aliases: aliases && withTotal(aliases),
    tickets:
      tickets && withTotal(tickets.map((ticket) => ({ ...ticket, status: states.ticket.toWire[ticket.status] }))),
  };
}

async function listPayees(db: Trx, trackId: number): Promise<TrackPage['payees']> {
  const from = await findYearStart(db);
  const rows = from === undefined ? [] : await queries.listPayees(db, trackId, from);
  return rows.map((row) => ({
    ...toWireRow(row, 'lowestPercentile', 'highestPercentile', 'amountEur'),
    account: toAccount(row),
  }));
}

const shownLines = 10;

/** The track's lines in the latest file that has some. */
export async function listTrackLines(db: Trx, store: LineStore, id: number) {
  const statement = await queries.findStatement(db, id);
  if (!statement) return { statement: null, lines: [], total: 0 };
  const keys = await queries.listKeys(db, id, statement.id);
  const { places, total } = await listPlaces(db, store, statement.id, keys);
  return {
    statement: { ...statement, month: monthToMs(statement.month) },
    lines: places.slice(0, shownLines).map((place) => toWireRow(place, 'quantity', 'amount')),
    total,
  };
}
