import type { Admin } from '@regie/contract/routes/staff.ts';
import { factorMessages } from '@regie/contract/second-factors.ts';
import { sql } from 'kysely';
import { beforeAll, describe, expect, it } from 'vitest';
import { type TestAdmin, type TestClient, testPassword, useApp } from '#test/app.ts';
import { addTotp } from '#test/factors.ts';
import { liftFactorsOnServer } from './factor-lifts.service.ts';
import { isIndependent } from './independence.service.ts';

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
/** Confirms the request shown in the list of admins. */
async function confirm(by: TestClient, target: { admin: TestAdmin }) {
  const { admins } = (await by.get('/api/manage-admins?limit=500')).data as { admins: Admin[] };
  const { dueAt = 0 } = admins.find(({ id }) => id === target.admin.id)?.factorLift ?? {};
  return by.post(`/api/manage-admins/admin/${target.admin.id}/factor-lift/confirm`, { dueAt });
}
const urlOf = ({ admin }: { admin: TestAdmin }) => `/api/manage-admins/admin/${admin.id}/factor-lift`;
/** Whether the password alone opens a session. */
async function isPasswordEnough({ admin }: { admin: TestAdmin }): Promise<boolean> {
  const visitor = await app.visitor();
  await visitor.post('/api/auth/signin', { email: admin.email, password: testPassword });
  return (await visitor.check()).status === 200;
}
const letDayPass = ({ admin }: { admin: TestAdmin }) =>
  sql`WITH lift AS (UPDATE factor_lifts SET due_at = now() - interval '1 second' WHERE admin_id = ${admin.id} RETURNING id)
    UPDATE graphile_worker._private_jobs SET run_at = now() - interval '1 second' FROM lift
     WHERE (payload ->> 'liftId')::bigint = lift.id`.execute(app.owner);

describe('a lost second factor', () => {
  it('is removed a day after a colleague asks; both are notified, and the password then suffices', async () => {
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

  it('is removed at once by a third admin who asks as the list shows', async () => {
    const [target, other] = [await withFactor(), await app.signInWith()];
    const { dueAt } = (await asker.post(urlOf(target))).data as { dueAt: number };
    expect((await other.delete(urlOf(target))).status).toBe(200);
    expect((await other.post(urlOf(target))).status).toBe(200);
    expect(await third.post(`${urlOf(target)}/confirm`, { dueAt })).toMatchObject({ status: 409 });
    expect(await third.post(`${urlOf(target)}/confirm`, {})).toMatchObject({ status: 422 });
    expect((await confirm(third, target)).status).toBe(200);
  });

  it('is removed at once when a third admin confirms, not the one who asked or the owner', async () => {
    const target = await withFactor();
    await asker.post(urlOf(target));
    for (const client of [asker, target]) {
      expect(await confirm(client, target)).toMatchObject({
        status: 403,
        message: factorMessages.liftThird,
      });
    }
    expect(await confirm(third, target)).toMatchObject({ status: 200 });
    expect(await isPasswordEnough(target)).toBe(true);
    expect((await confirm(third, target)).status).toBe(404);
  });

  it('stays when its owner or a colleague cancels in time', async () => {
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

  it('cannot be removed by its owner, or by an admin the owner created', async () => {
    const target = await withFactor();
    expect(await target.post(urlOf(target))).toMatchObject({ status: 403, message: factorMessages.liftDependent });
    const dependent = await app.signInWith();
    await sql`UPDATE admins SET created_by = ${target.admin.id} WHERE id = ${dependent.admin.id}`.execute(app.owner);
    expect(await dependent.post(urlOf(target))).toMatchObject({ status: 403, message: factorMessages.liftDependent });
    const dependentOfAsker = await app.signInWith();
    await sql`UPDATE admins SET created_by = ${asker.admin.id} WHERE id = ${dependentOfAsker.admin.id}`.execute(
      app.owner,
    );
    await asker.post(urlOf(target));
    expect(await confirm(dependentOfAsker, target)).toMatchObject({ status: 403 });
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

  it('is shown in the list of admins, with the confirmation offered to the third admin', async () => {
    const target = await withFactor();
    await asker.post(urlOf(target));
    const rowFor = async (client: TestClient) => {
      const { data } = await client.get(`/api/manage-admins?q=${target.admin.email}`);
      return (data as { admins: unknown[] }).admins[0];
    };
    expect(await rowFor(asker)).toMatchObject({ hasFactor: true, factorLift: { canConfirm: false } });
    expect(await rowFor(third)).toMatchObject({ hasFactor: true, factorLift: { canConfirm: true } });
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

describe('without another independent admin', () => {
  /** Leaves edit_admins to these two only; the first invited the second. */
  async function beTwo() {
    await sql`DELETE FROM admin_capabilities`.execute(app.owner);
    await sql`DELETE FROM audit_log WHERE action IN ('admin.edit', 'admin.delete')`.execute(app.owner);
    const founder = await app.signInWith();
    const invited = await app.signInWith();
    await sql`UPDATE admins SET created_by = ${founder.admin.id} WHERE id = ${invited.admin.id}`.execute(app.owner);
    return { founder, invited };
  }

  it.each(['founder', 'invited'] as const)(
    'of two, lifts the factor of the %s after a day, and says so',
    async (who) => {
      const { [who]: target, [who === 'founder' ? 'invited' : 'founder']: colleague } = await beTwo();
      await addTotp(target);
      await app.runJobs();
      expect(await colleague.post(urlOf(target))).toMatchObject({ status: 200 });
      expect(await app.journal('admin.ask_factor_lift')).toContainEqual(
        expect.objectContaining({ adminId: colleague.admin.id, after: expect.objectContaining({ unchecked: true }) }),
      );
      expect(await confirm(colleague, target)).toMatchObject({ status: 403 });
      const letter = (await app.runJobs()).find(({ to }) => to === target.admin.email);
      expect(letter?.text).toContain('sans que personne ne l’ait vérifiée');
      expect(await isPasswordEnough(target)).toBe(false);
      await letDayPass(target);
      await app.runJobs();
      expect(await isPasswordEnough(target)).toBe(true);
    },
  );

  it('cannot be arranged by removing the capability of independent admins, or by changing the target', async () => {
    const { founder, invited } = await beTwo();
    const independent = await app.signInWith();
    await addTotp(invited);
    expect(await founder.post(urlOf(invited))).toMatchObject({ status: 403, message: factorMessages.liftDependent });
    const rights = { fname: 'Camille', lname: 'Essai', email: independent.admin.email, capabilities: [] };
    expect((await founder.put(`/api/manage-admins/admin/${independent.admin.id}`, rights)).status).toBe(200);
    expect(await founder.post(urlOf(invited))).toMatchObject({ status: 403, message: factorMessages.liftDependent });
  });
});

it('makes an admin who asked for a removal able to act as its target', async () => {
  await sql`INSERT INTO admin_capabilities (admin_id, capability)
    SELECT id, capability FROM admins CROSS JOIN unnest(ARRAY['edit_admins', 'manage_profiles']) AS c (capability)
     WHERE id IN (${asker.admin.id}, ${third.admin.id}) ON CONFLICT DO NOTHING`.execute(app.owner);
  const target = await app.signInWith(['manage_profiles']);
  await addTotp(target);
  expect(await isIndependent(app.db, asker.admin.id, target.admin.id)).toBe(true);
  expect((await asker.post(urlOf(target))).status).toBe(200);
  expect(await isIndependent(app.db, asker.admin.id, target.admin.id)).toBe(true);
  await letDayPass(target);
  await app.runJobs();
  expect(await isIndependent(app.db, asker.admin.id, target.admin.id)).toBe(false);
  expect(await isIndependent(app.db, third.admin.id, target.admin.id)).toBe(true);
});
