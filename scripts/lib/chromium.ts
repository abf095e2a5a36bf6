import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { createReadStream, createWriteStream, existsSync } from 'node:fs';
import { chmod, mkdir, mkdtemp, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { delimiter, dirname, join, resolve } from 'node:path';
import type { Writable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { fileURLToPath } from 'node:url';
import { createBrotliDecompress } from 'node:zlib';

export type Chromium = {
  executablePath: string;
  /** Added to the browser's environment only: its libraries would break other processes. */
  env: Record<string, string>;
  args: string[];
};

const repositoryRoot = resolve(import.meta.dirname, '..', '..');
const installedNames = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable', 'chrome'];

/**
 * `CHROMIUM_PATH`, else the npm package's Chromium, else an installed one, else (as root on Debian) the distribution's.
 * @throws when none starts
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
 * Chromium, libraries missing on bare systems and a font, in Brotli. The package's launcher is for serverless hosts, so
 * its archives are unpacked here, once.
 */
async function inflateFromNpm(): Promise<Chromium | undefined> {
  if (process.platform !== 'linux' || process.arch !== 'x64') return undefined;
  const packageFolder = resolve(dirname(fileURLToPath(import.meta.resolve('@sparticuz/chromium'))), '..');
  const { version }: { version: string } = JSON.parse(await readFile(join(packageFolder, 'package.json'), 'utf8'));
  const cache = join(repositoryRoot, 'node_modules', '.cache');
  const home = join(cache, `chromium-${version}`);
  if (!existsSync(home)) {
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
      if (!existsSync(home)) throw error;
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

async function inflate(source: string, target: Writable): Promise<void> {
  await pipeline(createReadStream(source), createBrotliDecompress(), target);
}

async function untar(source: string, folder: string): Promise<void> {
  const tar = spawn('tar', ['-x', '-f', '-', '--no-same-owner', '-C', folder], {
    stdio: ['pipe', 'ignore', 'inherit'],
  });
  const [[code]] = await Promise.all([once(tar, 'close'), inflate(source, tar.stdin)]);
  if (code !== 0) throw new Error(`tar ended with ${code} on ${source}`);
}

function findInstalled(): Chromium | undefined {
  const folders = [...(process.env.PATH ?? '').split(delimiter), '/usr/bin', '/usr/local/bin', '/snap/bin'];
  const candidates = folders.filter(Boolean).flatMap((folder) => installedNames.map((name) => join(folder, name)));
  const executablePath = candidates.find((candidate) => existsSync(candidate));
  return executablePath === undefined ? undefined : plain(executablePath);
}

function installFromDistribution(): Chromium | undefined {
  if (process.getuid?.() !== 0 || !existsSync('/usr/bin/apt-get')) return undefined;
  for (const args of [['update'], ['install', '-y', '--no-install-recommends', 'chromium']]) {
    const run = spawnSync('apt-get', args, {
      env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' },
      stdio: ['ignore', 'ignore', 'inherit'],
    });
    if (run.status !== 0) throw new Error(`apt-get ${args.join(' ')} ended with ${run.status}`);
  }
  return findInstalled();
}
