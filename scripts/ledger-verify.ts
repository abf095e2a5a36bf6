import { existsSync } from 'node:fs';
import { loadEnv } from '@regie/api/env.ts';
import { openLines } from '@regie/api/modules/income/lines/lines.service.ts';
import { readAnchors, sealChain } from '@regie/api/modules/money/ledger/chain.service.ts';
import { verifyLedger } from '@regie/api/modules/platform/verify/verify.service.ts';
import { runCommand, say } from './lib/cli.ts';
import { withOwner } from './lib/with-database.ts';

await runCommand(async () => {
  const env = loadEnv(process.env, 'tool');
  const differences = await withOwner(env, async (db) => {
    const lines = openLines(env);
    try {
      // Seal new rows first, so that the whole chain is checked.
      await sealChain(db);
      const anchors =
        env.anchorFile === undefined || !existsSync(env.anchorFile) ? [] : await readAnchors(env.anchorFile);
      return await verifyLedger(db, lines, { anchors });
    } finally {
      await lines.close();
    }
  });
  for (const difference of differences) say(difference);
  if (differences.length === 0) {
    say('Le grand livre est exact.');
    return;
  }
  say(`Le grand livre a ${differences.length === 1 ? 'un écart' : `${differences.length} écarts`}.`);
  process.exitCode = 1;
});
