import { spawn, spawnSync } from 'node:child_process';
import { createReadStream, createWriteStream } from 'node:fs';
import { access, chmod, mkdir, mkdtemp, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { delimiter, dirname, join, resolve } from 'node:path';
import type { Writable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { fileURLToPath } from 'node:url';
import { createBrotliDecompress } from 'node:zlib';

/** Options to launch the browser. */
export type Chromium = {
  executablePath: string;
  /** Added to the browser's environment only: its libraries would break other processes. */
  env: Record<string, string>;
  args: string[];
};

const repositoryRoot = resolve(import.meta.dirname, '..', '..');
const installedNames = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable', 'chrome'];

/**
 * Finds a working Chromium: `CHROMIUM_PATH`, else the npm package's, else an installed one, else (as root on Debian
 * and its derivatives) installs the distribution's package.
 * @throws when there is none, or `CHROMIUM_PATH` names something that does not start
 */
export async function findChromium(): Promise<Chromium> {
  const refusals: string[] = [];
  const named = process.env.CHROMIUM_PATH;
  if (named) {
    const chromium = plain(named);
    const problem = whyNotRunnable(chromium);
    if (problem) throw new Error(`CHROMIUM_PATH (${named}) does not start: ${problem}`);
    return chromium;
  }
  for (const find of [inflateFromNpm, findInstalled, installFromDistribution]) {
    try {
      const chromium = await find();
      if (!chromium) continue;
      const problem = whyNotRunnable(chromium);
      if (!problem) return chromium;
      refusals.push(`${chromium.executablePath}: ${problem}`);
    } catch (error) {
      refusals.push(error instanceof Error ? error.message : String(error));
    }
  }
  throw new Error(
    ['No Chromium runs here. Install one, or set CHROMIUM_PATH to its executable.', ...refusals].join('\n  '),
  );
}

function plain(executablePath: string): Chromium {
  return { executablePath, env: {}, args: sandboxArgs() };
}

/** Chromium's sandbox does not work as root. */
function sandboxArgs(): string[] {
  return process.getuid?.() === 0 ? ['--no-sandbox'] : [];
}

function whyNotRunnable({ executablePath, env }: Chromium): string | undefined {
  const run = spawnSync(executablePath, ['--version', ...sandboxArgs()], {
    env: { ...process.env, ...env },
    encoding: 'utf8',
    timeout: 30_000,
  });
  if (run.error) return run.error.message;
  if (run.status !== 0) return run.stderr.trim() || `ended with ${run.signal ?? run.status}`;
  return undefined;
}

/**
 * The npm package contains a Brotli-compressed Chromium, libraries missing on bare systems, and a font. Its own
 * launcher is for serverless hosts (shared folder in /tmp, one process), so the archives are unpacked here, once.
 */
async function inflateFromNpm(): Promise<Chromium | undefined> {
  if (process.platform !== 'linux' || process.arch !== 'x64') return undefined;
  const packageFolder = resolve(dirname(fileURLToPath(import.meta.resolve('@sparticuz/chromium'))), '..');
  const manifest: unknown = JSON.parse(await readFile(join(packageFolder, 'package.json'), 'utf8'));
  const version = isVersioned(manifest) ? manifest.version : 'unknown';
  const cache = join(repositoryRoot, 'node_modules', '.cache');
  const home = join(cache, `chromium-${version}`);
  if (!(await exists(home))) {
    await mkdir(cache, { recursive: true });
    const draft = await mkdtemp(join(cache, 'chromium-draft-'));
    try {
      const bin = join(packageFolder, 'bin');
      await inflate(join(bin, 'chromium.br'), createWriteStream(join(draft, 'chromium')));
      for (const archive of ['swiftshader.tar.br', 'al2023.tar.br', 'fonts.tar.br']) {
        await untar(join(bin, archive), draft);
      }
      await chmod(join(draft, 'chromium'), 0o755);
      await chmod(draft, 0o755);
      await writeFile(join(draft, 'fonts.conf'), fontsConfiguration);
      await rename(draft, home);
    } catch (error) {
      await rm(draft, { recursive: true, force: true });
      // A concurrent run may have unpacked first; use its folder.
      if (!(await exists(home))) throw error;
    }
  }
  return {
    executablePath: join(home, 'chromium'),
    env: { LD_LIBRARY_PATH: join(home, 'lib'), FONTCONFIG_PATH: home, XDG_CACHE_HOME: join(home, 'cache') },
    args: sandboxArgs(),
  };
}

/** The package's font first, for equal rendering everywhere; the system's for missing glyphs (monospace, CJK). */
const fontsConfiguration = `<?xml version="1.0"?>
<!DOCTYPE fontconfig SYSTEM "urn:fontconfig:fonts.dtd">
<fontconfig>
  <dir prefix="relative">fonts</dir>
  <dir>/usr/share/fonts</dir>
  <cachedir prefix="xdg">fonts</cachedir>
  <alias><family>sans-serif</family><prefer><family>Open Sans</family></prefer></alias>
  <alias><family>monospace</family><prefer><family>DejaVu Sans Mono</family></prefer></alias>
</fontconfig>
`;

function isVersioned(value: unknown): value is { version: string } {
  return typeof value === 'object' && value !== null && 'version' in value && typeof value.version === 'string';
}

async function inflate(source: string, target: Writable): Promise<void> {
  await pipeline(createReadStream(source), createBrotliDecompress(), target);
}

async function untar(source: string, folder: string): Promise<void> {
  const tar = spawn('tar', ['-x', '-f', '-', '--no-same-owner', '-C', folder], {
    stdio: ['pipe', 'ignore', 'inherit'],
  });
  const ended = new Promise<void>((done, fail) => {
    tar.once('error', fail);
    tar.once('close', (code) => (code === 0 ? done() : fail(new Error(`tar ended with ${code} on ${source}`))));
  });
  await Promise.all([inflate(source, tar.stdin), ended]);
}

async function findInstalled(): Promise<Chromium | undefined> {
  const folders = [...(process.env.PATH ?? '').split(delimiter), '/usr/bin', '/usr/local/bin', '/snap/bin'];
  for (const folder of folders) {
    for (const name of installedNames) {
      const candidate = join(folder, name);
      if (folder && (await exists(candidate))) return plain(candidate);
    }
  }
  return undefined;
}

async function installFromDistribution(): Promise<Chromium | undefined> {
  if (process.getuid?.() !== 0 || !(await exists('/usr/bin/apt-get'))) return undefined;
  for (const args of [['update'], ['install', '-y', '--no-install-recommends', 'chromium']]) {
    const run = spawnSync('apt-get', args, {
      env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' },
      stdio: ['ignore', 'ignore', 'inherit'],
    });
    if (run.status !== 0) throw new Error(`apt-get ${args.join(' ')} ended with ${run.status}`);
  }
  return findInstalled();
}

async function exists(path: string): Promise<boolean> {
  try {
    await access(path);
    return true;
  } catch {
    return false;
  }
}
