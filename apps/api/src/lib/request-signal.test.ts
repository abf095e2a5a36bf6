import { once } from 'node:events';
import { type AddressInfo, connect } from 'node:net';
import Fastify from 'fastify';
import { expect, it } from 'vitest';
import { signalOf } from './request-signal.ts';

it('is aborted when the client disconnects, not when the response is complete', async () => {
  const app = Fastify();
  const signals: AbortSignal[] = [];
  const { promise: asked, resolve: tellAsked } = Promise.withResolvers<void>();
  const { promise: left, resolve: tellLeft } = Promise.withResolvers<void>();
  app.get('/answered', async (_request, reply) => {
    signals.push(signalOf(reply));
    return 'answer';
  });
  app.get('/left', async (_request, reply) => {
    const signal = signalOf(reply);
    signals.push(signal);
    tellAsked();
    await once(signal, 'abort');
    tellLeft();
  });
  await app.listen({ port: 0, host: '127.0.0.1' });
  const { port } = app.server.address() as AddressInfo;
  expect(await (await fetch(`http://127.0.0.1:${port}/answered`, { headers: { connection: 'close' } })).text()).toBe(
    'answer',
  );
  const client = connect(port, '127.0.0.1');
  client.write('GET /left HTTP/1.1\r\nHost: regie.test\r\n\r\n');
  await asked;
  client.destroy();
  await left;
  expect(signals.map(({ aborted }) => aborted)).toEqual([false, true]);
  await app.close();
});
