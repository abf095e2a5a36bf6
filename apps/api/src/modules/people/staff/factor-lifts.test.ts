import { factorMessages } from '@regie/contract/second-factors.ts';
import { sql } from 'kysely';
import { beforeAll, describe, expect, it } from 'vitest';
import { type TestAdmin, type TestClient, testPassword, useApp } from '#test/app.ts';
import { signAsShown } from '#test/as-shown.ts';
import { addTotp } from '#test/factors.ts';
import { liftFactorsOnServer } from './access.service.ts';

const app = useApp();
let asker: TestClient & { admin: TestAdmin };
let third: TestClient & { admin: TestAdmin };

beforeAll(async () => {
  asker = await app.signInWith();
  third = await app.signInWith();
});

async function withFactor() {
  const client = await app.signInWith();
  await addTotp(client);
  await app.runJobs();
  return client;
}
const isOpen = async ({ admin }: { admin: TestAdmin }) =>
  app.owner
    .selectFrom('proposals')
    .select('id')
    .where('target', '=', String(admin.id))
    .where('endedAt', 'is', null)
    .executeTakeFirst();
const urlOf = ({ admin }: { admin: TestAdmin }) => `/api/manage-admins/admin/${admin.id}/factor-lift`;
/** Whether the password alone opens a session. */
async function isPasswordEnough({ admin }: { admin: TestAdmin }): Promise<boolean> {
  const visitor = await app.visitor();
  await visitor.post('/api/auth/signin', { email: admin.email, password: testPassword });
  return (await visitor.check()).status === 200;
}
const letDayPass = ({ admin }: { admin: TestAdmin }) =>
  sql`UPDATE graphile_worker._private_jobs SET run_at = now() - interval '1 second'
       WHERE (payload ->> 'proposalId')::bigint IN (SELECT id FROM proposals WHERE target = ${String(admin.id)})`.execute(
    app.owner,
  );

describe('a lost second factor', () => {
  it('is removed a day after a colleague asks; both are notified, and the password then suffices', {
    tags: ['slow'],
  }, async () => {
    const target = await withFactor();
    expect(await asker.post(urlOf(target))).toMatchObject({ status: 200 });
    const letters = await app.runJobs();
    expect(letters.map(({ to }) => to).sort()).toEqual([asker.admin.email, target.admin.email].sort());
    expect(await isPasswordEnough(target)).toBe(false);
    await letDayPass(target);
    const done = await app.runJobs();
    expect(done.map(({ to }) => to).sort()).toEqual([asker.admin.email, target.admin.email].sort());
    expect(await isPasswordEnough(target)).toBe(true);
    expect((await target.check()).status).toBe(401);
    expect(await app.journal('admin.lift_factor')).toContainEqual(
      expect.objectContaining({ adminId: null, entityId: String(target.admin.id), before: { factor: 'Téléphone' } }),
    );
  });

  it('is removed at once with two signatures', async () => {
    const target = await withFactor();
    await app.addSignatories(asker.admin, third.admin);
    await asker.post(urlOf(target));
    const id = (await isOpen(target))?.id ?? 0;
    expect(await signAsShown(asker, 'proposal', id)).toMatchObject({ status: 409 });
    expect(await signAsShown(third, 'proposal', id)).toMatchObject({ status: 200, data: { isComplete: true } });
    expect(await isPasswordEnough(target)).toBe(true);
    expect(await isOpen(target)).toBeUndefined();
    await app.owner.deleteFrom('signatories').execute();
  });

  it('stays when its owner or a colleague cancels in time', { tags: ['slow'] }, async () => {
    const target = await withFactor();
    await asker.post(urlOf(target));
    expect((await target.get('/api/auth/security')).data).toMatchObject({ factorLift: { dueAt: expect.any(Number) } });
    expect((await target.delete('/api/auth/factor-lift')).status).toBe(200);
    expect((await target.delete('/api/auth/factor-lift')).status).toBe(404);
    await asker.post(urlOf(target));
    expect((await third.delete(urlOf(target))).status).toBe(200);
    await letDayPass(target);
    await app.runJobs();
    expect(await isPasswordEnough(target)).toBe(false);
  });

  it('cannot be removed by its owner', async () => {
    const target = await withFactor();
    expect(await target.post(urlOf(target))).toMatchObject({ status: 403, message: factorMessages.liftOwn });
  });

  it('cannot be removed by an admin with fewer capabilities, and only one request is open', async () => {
    const target = await withFactor();
    const lesser = await app.signInWith(['edit_admins']);
    expect((await lesser.post(urlOf(target))).status).toBe(403);
    expect((await asker.post(urlOf(target))).status).toBe(200);
    expect(await third.post(urlOf(target))).toMatchObject({ status: 409, message: factorMessages.liftAsked });
    const without = await app.signInWith();
    expect(await asker.post(urlOf(without))).toMatchObject({ status: 409, message: factorMessages.noFactor });
  });

  it('is shown in the list of admins', async () => {
    const target = await withFactor();
    await asker.post(urlOf(target));
    const { data } = await third.get(`/api/manage-admins?q=${target.admin.email}`);
    const row = (data as { admins: unknown[] }).admins[0];
    expect(row).toMatchObject({ hasFactor: true, factorLift: { dueAt: expect.any(Number) } });
  });

  it('is removed on the server at once, for a label with one admin', async () => {
    const target = await withFactor();
    await liftFactorsOnServer(app.owner, target.admin.email);
    expect(await app.runJobs()).toMatchObject([{ to: target.admin.email }]);
    expect(await isPasswordEnough(target)).toBe(true);
    await expect(liftFactorsOnServer(app.owner, target.admin.email)).rejects.toThrow(factorMessages.noFactor);
    await expect(liftFactorsOnServer(app.owner, 'personne@regie.example')).rejects.toMatchObject({ code: 'not_found' });
  });
});
