import { runCommand, say } from './lib/cli.ts';
import { buildWebIfChanged } from './lib/web-build.ts';

await runCommand(async () => {
  await buildWebIfChanged(say);
  say('L’interface est construite.');
});
