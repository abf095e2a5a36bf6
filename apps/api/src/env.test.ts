import { describe, expect, it } from 'vitest';
import { type Command, EnvError, loadEnv } from './env.ts';

const production = {
  DATABASE_URL: 'postgres://regie:x@localhost/regie',
  SESSION_SECRET: 'x'.repeat(32),
  PUBLIC_URL: 'https://regie.example',
  TRUST_PROXY: '127.0.0.1',
};
function problemsOf(changes: Record<string, string | undefined>, command: Command = 'serve'): string[] {
  try {
    loadEnv({ ...production, ...changes }, command);
    return [];
  } catch (error) {
    if (error instanceof EnvError) return error.problems;
    throw error;
  }
}

describe('TRUST_PROXY', () => {
  const missing =
    'TRUST_PROXY : requis quand PUBLIC_URL est en https\u00A0: l’adresse du serveur qui porte le certificat, ou none s’il n’y en a pas';

  it.each(['serve', 'start'] as const)('is required for an https address with the command %s', (command) => {
    expect(problemsOf({ TRUST_PROXY: undefined }, command)).toEqual([missing]);
    expect(problemsOf({ TRUST_PROXY: '' }, command)).toEqual([missing]);
    expect(problemsOf({ TRUST_PROXY: undefined, PUBLIC_URL: 'http://regie.example' }, command)).toEqual([]);
  });

  it('is not required for processes without callers', () => {
    expect(problemsOf({ TRUST_PROXY: undefined, ROLE: 'worker' })).toEqual([]);
    expect(problemsOf({ TRUST_PROXY: undefined }, 'tool')).toEqual([]);
  });

  it('"none" means no proxy and cannot be combined', () => {
    expect(loadEnv({ ...production, TRUST_PROXY: 'none' }, 'serve').trustProxy).toEqual([]);
    expect(loadEnv(production, 'serve').trustProxy).toEqual(['127.0.0.1']);
    expect(problemsOf({ TRUST_PROXY: 'none,127.0.0.1' })).toHaveLength(1);
  });
});

describe('BACKUP_URL', () => {
  const backup = { BACKUP_URL: 'file:///srv/backups', BACKUP_PASSPHRASE_FILE: '/etc/regie/passphrase' };

  it('requires exactly one kind of encryption', () => {
    expect(loadEnv({ ...production, ...backup }, 'serve').backup).toEqual({
      ...{ url: 'file:///srv/backups', passphraseFile: '/etc/regie/passphrase', identityFile: undefined },
      ...{ recipients: [], keepDays: 30 },
    });
    const recipients = { BACKUP_RECIPIENTS: `age1${'q'.repeat(58)}, age1${'p'.repeat(58)}` };
    expect(problemsOf({ ...recipients, BACKUP_URL: backup.BACKUP_URL })).toEqual([]);
    expect(problemsOf({ BACKUP_URL: backup.BACKUP_URL })).toEqual([expect.stringContaining('toujours chiffrée')]);
    expect(problemsOf({ ...backup, ...recipients })).toEqual([expect.stringContaining('gardez l’une des deux')]);
    expect(problemsOf({ BACKUP_RECIPIENTS: 'AGE-SECRET-KEY-1' })).toEqual([expect.stringContaining('age1…')]);
    expect(problemsOf({ BACKUP_KEEP_DAYS: '0' })).toHaveLength(1);
  });

  it('refuses the folder or the bucket of the files', () => {
    const s3 = (key: string) => `s3://${key}:x@s3.example/seau?region=fr-par`;
    for (const [files, url] of [
      ['file:///srv', 'file:///srv/backups'],
      ['file:///srv/backups/', 'file:///srv/backups'],
      [s3('one'), s3('two')],
    ]) {
      expect(problemsOf({ ...backup, STORAGE_URL: files, BACKUP_URL: url })).toEqual([
        expect.stringContaining('BACKUP_URL : un autre dossier ou un autre seau'),
      ]);
    }
    expect(problemsOf({ ...backup, STORAGE_URL: 'file:///srv/backups-of-files' })).toEqual([]);
    expect(problemsOf({ ...backup, STORAGE_URL: s3('one') })).toEqual([]);
    expect(problemsOf({ ...backup, DATA_DIR: '/srv', BACKUP_URL: 'file:///srv/files/backups' })).toHaveLength(1);
  });
});

describe('ANALYTICS_URL', () => {
  const bucket = { STORAGE_URL: 's3://clé:secret@s3.example/seau?region=fr-par' };

  it('requires STORAGE_URL to be a bucket', () => {
    const analytics = { ANALYTICS_URL: 'https://regie:a%2Fb@click.example:8443/?collection=lignes&cluster=maison' };
    expect(problemsOf(analytics)).toEqual([
      'ANALYTICS_URL : demande STORAGE_URL=s3://…\u00A0: ClickHouse lit les lignes des relevés dans un seau',
    ]);
    expect(problemsOf({ ...analytics, STORAGE_URL: 'file:///srv/files' })).toHaveLength(1);
    expect(loadEnv({ ...production, ...bucket, ...analytics }, 'serve').analytics).toEqual({
      ...{ url: 'https://click.example:8443/', username: 'regie', password: 'a/b' },
      ...{ collection: 'lignes', cluster: 'maison', memoryGb: 10 },
    });
    expect(loadEnv({ ...production, ...bucket }, 'serve').analytics).toBeUndefined();
  });

  it.each([
    ['postgres://regie:x@click.example/?collection=lignes', 'attendu https://'],
    ['https://click.example/?collection=lignes', 'le compte'],
    ['https://regie@click.example/?collection=lignes', 'le mot de passe'],
    ['https://regie:x@click.example/', 'collection'],
    ["https://regie:x@click.example/?collection=a'b", 'collection'],
    ['https://regie:x@click.example/?collection=lignes&cluster=', 'cluster'],
    ['https://regie:x@click.example/?collection=lignes&memory_gb=0', 'memory_gb'],
    ['https://regie:x@click.example/?collection=lignes&database=regie', 'database'],
  ])('rejects %s', (url, problem) => {
    expect(problemsOf({ ...bucket, ANALYTICS_URL: url })).toEqual([expect.stringContaining(problem)]);
  });
});

it("a web process rejects the owner's login", () => {
  const web = { ROLE: 'web' };
  expect(problemsOf(web)).toEqual([expect.stringContaining('DATABASE_URL : avec ROLE=web')]);
  expect(problemsOf({ ...web, DATABASE_URL: 'postgres://localhost/regie' })).toEqual([]);
  expect(problemsOf({ ...web, DATABASE_URL: 'postgres://regie_app@localhost/regie' })).toEqual([]);
  expect(problemsOf({ ROLE: 'worker' })).toEqual([]);
});

describe('the identity provider', () => {
  const oidc = {
    OIDC_ISSUER: 'https://compte.fadeurs.example/realms/maison',
    OIDC_CLIENT_ID: 'regie',
    OIDC_CLIENT_SECRET: 'secret',
    OIDC_ROLES_CLAIM: 'groups',
    OIDC_PRESETS: 'compta=accounting, cn=direction=all,support=support',
  };

  it('is read completely, with a default button label', () => {
    const env = loadEnv({ ...production, ...oidc }, 'serve');
    expect(env.oidc).toEqual({
      issuer: oidc.OIDC_ISSUER,
      clientId: 'regie',
      clientSecret: 'secret',
      label: 'Compte de l’entreprise',
      rolesClaim: 'groups',
      presets: [
        { role: 'compta', preset: 'accounting' },
        { role: 'cn=direction', preset: 'all' },
        { role: 'support', preset: 'support' },
      ],
    });
    expect(env.isLocalSignInClosed).toBe(false);
    expect(loadEnv({ ...production, ...oidc, LOCAL_SIGN_IN: 'off' }, 'serve').isLocalSignInClosed).toBe(true);
    expect(loadEnv(production, 'serve').oidc).toBeUndefined();
  });

  it.each(['OIDC_ISSUER', 'OIDC_CLIENT_ID', 'OIDC_CLIENT_SECRET', 'OIDC_ROLES_CLAIM', 'OIDC_PRESETS'])(
    '%s is required when the other variables are set',
    (name) => {
      expect(problemsOf({ ...oidc, [name]: undefined })).toEqual([
        `${name} : requis dès qu’une autre variable OIDC_… est donnée`,
      ]);
    },
  );

  it.each([
    { OIDC_ISSUER: 'http://compte.fadeurs.example' },
    { OIDC_ISSUER: 'compte.fadeurs.example' },
    { OIDC_PRESETS: 'compta' },
    { OIDC_PRESETS: '=all' },
    { OIDC_PRESETS: 'compta=comptabilite' },
    { OIDC_PRESETS: 'compta=toString' },
    { OIDC_LABEL: 'x'.repeat(61) },
    { LOCAL_SIGN_IN: 'non' },
  ])('%o is refused', (change) => {
    const [problem, ...others] = problemsOf({ ...oidc, ...change });
    expect(others).toEqual([]);
    expect(problem).toContain(`${Object.keys(change)[0]} : attendu`);
  });

  it('may use http on this machine', () => {
    expect(problemsOf({ ...oidc, OIDC_ISSUER: 'http://127.0.0.1:8080/realms/maison' })).toEqual([]);
  });

  it('is required when password sign-in is disabled', () => {
    expect(problemsOf({ LOCAL_SIGN_IN: 'off' })).toEqual([expect.stringContaining('LOCAL_SIGN_IN : off demande')]);
  });
});
