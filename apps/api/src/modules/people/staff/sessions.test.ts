import type { Security } from '@regie/contract/routes/security.ts';
import { describe, expect, it } from 'vitest';
import { testPassword, useApp } from '#test/app.ts';
import { addTotp } from '#test/factors.ts';

const app = useApp();
const firefox = 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0';

async function signInFrom(email: string, address: string, password = testPassword) {
  const visitor = await app.visitor();
  await visitor.call('POST', '/api/auth/signin', {
    body: { email, password },
    address,
    headers: { 'user-agent': firefox },
  });
  await visitor.check();
  return visitor;
}
const read = async (client: { get: (url: string) => Promise<{ data: unknown }> }) =>
  (await client.get('/api/auth/security')).data as Security;

describe('the sessions of an admin', () => {
  it('are listed by device and address, without tokens', async () => {
    const admin = await app.buildAdmin();
    await signInFrom(admin.email, '203.0.113.70');
    const client = await signInFrom(admin.email, '2001:db8:1:2:3:4:5:6');
    const { sessions } = await read(client);
    expect(sessions).toMatchObject([
      { device: 'Firefox, Linux', address: '2001:db8:1:2', isCurrent: true },
      { device: 'Firefox, Linux', address: '203.0.113.70', isCurrent: false },
    ]);
    expect(JSON.stringify(sessions)).not.toContain(client.cookies.get('regie'));
  });

  it('can be ended separately or all but the current one, and only by their admin', async () => {
    const admin = await app.buildAdmin();
    const [client, second, third, fourth] = [
      await signInFrom(admin.email, '203.0.113.71'),
      await signInFrom(admin.email, '203.0.113.72'),
      await signInFrom(admin.email, '203.0.113.73'),
      await signInFrom(admin.email, '203.0.113.74'),
    ];
    const stranger = await app.signInWith([]);
    const [theirs] = (await read(stranger)).sessions;
    expect((await client.delete(`/api/auth/sessions/${theirs?.id}`)).status).toBe(404);
    const idOf = async (address: string) =>
      (await read(client)).sessions.find((session) => session.address === address)?.id;
    expect((await client.delete(`/api/auth/sessions/${await idOf('203.0.113.72')}`)).status).toBe(200);
    const statuses = async () =>
      Promise.all([client, second, third, fourth].map(async (one) => (await one.check()).status));
    expect(await statuses()).toEqual([200, 401, 200, 200]);
    expect((await client.delete('/api/auth/sessions')).status).toBe(200);
    expect(await statuses()).toEqual([200, 401, 401, 401]);
    expect((await stranger.check()).status).toBe(200);
    const ended = (await app.journal('auth.end_session')).filter(({ adminId }) => adminId === admin.id);
    expect(ended).toMatchObject([{ before: { address: '203.0.113.72' } }]);
  });

  it('show the last sign-ins, including refused ones', async () => {
    const client = await app.signInWith([]);
    await addTotp(client);
    await signInFrom(client.admin.email, '203.0.113.80', 'dix curseurs verts');
    const { data } = await client.post('/api/auth/step-up/start');
    await client.call('POST', '/api/auth/step-up', {
      body: { token: (data as { token: string }).token, code: '000000' },
      address: '203.0.113.81',
      headers: { 'user-agent': firefox },
    });
    expect((await read(client)).signIns).toMatchObject([
      { result: 'wrong_factor', device: 'Firefox, Linux', address: '203.0.113.81' },
      { result: 'wrong_password', device: 'Firefox, Linux', address: '203.0.113.80' },
      { result: 'signed_in' },
    ]);
  });
});
