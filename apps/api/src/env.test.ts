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

  it.each(['serve', 'start'] as const)('must be said for an https address when the command is %s', (command) => {
    expect(problemsOf({ TRUST_PROXY: undefined }, command)).toEqual([missing]);
    expect(problemsOf({ TRUST_PROXY: '' }, command)).toEqual([missing]);
    expect(problemsOf({ TRUST_PROXY: undefined, PUBLIC_URL: 'http://regie.example' }, command)).toEqual([]);
  });

  it('is not needed where nobody calls', () => {
    expect(problemsOf({ TRUST_PROXY: undefined, ROLE: 'worker' })).toEqual([]);
    expect(problemsOf({ TRUST_PROXY: undefined }, 'tool')).toEqual([]);
  });

  it('none names no proxy, and stands alone', () => {
    expect(loadEnv({ ...production, TRUST_PROXY: 'none' }, 'serve').trustProxy).toEqual([]);
    expect(loadEnv(production, 'serve').trustProxy).toEqual(['127.0.0.1']);
    expect(problemsOf({ TRUST_PROXY: 'none,127.0.0.1' })).toHaveLength(1);
  });
});

it("a web process takes no owner's login", () => {
  const web = { ROLE: 'web' };
  expect(problemsOf(web)).toEqual([expect.stringContaining('DATABASE_URL : avec ROLE=web')]);
  expect(problemsOf({ ...web, DATABASE_URL: 'postgres://localhost/regie' })).toEqual([]);
  expect(problemsOf({ ...web, DATABASE_URL: 'postgres://regie_app@localhost/regie' })).toEqual([]);
  expect(problemsOf({ ROLE: 'worker' })).toEqual([]);
});
