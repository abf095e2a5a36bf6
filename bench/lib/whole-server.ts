import { loadEnv } from '@regie/api/env.ts';
import { startServer } from '@regie/api/main.ts';

/** The server with its worker, as `npm run serve` starts it, in its own process. */
const server = await startServer({
  ...loadEnv({ ...process.env, LOG_LEVEL: 'warn' }, 'serve'),
  databaseUrl: process.env.DATABASE_URL ?? '',
  sessionSecret: process.env.SESSION_SECRET ?? '',
});
process.send?.({ address: server.origin });
process.on('disconnect', () => void server.close());
