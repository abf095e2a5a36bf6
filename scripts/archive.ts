import { parseArgs } from 'node:util';
import { loadEnv } from '@regie/api/env.ts';
import type { Database } from '@regie/api/lib/db.ts';
import { createStorage } from '@regie/api/lib/open-storage.ts';
import { archiveLedger, listLedgerArchives, restoreLedger } from '@regie/api/modules/ledger/ledger-archive.service.ts';
import { archiveJournal, listArchives, restoreJournal } from '@regie/api/modules/privacy/journal-archive.service.ts';
import {
  archiveReports,
  listReportArchives,
  restoreReports,
} from '@regie/api/modules/reports/report-archive.service.ts';
import { CommandError, formatSize, runCommand, say } from './lib/cli.ts';
import { withOwner } from './lib/with-database.ts';

const kinds = ['journal', 'grand-livre', 'rapports'];

const describeReports = (year: number, { reports, sums }: { reports: number; sums: number }) =>
  `Rapports de ${year}\u00A0: ${reports} rapports et ${sums} sommes de relevés archivés`;

await runCommand(async () => {
  const { values, positionals } = parseArgs({
    options: { restore: { type: 'boolean', default: false }, list: { type: 'boolean', default: false } },
    allowPositionals: true,
  });
  const [what = '', yearText = ''] = positionals;
  if (!values.list && (!kinds.includes(what) || !/^20\d\d$/.test(yearText) || positionals.length > 2)) {
    throw new CommandError(
      'Indiquez l’année\u00A0: npm run archive -- journal 2021, grand-livre 2021 ou rapports 2021. Avec --restore, elle revient\u00A0; --list dit ce qui est archivé.',
    );
  }
  const year = Number(yearText);
  const env = loadEnv(process.env, 'tool');
  const run = async (db: Database) => {
    const storage = createStorage(env.storageUrl);
    if (values.list) {
      const archives = [
        ...(await listArchives(db)).map(
          ({ year: of, entries }) => `Journal de ${of}\u00A0: ${entries} entrées archivées`,
        ),
        ...(await listLedgerArchives(db)).map(
          ({ year: of, postings }) => `Grand livre de ${of}\u00A0: ${postings} écritures archivées`,
        ),
        ...(await listReportArchives(db)).map(({ year: of, ...counts }) => describeReports(of, counts)),
      ];
      for (const archive of archives) say(`${archive}.`);
      if (archives.length === 0) say('Rien n’est archivé.');
    } else if (what === 'journal' && values.restore) {
      say(`Journal de ${year}\u00A0: ${await restoreJournal(db, storage, year)} entrées remises en place.`);
    } else if (what === 'journal') {
      const { entries, kept, sizeBytes } = await archiveJournal(db, storage, year);
      say(
        `Journal de ${year}\u00A0: ${entries} entrées archivées (${formatSize(sizeBytes)}). Gardées dans la base, pour des règles ou des effacements\u00A0: ${kept}.`,
      );
    } else if (what === 'rapports' && values.restore) {
      say(`Rapports de ${year}\u00A0: ${await restoreReports(db, storage, year)} rapports remis en place.`);
    } else if (what === 'rapports') {
      const { sizeBytes, ...counts } = await archiveReports(db, storage, year);
      say(`${describeReports(year, counts)} (${formatSize(sizeBytes)}).`);
    } else if (values.restore) {
      say(`Grand livre de ${year}\u00A0: ${await restoreLedger(db, storage, year)} écritures remises en place.`);
    } else {
      const { postings, sizeBytes } = await archiveLedger(db, storage, year);
      say(`Grand livre de ${year}\u00A0: ${postings} écritures archivées (${formatSize(sizeBytes)}).`);
    }
  };
  await withOwner(env, run, { max: 2 });
});
