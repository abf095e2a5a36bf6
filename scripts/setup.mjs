// Installs what is missing before any other script runs. Plain JavaScript for any Node from 20 on.
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { waitForLock } from '#packages/embedded-postgres/src/folder-lock.mjs';

const neededMajor = 24;
const root = dirname(dirname(fileURLToPath(import.meta.url)));
const markerFile = join(root, 'node_modules', '.regie-setup');
/** The Node that every script and unit runs on. */
const nodeLink = join(root, 'node_modules', '.bin', 'node');

function fail(lines) {
  for (const line of lines) process.stderr.write(`${line}\n`);
  process.exit(1);
}

/** The lock file and the platform determine what is installed. */
function wantedState() {
  const hash = createHash('sha256').update(readFileSync(join(root, 'package-lock.json')));
  return `${hash.digest('hex')} ${process.platform}-${process.arch}\n`;
}

function nodePackage() {
  return join(root, 'node_modules', `node-${process.platform}-${process.arch}`);
}

function isNodeFromNpmOffered() {
  return process.platform === 'linux' && (process.arch === 'x64' || process.arch === 'arm64');
}

function isReady() {
  try {
    if (readFileSync(markerFile, 'utf8') !== wantedState()) return false;
  } catch {
    return false;
  }
  return !isNodeFromNpmOffered() || existsSync(nodeLink);
}

/** Debian's npm 9 forgets this link when it leaves out the package of the other processor. */
function linkNode() {
  if (existsSync(nodeLink) || !existsSync(join(nodePackage(), 'bin', 'node'))) return;
  rmSync(nodeLink, { force: true });
  symlinkSync(join('..', `node-${process.platform}-${process.arch}`, 'bin', 'node'), nodeLink);
}

/** npm puts node_modules/.bin first on PATH, but must not run on the Node it is about to replace. */
function cleanPath() {
  return (process.env.PATH ?? '')
    .split(delimiter)
    .filter((entry) => !/[\\/]node_modules[\\/]\.bin[\\/]?$/.test(entry) && !/node-gyp-bin[\\/]?$/.test(entry))
    .join(delimiter);
}

function install() {
  const env = { ...process.env, PATH: cleanPath() };
  // npm passes its settings to scripts as variables; NODE_ENV=production would skip development dependencies.
  delete env.NODE_ENV;
  delete env.npm_config_omit;
  process.stderr.write('Installation des dépendances (une à deux minutes la première fois)…\n');
  const npmCi = () =>
    spawnSync(
      'npm',
      ['ci', '--ignore-scripts', '--include=dev', '--include=optional', '--no-audit', '--no-fund', '--loglevel=error'],
      { cwd: root, env, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'], maxBuffer: 64 * 1024 * 1024 },
    );
  // Not asking again about each cached package saves a fifth of the time; a cache older than the lock file fails.
  env.npm_config_prefer_offline = 'true';
  let result = npmCi();
  if (result.status) {
    delete env.npm_config_prefer_offline;
    result = npmCi();
  }
  if (result.error?.code === 'ENOENT') {
    fail([
      'La commande npm est introuvable\u00A0: installez Node.js (version 20 ou plus récente) avec npm, puis relancez.',
    ]);
  }
  if (result.error) fail([`L'installation des dépendances n'a pas pu commencer\u00A0: ${result.error.message}`]);
  if (result.status !== 0) {
    const detail = `${result.stderr}\n${result.stdout}`
      .split('\n')
      .filter((line) => line.replace('npm error', '').trim() !== '')
      .slice(0, 12);
    fail([
      "L'installation des dépendances a échoué (npm ci).",
      ...detail.map((line) => `  ${line}`),
      "Vérifiez l'accès au registre npm et la place sur le disque, puis relancez la même commande.",
    ]);
  }
}

if (Number(process.versions.node.split('.')[0]) < 20) {
  fail([`Node.js ${process.versions.node} est trop ancien\u00A0: il faut la version 20 ou une plus récente.`]);
}

if (!isReady()) {
  const lock = await waitForLock(join(root, '.cache', 'setup.lock'), (pid) => {
    process.stderr.write(`Une autre installation est en cours (processus ${pid}), attente…\n`);
  });
  process.on('exit', () => lock.release());
  if (!isReady()) {
    rmSync(markerFile, { force: true });
    install();
    linkNode();
    if (isNodeFromNpmOffered() && !existsSync(nodeLink)) {
      fail([
        `Le paquet node-${process.platform}-${process.arch} manque après l'installation\u00A0: relancez la même commande.`,
      ]);
    }
    writeFileSync(markerFile, wantedState());
  }
}

if (!isNodeFromNpmOffered() && Number(process.versions.node.split('.')[0]) < neededMajor) {
  fail([
    `Sur ce système (${process.platform}-${process.arch}), Node.js ${neededMajor} doit être installé\u00A0: ` +
      `la version présente est ${process.versions.node}.`,
  ]);
}
