import { capabilities, capabilityNames, getCapability } from '@regie/contract/capabilities.ts';
import { messages } from '@regie/contract/messages.ts';
import { Admin } from '@regie/contract/routes/staff.ts';
import { z } from '@regie/contract/zod.ts';
import { sql } from 'kysely';
import { describe, expect, it } from 'vitest';
import { AppError } from '#src/lib/errors.ts';
import { type TestAdmin, type TestClient, tokenIn, useApp } from '#test/app.ts';
import { testOrigin } from '#test/origin.ts';
import { createAdminWithAllCapabilities } from './staff.service.ts';

const app = useApp();
const newPassword = 'neuf curseurs verts';
const idOf = (name: Parameters<typeof getCapability>[0]) => getCapability(name).id;
const idsOf = (admin: TestAdmin) => admin.capabilities.map(idOf);

let sequence = 0;
function form(change: Record<string, unknown> = {}) {
  sequence += 1;
  return {
    fname: 'Inès',
    lname: 'Marchand',
    email: `ines${sequence}@regie.example`,
    password: newPassword,
    capabilities: [idOf('read_tools')],
    ...change,
  };
}
const edit = (client: TestClient, id: number, change: Record<string, unknown> = {}) =>
  client.put(`/api/manage-admins/admin/${id}`, form({ password: '', ...change }));
const CreatedId = z.object({ id: z.number() });
const rightsOf = async (id: number) =>
  (
    await app.db
      .selectFrom('adminCapabilities')
      .select('capability')
      .where('adminId', '=', id)
      .orderBy('capability')
      .execute()
  ).map((row) => row.capability);
const isDeleted = async (id: number) =>
  (await app.db.selectFrom('admins').select('deletedAt').where('id', '=', id).executeTakeFirstOrThrow()).deletedAt !==
  null;
const lastEntry = async (action: string) => (await app.journal(action)).at(-1);

describe('adding an admin', () => {
  it('creates an admin who can sign in, and journals everything but the password', async () => {
    const client = await app.signInWith();
    const rights = [idOf('read_tools'), idOf('edit_tools'), idOf('read_tools')];
    const body = form({ fname: 'Ly', lname: 'Bâ', capabilities: rights });
    const reply = await client.post('/api/manage-admins/admin', body);
    expect(reply).toMatchObject({ status: 200, message: 'L’administrateur est ajouté' });
    const { id } = CreatedId.parse(reply.data);
    expect(await rightsOf(id)).toEqual(['edit_tools', 'read_tools']);
    await app.signIn({ id, email: body.email, capabilities: [] }, newPassword);
    const entry = await lastEntry('admin.create');
    expect(entry).toMatchObject({ adminId: client.admin.id, entityId: String(id), before: null });
    expect(entry?.after).toEqual({
      alert: 'admin',
      fname: 'Ly',
      lname: 'Bâ',
      email: body.email,
      capabilities: ['read_tools', 'edit_tools'],
    });
  });

  it('grants only capabilities of the caller', async () => {
    const client = await app.signInWith(['edit_admins', 'read_tools']);
    const refused = await client.post('/api/manage-admins/admin', form({ capabilities: [idOf('edit_tools')] }));
    expect(refused).toMatchObject({ status: 403, code: 'forbidden' });
    expect((await client.post('/api/manage-admins/admin', form())).status).toBe(200);
  });

  it.each([
    [{ password: 'Azerty1234' }, { password: messages.passwordTooCommon }],
    [{ password: 'court' }, { password: messages.passwordTooShort }],
    [{ password: '' }, { password: messages.passwordTooShort }],
    [
      { fname: 'A', lname: 'x'.repeat(41) },
      { fname: messages.nameRequired, lname: messages.maxLength(40) },
    ],
    [{ email: 'ines@' }, { email: messages.email }],
    [{ capabilities: [9999] }, { capabilities: messages.invalidChoice }],
  ])('refuses %o', async (change, errors) => {
    const client = await app.signInWith();
    const reply = await client.post('/api/manage-admins/admin', form(change));
    expect(reply).toMatchObject({ status: 422, code: 'validation_failed' });
    expect(reply.errors).toEqual(errors);
  });

  it('refuses an address in use in any case, and frees it when its admin is deleted', async () => {
    const client = await app.signInWith();
    const taken = await app.buildAdmin({ capabilities: [] });
    const body = form({ email: taken.email.toUpperCase() });
    const refused = await client.post('/api/manage-admins/admin', body);
    expect(refused.errors).toEqual({ email: 'Un administrateur utilise déjà cette adresse' });
    await client.delete(`/api/manage-admins/admin/${taken.id}`);
    expect((await client.post('/api/manage-admins/admin', body)).status).toBe(200);
  });

  it('creates one of two concurrent admins with the same address', async () => {
    const client = await app.signInWith();
    const body = form();
    const replies = await Promise.all([1, 2, 3].map(() => client.post('/api/manage-admins/admin', body)));
    expect(replies.map(({ status }) => status).sort()).toEqual([200, 422, 422]);
  });
});

describe('editing an admin', () => {
  it('changes names, address and capabilities, not the password, and journals before and after', async () => {
    const client = await app.signInWith();
    const target = await app.buildAdmin({ capabilities: ['read_tools'] });
    const targetClient = await app.signIn(target);
    const body = {
      fname: 'Jeanne',
      lname: 'Durand',
      email: 'jeanne@regie.example',
      capabilities: [idOf('read_audit')],
    };
    expect((await targetClient.get('/api/journal')).status).toBe(403);
    expect((await edit(client, target.id, body)).status).toBe(200);
    expect((await targetClient.get('/api/journal')).status).toBe(401);
    const again = await app.signIn({ ...target, email: body.email });
    expect((await again.get('/api/journal')).status).toBe(200);
    const entry = await lastEntry('admin.edit');
    expect(entry).toMatchObject({
      adminId: client.admin.id,
      entityId: String(target.id),
      before: { fname: 'Camille', email: target.email, capabilities: ['read_tools'] },
    });
    expect(entry?.after).toEqual({ ...body, capabilities: ['read_audit'] });
  });

  it.each([null, '', undefined])('does not change the password where it is %s', async (password) => {
    const client = await app.signInWith();
    const target = await app.buildAdmin({ capabilities: ['read_tools'] });
    expect(await edit(client, target.id, { email: target.email, password })).toMatchObject({ status: 200 });
    expect((await (await app.signIn(target)).get('/api/auth/check')).status).toBe(200);
  });

  it('ends the sessions of the admin whose password it changes, notifies them, and journals no password', {
    tags: ['slow'],
  }, async () => {
    const client = await app.signInWith();
    const target = await app.buildAdmin({ capabilities: ['read_tools', 'read_audit'] });
    const targetClient = await app.signIn(target);
    await app.runJobs();
    const lname = `Marchand ${target.id}`;
    const change = { lname, email: target.email, capabilities: idsOf(target), password: newPassword };
    const reply = await edit(client, target.id, change);
    expect(reply.status).toBe(200);
    expect((await targetClient.check()).status).toBe(401);
    await app.signIn(target, newPassword);
    expect(await app.runJobs()).toMatchObject([{ to: target.email, subject: 'Votre mot de passe Régie a changé' }]);
    const entry = await lastEntry('admin.edit');
    expect(entry?.after).toMatchObject({ passwordChanged: true });
    const rights = { capabilities: ['read_tools', 'read_audit'] };
    expect(entry).toMatchObject({ before: rights, after: rights });
    expect(JSON.stringify(entry)).not.toMatch(/argon2|neuf curseurs/);
  });

  it('refuses an admin with a capability the caller lacks', async () => {
    const client = await app.signInWith(['edit_admins', 'read_tools']);
    const target = await app.buildAdmin({ capabilities: ['read_tools', 'read_audit'] });
    const reply = await edit(client, target.id, { email: target.email, password: newPassword });
    expect(reply).toMatchObject({ status: 403, code: 'forbidden' });
    expect(await rightsOf(target.id)).toEqual(['read_audit', 'read_tools']);
  });

  it('refuses to grant a capability the caller lacks, to others and to themselves', async () => {
    const client = await app.signInWith(['edit_admins', 'read_tools']);
    const target = await app.buildAdmin({ capabilities: ['read_tools'] });
    for (const id of [target.id, client.admin.id]) {
      const change = { capabilities: [idOf('edit_admins'), idOf('read_tools'), idOf('read_audit')] };
      expect((await edit(client, id, change)).status).toBe(403);
    }
  });

  it('refuses to reduce the caller’s capabilities, but changes their name', async () => {
    const client = await app.signInWith();
    const own = { email: client.admin.email };
    expect((await edit(client, client.admin.id, { ...own, capabilities: [idOf('edit_admins')] })).status).toBe(403);
    expect((await edit(client, client.admin.id, { ...own, capabilities: idsOf(client.admin) })).status).toBe(200);
    expect((await client.check()).data).toMatchObject({ user: { fname: 'Inès' }, userCapabilities: capabilityNames });
  });

  it('answers 404 for an unknown or deleted admin, 422 for an address in use', async () => {
    const client = await app.signInWith();
    const target = await app.buildAdmin({ capabilities: [] });
    expect((await edit(client, 999_999)).status).toBe(404);
    const conflict = await edit(client, target.id, { email: client.admin.email });
    expect(conflict.errors).toEqual({ email: 'Un administrateur utilise déjà cette adresse' });
    await client.delete(`/api/manage-admins/admin/${target.id}`);
    expect((await edit(client, target.id)).status).toBe(404);
  });
});

describe('deleting an admin', () => {
  it('ends their sessions, withdraws their invitations and journals them', { tags: ['slow'] }, async () => {
    const client = await app.signInWith();
    const target = await app.buildAdmin({ capabilities: ['edit_admins', 'read_tools'] });
    const targetClient = await app.signIn(target);
    const invited = await targetClient.post('/api/manage-admins/invite', {
      email: 'invite-perdue@regie.example',
      capabilities: [],
    });
    expect(invited.status).toBe(200);
    expect(await client.delete(`/api/manage-admins/admin/${target.id}`)).toMatchObject({ status: 200, data: {} });
    expect((await targetClient.check()).status).toBe(401);
    await expect(app.signIn(target)).rejects.toThrow(/401/);
    expect(await lastEntry('admin.delete')).toMatchObject({
      adminId: client.admin.id,
      entityId: String(target.id),
      before: { email: target.email, capabilities: ['edit_admins', 'read_tools'] },
    });
    // The pending invitation is not sent.
    expect((await app.runJobs()).map(({ to }) => to)).not.toContain('invite-perdue@regie.example');
    expect((await client.delete(`/api/manage-admins/admin/${target.id}`)).status).toBe(404);
  });

  it('refuses to delete the caller, or an admin with more capabilities', async () => {
    const client = await app.signInWith(['delete_admins', 'read_tools']);
    const stronger = await app.buildAdmin({ capabilities: ['read_tools', 'read_audit'] });
    const weaker = await app.buildAdmin({ capabilities: ['read_tools'] });
    const remove = async (id: number) => (await client.delete(`/api/manage-admins/admin/${id}`)).status;
    expect([await remove(client.admin.id), await remove(stronger.id), await remove(weaker.id)]).toEqual([
      403, 403, 200,
    ]);
    expect([await isDeleted(client.admin.id), await isDeleted(stronger.id)]).toEqual([false, false]);
  });

  it('preserves one admin with edit_admins when the last two delete or demote each other at once', {
    tags: ['slow'],
  }, async () => {
    const attack = (way: string, client: TestClient, other: TestAdmin) =>
      way === 'delete'
        ? client.delete(`/api/manage-admins/admin/${other.id}`)
        : edit(client, other.id, { email: other.email, capabilities: [] });
    for (const way of ['delete', 'demote', 'delete', 'demote', 'delete', 'demote']) {
      await sql`UPDATE admins SET deleted_at = now() WHERE deleted_at IS NULL`.execute(app.db);
      const [first, second] = [await app.signInWith(), await app.signInWith()];
      const replies = await Promise.all([attack(way, first, second.admin), attack(way, second, first.admin)]);
      expect(
        replies.filter(({ status }) => status === 200),
        way,
      ).toHaveLength(1);
      const left = await Promise.all([first, second].map(({ admin }) => rightsOf(admin.id)));
      expect(
        left.filter((names) => names.includes('edit_admins')),
        way,
      ).toHaveLength(1);
    }
  });
});

describe('inviting', () => {
  it('sends a link valid for seven days, lists it, and journals it', async () => {
    const client = await app.signInWith();
    const body = { email: 'nouvelle@regie.example', capabilities: [idOf('read_reports')] };
    const reply = await client.post('/api/manage-admins/invite', body);
    expect(reply).toMatchObject({ status: 200, message: 'L’invitation est envoyée' });
    const { id } = CreatedId.parse(reply.data);
    const mail = (await app.runJobs()).find(({ to }) => to === body.email);
    expect(mail).toMatchObject({ to: body.email, subject: 'Votre invitation à Régie' });
    expect(mail?.text).toContain(`${testOrigin}/signup?token=${tokenIn(mail)}`);
    const visitor = await app.visitor();
    expect((await visitor.get(`/api/auth/invitation?token=${tokenIn(mail)}`)).data).toEqual({ email: body.email });

    const { data } = await client.get('/api/manage-admins');
    expect(data).toMatchObject({ invitations: [{ id, email: body.email, capabilities: [idOf('read_reports')] }] });
    const row = await app.db
      .selectFrom('invitations')
      .select(sql<number>`extract(epoch FROM expires_at - now())::int`.as('seconds'))
      .where('id', '=', id)
      .executeTakeFirstOrThrow();
    expect(row.seconds).toBeGreaterThan(7 * 86_400 - 60);
    expect(row.seconds).toBeLessThanOrEqual(7 * 86_400);
    expect(await lastEntry('admin.invite')).toMatchObject({
      adminId: client.admin.id,
      entityId: String(id),
      after: { email: body.email, capabilities: ['read_reports'] },
    });
  });

  it('is marked as not delivered while the mail server refuses it, and home counts such letters', async () => {
    await app.runJobs();
    const client = await app.signInWith(['edit_admins', 'read_admins']);
    const email = 'refusee@regie.example';
    expect((await client.post('/api/manage-admins/invite', { email, capabilities: [] })).status).toBe(200);
    const seen = async () => {
      const { invitations } = (await client.get('/api/manage-admins')).data as {
        invitations: { email: string; isUndelivered: boolean }[];
      };
      const home = (await client.get('/api/home')).data as { undeliveredMails: number | null };
      return [invitations.find((one) => one.email === email)?.isUndelivered, home.undeliveredMails];
    };
    expect(await seen()).toEqual([false, 0]);
    // No mail server listens there.
    await app.runJobs({ smtpUrl: 'smtp://127.0.0.1:1' });
    await expect.poll(seen).toEqual([true, 1]);
    await sql`UPDATE graphile_worker._private_jobs SET run_at = now()`.execute(app.owner);
    expect((await app.runJobs()).map((mail) => mail.to)).toEqual([email]);
    await expect.poll(seen).toEqual([false, 0]);
    const other = await app.signInWith(['read_admins']);
    expect((await other.get('/api/home')).data).toMatchObject({ undeliveredMails: null });
  });

  it("refuses capabilities the caller lacks, an admin's address and a second open invitation", async () => {
    const client = await app.signInWith(['edit_admins', 'read_tools']);
    const invite = (email: string, ids: number[] = []) =>
      client.post('/api/manage-admins/invite', { email, capabilities: ids });
    expect((await invite('a1@regie.example', [idOf('read_audit')])).status).toBe(403);
    expect((await invite(client.admin.email)).errors).toHaveProperty('email');
    expect((await invite('a2@regie.example')).status).toBe(200);
    expect((await invite('A2@regie.example')).errors).toHaveProperty('email');
    await sql`UPDATE invitations SET expires_at = now() WHERE email = 'a2@regie.example'`.execute(app.db);
    expect((await invite('a2@regie.example')).status).toBe(200);
    await app.runJobs();
  });

  it('can be withdrawn: its link stops working, and it is journalled', async () => {
    const client = await app.signInWith();
    const body = { email: 'retiree@regie.example', capabilities: [idOf('read_audit')] };
    const { id } = CreatedId.parse((await client.post('/api/manage-admins/invite', body)).data);
    const [mail] = await app.runJobs();
    const weaker = await app.signInWith(['edit_admins']);
    expect((await weaker.delete(`/api/manage-admins/invite/${id}`)).status).toBe(403);
    expect((await client.delete(`/api/manage-admins/invite/${id}`)).status).toBe(200);
    expect((await client.delete(`/api/manage-admins/invite/${id}`)).status).toBe(404);
    const visitor = await app.visitor();
    const names = { fname: 'Inès', lname: 'Marchand', password: newPassword, password_confirmation: newPassword };
    expect(await visitor.post('/api/auth/signup', { ...names, token: tokenIn(mail) })).toMatchObject({ status: 422 });
    expect(await lastEntry('admin.cancel_invitation')).toMatchObject({
      adminId: client.admin.id,
      entityId: String(id),
      before: { email: body.email, capabilities: ['read_audit'] },
    });
  });
});

describe('the list', () => {
  const Listed = z.object({
    admins: z.array(Admin),
    capabilities: z.array(z.object({ id: z.number(), name: z.string(), grantable: z.boolean() })),
  });
  const list = async (client: TestClient, query = '') => {
    const reply = await client.get(`/api/manage-admins${query}`);
    expect(reply.status).toBe(200);
    return { ...Listed.parse(reply.data), meta: reply.meta };
  };

  it('pages every admin once, in either order of each sort', async () => {
    const client = await app.signInWith();
    await Promise.all(Array.from({ length: 5 }, () => app.buildAdmin({ capabilities: [] })));
    const all = await list(client, '?limit=500&sort=id');
    expect(all.meta).toEqual({ nextCursor: null, total: all.admins.length, totalIsExact: true });
    for (const sort of ['name', 'email', 'id']) {
      for (const order of ['asc', 'desc']) {
        const seen: number[] = [];
        let cursor: string | null = '';
        while (cursor !== null) {
          const query: string = `?limit=3&sort=${sort}&order=${order}${cursor ? `&cursor=${cursor}` : ''}`;
          const page = await list(client, query);
          expect(page.admins.length).toBeLessThanOrEqual(3);
          seen.push(...page.admins.map(({ id }) => id));
          cursor = page.meta?.nextCursor ?? null;
        }
        expect(seen, `${sort} ${order}`).toHaveLength(all.admins.length);
        expect(new Set(seen)).toEqual(new Set(all.admins.map(({ id }) => id)));
      }
    }
  });

  it('searches names and addresses without case or accents; % and _ are literal', async () => {
    const client = await app.signInWith();
    await client.post(
      '/api/manage-admins/admin',
      form({ fname: 'Zoé', lname: 'Lefèvre_K', email: 'zk@regie.example' }),
    );
    for (const q of ['zoe lefevre', 'LEFÈVRE', 'zk@regie', 'e_k']) {
      const { admins, meta } = await list(client, `?q=${encodeURIComponent(q)}`);
      expect(
        admins.map(({ email }) => email),
        q,
      ).toEqual(['zk@regie.example']);
      expect(meta?.total).toBe(1);
    }
    expect((await list(client, '?q=%25')).admins).toEqual([]);
  });

  it('shows what the caller may change, delete and grant', async () => {
    const client = await app.signInWith(['edit_admins', 'delete_admins', 'read_tools']);
    const weaker = await app.buildAdmin({ capabilities: ['read_tools'] });
    const stronger = await app.buildAdmin({ capabilities: ['read_audit'] });
    const { admins, capabilities: all } = await list(client, '?limit=500');
    const rights = (id: number) => {
      const found = admins.find((admin) => admin.id === id);
      return [found?.canEdit, found?.canDelete];
    };
    expect(rights(weaker.id)).toEqual([true, true]);
    expect(rights(stronger.id)).toEqual([false, false]);
    expect(rights(client.admin.id)).toEqual([true, false]);
    expect(all.map(({ name }) => name)).toEqual(capabilities.map(({ name }) => name));
    expect(all.filter(({ grantable }) => grantable).map(({ name }) => name)).toEqual([
      'read_admins',
      'edit_admins',
      'delete_admins',
      'read_tools',
    ]);
    const reader = await app.signInWith(['read_admins']);
    expect((await list(reader)).capabilities.some(({ grantable }) => grantable)).toBe(false);
    expect((await list(reader)).admins.some(({ canEdit, canDelete }) => canEdit || canDelete)).toBe(false);
  });

  it('pages the capabilities when asked for that kind', async () => {
    const client = await app.signInWith();
    const first = await list(client, '?kind=capabilities&limit=20');
    expect(first.capabilities.map(({ id }) => id)).toEqual(capabilities.slice(0, 20).map(({ id }) => id));
    expect(first.meta).toMatchObject({ total: capabilities.length, totalIsExact: true });
    const rest = await list(client, `?kind=capabilities&limit=20&cursor=${first.meta?.nextCursor}`);
    expect(rest.capabilities.map(({ id }) => id)).toEqual(capabilities.slice(20).map(({ id }) => id));
    expect(rest.meta?.nextCursor).toBeNull();
  });

  it('never contains a password hash', async () => {
    const client = await app.signInWith();
    expect(JSON.stringify((await client.get('/api/manage-admins?limit=500')).data)).not.toMatch(/argon2|password/i);
  });
});

describe('the first admin', () => {
  it('has all capabilities and is journalled as created by the system', async () => {
    const admin = { email: 'premiere@regie.example', password: newPassword, fname: 'Ada', lname: 'Martin' };
    const id = await createAdminWithAllCapabilities(app.db, admin);
    expect((await rightsOf(id)).sort()).toEqual([...capabilityNames].sort());
    await app.signIn({ id, email: admin.email, capabilities: [] }, newPassword);
    expect(await lastEntry('admin.create')).toMatchObject({ adminId: null, entityId: String(id) });
    const refusal = async (change: object) => {
      const failure = await createAdminWithAllCapabilities(app.db, { ...admin, ...change }).catch(
        (error: unknown) => error,
      );
      return failure instanceof AppError ? Object.keys(failure.errors) : failure;
    };
    expect(await refusal({})).toEqual(['email']);
    expect(await refusal({ email: 'x', fname: 'A' })).toEqual(['fname', 'email']);
    expect(await refusal({ email: 'autre@regie.example', password: 'motdepasse' })).toEqual(['password']);
  });
});

describe('the nightly cleanup', () => {
  it('deletes only expired and ended rows', async () => {
    const client = await app.signInWith(['read_tools']);
    const ended = await app.signInWith(['read_tools']);
    const { id } = client.admin;
    await sql`UPDATE sessions SET last_seen_at = now() - interval '13 hours' WHERE admin_id = ${ended.admin.id}`.execute(
      app.db,
    );
    await sql`INSERT INTO idempotency_keys (admin_id, scope, key, body_hash, response, created_at) VALUES
      (${id}, 's', 'old', '', '{}', now() - interval '7 days 1 minute'), (${id}, 's', 'new', '', '{}', now() - interval '6 days')`.execute(
      app.db,
    );
    await sql`INSERT INTO password_resets (token_hash, admin_id, expires_at, used_at) VALUES
      (sha256('used'), ${id}, now() + interval '1 hour', now()), (sha256('late'), ${id}, now() - interval '1 second', NULL),
      (sha256('good'), ${id}, now() + interval '1 hour', NULL)`.execute(app.db);
    await sql`DELETE FROM rate_limits`.execute(app.db);
    await sql`INSERT INTO rate_limits (key, points, expire) VALUES ('old', 1, ${Date.now() - 1000}), ('new', 1, ${Date.now() + 60_000})`.execute(
      app.db,
    );
    await sql`SELECT enqueue_job('tidy_up', '{}'::json)`.execute(app.db);
    await app.runJobs();

    expect((await client.check()).status).toBe(200);
    const left = await sql`SELECT
      (SELECT count(*) FROM sessions WHERE admin_id = ${ended.admin.id}) AS sessions,
      (SELECT array_agg(key) FROM idempotency_keys WHERE admin_id = ${id}) AS keys,
      (SELECT count(*) FROM password_resets WHERE admin_id = ${id} AND token_hash = sha256('good')) AS good,
      (SELECT count(*) FROM password_resets WHERE admin_id = ${id}) AS resets,
      (SELECT array_agg(key::text) FROM rate_limits) AS limits`.execute(app.owner);
    expect(left.rows).toEqual([{ sessions: 0, keys: ['new'], good: 1, resets: 1, limits: ['new'] }]);
  });
});
