import { existsSync } from 'node:fs';
import type { JobDeps } from '#src/lib/jobs.ts';
import type { SendMail } from '#src/lib/mail.ts';
import type { LineStore } from '#src/modules/income/lines/lines.service.ts';
import { anchorChain, readAnchors } from '#src/modules/money/ledger/chain.service.ts';
import { verifyLedger } from './verify.service.ts';

/** Nightly; logs each difference as an error. */
export function verifyLedgerJob({ anchorFile, lines }: { anchorFile?: string | undefined; lines: LineStore }) {
  return async (_payload: unknown, { db, log }: JobDeps): Promise<void> => {
    const anchors = anchorFile !== undefined && existsSync(anchorFile) ? await readAnchors(anchorFile) : [];
    const differences = await verifyLedger(db, lines, { anchors, isShare: lines.storage.isShared });
    for (const difference of differences) log.error({ difference }, 'ledger difference');
    log.info({ differences: differences.length }, 'ledger verified');
  };
}

/** Nightly, to a file outside the database. */
export function anchorChainJob(options: {
  sendMail: SendMail;
  anchorFile?: string | undefined;
  anchorMail?: string | undefined;
}) {
  return async (_payload: unknown, { db }: JobDeps): Promise<void> => {
    const { anchorFile, anchorMail, sendMail } = options;
    if (anchorFile === undefined && anchorMail === undefined) return;
    const line = await anchorChain(db, anchorFile);
    if (line === undefined || anchorMail === undefined) return;
    await sendMail({
      to: anchorMail,
      subject: 'Empreinte du journal et du grand livre',
      text: `${line}\n\nGardez ce message\u00a0: «\u00a0npm run ledger:verify\u00a0» compare ces lignes, réunies dans le fichier ANCHOR_FILE, avec la base.\n`,
    });
  };
}
