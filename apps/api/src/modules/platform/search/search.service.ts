import { formatPayoutNumber } from '@regie/contract/payouts.ts';
import { formatDate, formatMoney, formatMonth } from '@regie/values/formats.ts';
import { isrcPattern, normaliseIsrc } from '@regie/values/isrc.ts';
import { monthToMs } from '@regie/values/month.ts';
import type { Trx } from '#src/lib/db.ts';
import { toWireNumber } from '#src/lib/money.ts';
import type { Caller } from '#src/lib/route.ts';
import { searchInvoices } from '#src/modules/catalogue/orders/invoices.service.ts';
import { searchReleases, searchTracks } from '#src/modules/catalogue/releases/release-views.service.ts';
import { searchStatements } from '#src/modules/income/statements/statement-views.service.ts';
import { searchUnmatched } from '#src/modules/income/unmatched/unmatched.service.ts';
import * as queries from './search.queries.ts';

/** Per kind. */
const shown = 5;

const join = (...parts: (string | null)[]) => parts.filter(Boolean).join(' · ');

/** Of kinds the caller may open or list. */
export async function search(db: Trx, caller: Caller, q: string) {
  if (q === '') return [];
  const amount = queries.findAmount(q);
  const isrc = isrcPattern.test(normaliseIsrc(q)) ? normaliseIsrc(q) : null;
  const accounts = caller.can('manage_profiles') ? await queries.searchAccounts(db, q, shown) : [];
  const releases = await searchReleases(db, caller, q, shown);
  const tracks = await searchTracks(db, caller, q, shown);
  const states = [
    ...(caller.can('read_pending_payout') ? (['pending'] as const) : []),
    ...(caller.can('read_paid_payout') ? (['paid', 'cancelled'] as const) : []),
  ];
  const payouts = states.length > 0 ? await queries.searchPayouts(db, states, q, shown) : [];
  const orders = caller.can('manage_profiles') ? await searchInvoices(db, q, amount, shown) : [];
  const mayRead = caller.can('read_reports');
  const statements = mayRead ? await searchStatements(db, q, amount, shown) : [];
  const imports = mayRead ? await queries.searchImports(db, q, shown) : [];
  const unmatched = mayRead && (amount ?? isrc) ? await searchUnmatched(db, amount, isrc, shown) : [];
  const mayReadTickets = caller.can('read_tools') || caller.can('edit_tools');
  const tickets = mayReadTickets ? await queries.searchTickets(db, q, shown) : [];
  return [
    ...accounts.map(({ id, name, company, email }) => ({
      kind: 'account' as const,
      id,
      label: name,
      hint: join(company === name ? null : company, email === name ? null : email),
    })),
    ...releases.map(({ id, title, artistName, barcode, status }) => ({
      kind: 'release' as const,
      id,
      label: title,
      hint: join(artistName, barcode),
      status,
    })),
    ...tracks.map(({ id, title, isrc, artists, releaseId, releaseTitle }) => ({
      kind: 'track' as const,
      id,
      label: title,
      hint: join(isrc, artists, releaseTitle),
      releaseId,
    })),
    ...payouts.map(({ id, name, amountEur, createdAt, status }) => ({
      kind: 'payout' as const,
      id,
      label: name,
      hint: join(formatMoney(toWireNumber(amountEur), 'EUR'), formatPayoutNumber(id), formatDate(createdAt.getTime())),
      status,
    })),
    ...orders.map(({ id, Account, invoiceNumber, status }) => ({
      kind: 'order' as const,
      id,
      label: `Commande n°\u00a0${id}`,
      hint: join(invoiceNumber && `Facture ${invoiceNumber}`, `${Account.fname} ${Account.lname}`.trim()),
      status,
    })),
    ...statements.map(({ id, fileName, source, firstMonth, lastMonth, amountEur, amounts }) => ({
      kind: 'statement' as const,
      id,
      label: fileName,
      hint: join(
        source,
        [...new Set([firstMonth, lastMonth])]
          .flatMap((month) => (month === null ? [] : formatMonth(month)))
          .join(' – '),
        amountEur === null
          ? amounts.map((one) => formatMoney(one.amount, one.currency)).join(' + ')
          : formatMoney(amountEur, 'EUR'),
      ),
    })),
    ...imports.map(({ id, fileName, month, grossUsd, grossEur }) => ({
      kind: 'import' as const,
      id,
      label: fileName ?? `Import n°\u00a0${id}`,
      hint: join(
        formatMonth(monthToMs(month)),
        formatMoney(toWireNumber(grossUsd), 'USD'),
        formatMoney(toWireNumber(grossEur), 'EUR'),
      ),
    })),
    ...unmatched.map(({ id, title, artist, isrc, upc, amountEur }) => ({
      kind: 'unmatched' as const,
      id,
      label: title || (isrc ?? upc ?? artist),
      hint: join(artist, isrc, amountEur && formatMoney(toWireNumber(amountEur), 'EUR')),
      q: isrc ?? upc ?? title,
    })),
    ...tickets.map(({ id, title, name, status }) => ({
      kind: 'ticket' as const,
      id,
      label: title,
      hint: join(`dt-${id}`, name),
      status,
    })),
  ];
}
