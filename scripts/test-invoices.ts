import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { basename, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { loadDemo } from '@regie/api/demo/load-demo.ts';
import { system } from '@regie/api/lib/audit.ts';
import { createPool, fromPool, type Trx } from '@regie/api/lib/db.ts';
import { createStorage } from '@regie/api/lib/open-storage.ts';
import { listIssuedInvoices } from '@regie/api/modules/catalogue/orders/invoices.service.ts';
import { hasSharedData, sharedData } from '@regie/api/test/shared-data.ts';
import type { InvoiceRecord } from '@regie/contract/routes/invoices.ts';
import { invoiceFile } from '@regie/documents/factur-x.ts';
import { documentsOf } from '@regie/documents/invoice.ts';
import { addMonths, monthOfInstant, monthToMs } from '@regie/values/month.ts';
import { CommandError, runCommand, say } from './lib/cli.ts';
import { cache, installApart, run } from './lib/install-apart.ts';
import { withNewDatabase } from './lib/with-database.ts';

/** Checks the demo's electronic invoices by the published rules (docs/decisions/530), which are no part of Régie. */
const rules = [
  {
    name: 'règles françaises',
    file: /BR-FR-Flux2-Schematron-CII.*\.xslt$/,
    from: 'phax/phive-rules, phive-rules-france',
  },
  { name: 'EN 16931', file: /^EN16931-CII-validation.*\.xslt$/, from: 'ConnectingEurope/eInvoicing-EN16931, cii/xslt' },
];
const compiler = ['xslt3@2.7.0', 'saxon-js@2.7.0'];
const cases = 'einvoice/cases';

interface Saxon {
  transform(options: { stylesheetInternal: unknown; sourceText: string; destination: 'serialized' }): {
    principalResult: string;
  };
}

await runCommand(async () => {
  const [folder = ''] = process.argv.slice(2);
  const files = existsSync(folder) ? await readdir(folder, { recursive: true }) : [];
  // Their names begin with their date: the last is the newest.
  const found = rules.map(({ file }) =>
    files
      .filter((path) => file.test(basename(path)))
      .toSorted(byName)
      .at(-1),
  );
  if (found.includes(undefined)) {
    say('Essai ignoré (skipped)\u00a0: npm run test:invoices -- DOSSIER attend dans DOSSIER, à tout niveau\u00a0:');
    for (const { name, file, from } of rules) say(`  ${name}\u00a0: ${file.source} (github.com/${from})`);
    return;
  }
  const saxonFolder = await installApart(compiler, '20 Mo');
  if (saxonFolder === undefined) throw new CommandError('xslt3 et saxon-js n’ont pas pu être installés.');
  const sheets: unknown[] = [];
  for (const path of found) sheets.push(await compile(join(folder, path ?? ''), saxonFolder));
  const saxon = createRequire(join(saxonFolder, 'package.json'))('saxon-js') as Saxon;
  /** The rules that fail, after how many were applied. */
  const check = (xml: string) => {
    const reports = sheets.map(
      (sheet) =>
        saxon.transform({ stylesheetInternal: sheet, sourceText: xml, destination: 'serialized' }).principalResult,
    );
    const applied = reports.map((report) => report.match(/<svrl:fired-rule/g)?.length ?? 0);
    const failed = reports.flatMap((report) =>
      Array.from(report.matchAll(/<svrl:failed-assert[^>]* id="([^"]*)"/g), ([, id = '']) => id),
    );
    return { applied, failed };
  };
  const faults = [...(await checkCases(check)), ...(await checkDemo(check))];
  for (const fault of faults) say(fault);
  say(faults.length === 0 ? 'Tout est conforme.' : `${faults.length} écarts.`);
  process.exitCode = faults.length === 0 ? 0 : 1;
});

type Check = (xml: string) => { applied: number[]; failed: string[] };

function byName(one: string, other: string): number {
  return basename(one) < basename(other) ? -1 : 1;
}

/** Compiling takes half a minute: kept by the file's content. */
async function compile(path: string, saxonFolder: string): Promise<unknown> {
  const compiled = join(
    cache,
    `${createHash('sha256')
      .update(await readFile(path))
      .digest('hex')}.sef.json`,
  );
  if (!existsSync(compiled)) {
    say(`Compilation de ${basename(path)}…`);
    const command = join(saxonFolder, 'node_modules', '.bin', 'xslt3');
    if ((await run(command, [`-xsl:${path}`, `-export:${compiled}`, '-nogo'])) !== 0) {
      throw new CommandError(`${path} n’a pas pu être compilé.`);
    }
  }
  return JSON.parse(await readFile(compiled, 'utf8'));
}

/** Files with one fault each break the rule that their list names: the trial can fail. */
async function checkCases(check: Check): Promise<string[]> {
  if (!hasSharedData(cases)) {
    say('Cas fautifs ignorés (skipped)\u00a0: shared/data/einvoice est absent.');
    return [];
  }
  const list = await readFile(sharedData('einvoice/README.md'), 'utf8');
  const faults: string[] = [];
  let count = 0;
  for (const [, name = '', breaks = ''] of list.matchAll(/^\| ([A-Z]+-\d+) \|([^|]*)\|/gm)) {
    const expected = breaks.match(/\b(?:BR|CII)-[\w-]+/g) ?? [];
    if (expected.length === 0 && name !== 'OK-001') continue;
    const { failed } = check(await readFile(sharedData(`${cases}/${name}.xml`), 'utf8'));
    count += 1;
    const isAsListed = expected.length === 0 ? failed.length === 0 : expected.every((id) => failed.includes(id));
    if (!isAsListed) faults.push(`${name}\u00a0: attendu ${expected.join(', ')}, obtenu ${failed.join(', ')}`);
  }
  say(`${count} cas de référence, dont ${count - 1} fautifs\u00a0: ${faults.length} écarts.`);
  return faults;
}

async function checkDemo(check: Check): Promise<string[]> {
  const faults: string[] = [];
  const lacks = new Map<string, number>();
  const kinds = { invoice: 0, creditNote: 0 };
  let applied = [0, 0];
  await withNewDatabase(async (ownerUrl, folder) => {
    const storage = createStorage(pathToFileURL(join(folder, 'files')).href);
    await loadDemo({ ownerUrl, storage, scale: 1, months: 1, log: say });
    const db = fromPool(createPool(ownerUrl, { max: 1 }));
    try {
      const last = monthOfInstant(Date.now());
      for (let month = addMonths(last, -60); month <= last; month = addMonths(month, 1)) {
        const query = { month: monthToMs(month), limit: 10_000, sort: 'id', order: 'asc' } as const;
        const { data } = await listIssuedInvoices(db as Trx, system, query);
        for (const { invoice, issued } of data.flatMap(withCreditNote)) {
          const { document, missing } = invoiceFile(invoice, issued);
          for (const what of missing) lacks.set(what, (lacks.get(what) ?? 0) + 1);
          if (document.facturX === undefined) continue;
          const result = check(document.facturX);
          kinds[issued.kind] += 1;
          applied = applied.map((most, index) => Math.max(most, result.applied[index] ?? 0));
          if (result.failed.length > 0) faults.push(`${issued.number}\u00a0: ${result.failed.join(', ')}`);
        }
      }
    } finally {
      await db.destroy();
    }
  });
  say(
    `${kinds.invoice} factures et ${kinds.creditNote} avoirs de la démonstration, jusqu’à ${applied.join(' et ')} règles appliquées.`,
  );
  for (const [what, count] of lacks) say(`${count} documents restent en PDF simple\u00a0: il manque ${what}.`);
  if (kinds.invoice === 0 || kinds.creditNote === 0) faults.push('Rien n’a été contrôlé.');
  return faults;
}

/** The demo has no credit note: each invoice is also checked as if it were credited. */
function withCreditNote(invoice: InvoiceRecord) {
  return documentsOf(invoice).flatMap((issued) => {
    const { number, issuedAt, payment, house, customer } = issued;
    const note = { number: `AV-${number}`, issuedAt: issuedAt ?? 0, invoiceNumber: number, invoiceIssuedAt: issuedAt };
    return [
      { invoice, issued },
      { invoice, issued: { ...note, kind: 'creditNote' as const, payment, house, customer } },
    ];
  });
}
