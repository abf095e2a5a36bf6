import { type SmartlinkPlatform, smartlinkPlatformNames, type smartlinkPlatforms } from '@regie/contract/smartlinks.ts';
import { de } from '@regie/values/elision.ts';
import { escapeText, htmlPage, policyOf } from '#src/lib/html-page.ts';

export interface SmartlinkPage {
  slug: string;
  link: string;
  title: string;
  artist: string;
  hasCover: boolean;
  platforms: readonly SmartlinkPlatform[];
}

/** Listening platforms first, then video and social ones. */
const shownOrder: readonly (typeof smartlinkPlatforms)[number][] = [
  'spotify',
  'apple-music',
  'deezer',
  'youtube-music',
  'anghami',
  'youtube',
  'instagram',
  'facebook',
];

const verbs: Partial<Record<SmartlinkPlatform, string>> = {
  youtube: 'Regarder',
  instagram: 'Suivre',
  facebook: 'Suivre',
};

/** On a 24 grid, most from Tabler Icons (MIT). */
const outlines: Record<SmartlinkPlatform, readonly string[]> = {
  spotify: [
    'M8 11.973c2.5 -1.473 5.5 -.973 7.5 .527',
    'M9 15c1.5 -1 4 -1 5 .5',
    'M7 9c2 -1 6 -2 10 .5',
    'M3 12a9 9 0 1 0 18 0a9 9 0 1 0 -18 0',
  ],
  'apple-music': [
    'M3 17a3 3 0 1 0 6 0a3 3 0 0 0 -6 0',
    'M13 17a3 3 0 1 0 6 0a3 3 0 0 0 -6 0',
    'M9 17v-13h10v13',
    'M9 8h10',
  ],
  deezer: ['M4 18v-3', 'M8 18v-7', 'M12 18v-11', 'M16 18v-6', 'M20 18v-9'],
  'youtube-music': ['M3 12a9 9 0 1 0 18 0a9 9 0 1 0 -18 0', 'M10 8.5l5.5 3.5l-5.5 3.5z'],
  anghami: ['M4 14v-4', 'M8 17v-10', 'M12 20v-16', 'M16 17v-10', 'M20 14v-4'],
  youtube: ['M2 8a4 4 0 0 1 4 -4h12a4 4 0 0 1 4 4v8a4 4 0 0 1 -4 4h-12a4 4 0 0 1 -4 -4z', 'M10 9l5 3l-5 3z'],
  instagram: [
    'M3 7a4 4 0 0 1 4 -4h10a4 4 0 0 1 4 4v10a4 4 0 0 1 -4 4h-10a4 4 0 0 1 -4 -4z',
    'M8.5 12a3.5 3.5 0 1 0 7 0a3.5 3.5 0 0 0 -7 0',
    'M17 7v.01',
  ],
  facebook: ['M7 10v4h3v7h4v-7h3l1 -4h-4v-2a1 1 0 0 1 1 -1h3v-4h-3a5 5 0 0 0 -5 5v2z'],
};

const css = `
*{box-sizing:border-box}
:root{color-scheme:light dark;--paper:#fff;--ground:#eef0f4;--ink:#16181d;--soft:#565b66;--line:#dfe2e8;--over:#f5f6f9;--veil:rgba(238,240,244,.72)}
@media (prefers-color-scheme:dark){:root{--paper:#191b20;--ground:#0e0f12;--ink:#f2f3f5;--soft:#a9aeb9;--line:#30343c;--over:#23262d;--veil:rgba(14,15,18,.74)}}
html{background:var(--ground);-webkit-text-size-adjust:100%}
body{margin:0;min-height:100vh;min-height:100dvh;display:grid;place-items:center;padding:24px 16px;color:var(--ink);font:16px/1.45 system-ui,-apple-system,"Segoe UI",Roboto,"Helvetica Neue",Arial,sans-serif}
.back{position:fixed;inset:-40px;z-index:-1;overflow:hidden}
.back img{width:100%;height:100%;object-fit:cover;filter:blur(36px) saturate(1.3)}
.back:after{content:"";position:absolute;inset:0;background:var(--veil)}
main{width:100%;max-width:412px;background:var(--paper);border-radius:22px;padding:20px;box-shadow:0 18px 50px rgba(10,12,18,.22)}
.cover{display:block;width:100%;height:auto;aspect-ratio:1;border-radius:14px;object-fit:cover;background:var(--over)}
.none{display:grid;place-items:center;aspect-ratio:16/9;border-radius:14px;background:var(--over);color:var(--soft)}
.none svg{width:56px;height:56px}
h1{margin:20px 4px 0;font-size:24px;line-height:1.2;font-weight:700;letter-spacing:-.01em;text-align:center;overflow-wrap:anywhere;text-wrap:balance}
.artist{margin:6px 4px 0;color:var(--soft);text-align:center;overflow-wrap:anywhere}
ul{margin:20px 0 0;padding:0;list-style:none;display:grid;gap:8px}
a{display:flex;align-items:center;gap:12px;min-height:56px;padding:8px 10px;border:1px solid var(--line);border-radius:14px;color:inherit;text-decoration:none;transition:background-color .14s}
a:hover{background:var(--over)}
a:focus-visible{outline:3px solid var(--ink);outline-offset:2px}
.mark{flex:none;display:grid;place-items:center;width:38px;height:38px;border-radius:11px;color:#fff}
svg{width:22px;height:22px;fill:none;stroke:currentColor;stroke-width:2;stroke-linecap:round;stroke-linejoin:round}
.name{flex:1;font-weight:700}
.verb{padding:6px 12px;border-radius:99px;background:var(--ink);color:var(--paper);font-size:14px;font-weight:700}
.note{margin:18px 4px 2px;color:var(--soft);font-size:13px;text-align:center}
.wait{margin:20px 4px 0;color:var(--soft);text-align:center}
.spotify{background:#1aa34a}.apple-music{background:#f5294a}.deezer{background:#8f2de8}.youtube-music{background:#e00b2b}
.anghami{background:#5b2be0}.youtube{background:#e00b2b}.instagram{background:#c42d7e}.facebook{background:#1877f2}
@media (max-width:420px){body{padding:0;place-items:start stretch}main{max-width:none;min-height:100vh;min-height:100dvh;border-radius:0;padding:16px;box-shadow:none;background:none}
ul a,.none{background:var(--paper)}ul a:hover{background:var(--over)}.cover{box-shadow:0 14px 40px rgba(10,12,18,.28)}.artist,.note,.wait{color:var(--ink)}.back:after{background:var(--veil)}}
@media (prefers-reduced-motion:reduce){a{transition:none}}
`;

export const smartlinkPolicy = policyOf(css);

const draw = (paths: readonly string[]) =>
  `<svg viewBox="0 0 24 24" aria-hidden="true">${paths.map((path) => `<path d="${path}"/>`).join('')}</svg>`;

const toDocument = (head: string, body: string) => htmlPage(css, head, body);

/** For link previews. */
const sharedSide = 1200;

function sharedTags({ link, title, artist, hasCover }: SmartlinkPage, name: string, summary: string): string {
  const tags: [string, string][] = [
    ['og:type', 'music.album'],
    ['og:locale', 'fr_FR'],
    ['og:title', name],
    ['og:description', summary],
    ['og:url', link],
  ];
  if (hasCover) {
    tags.push(
      ['og:image', `${link}/cover.webp?w=${sharedSide}`],
      ['og:image:type', 'image/webp'],
      ['og:image:width', String(sharedSide)],
      ['og:image:height', String(sharedSide)],
      ['og:image:alt', `Pochette ${de(title)}${artist === '' ? '' : `, ${artist}`}`],
    );
  }
  return [
    ...tags.map(([property, content]) => `<meta property="${property}" content="${escapeText(content)}">`),
    `<meta name="twitter:card" content="${hasCover ? 'summary_large_image' : 'summary'}">`,
  ].join('\n');
}

export function renderSmartlink(page: SmartlinkPage): string {
  const { slug, title, artist, hasCover } = page;
  const platforms = shownOrder.filter((platform) => page.platforms.includes(platform));
  const name = artist === '' ? title : `${title} – ${artist}`;
  const names = platforms.map((platform) => smartlinkPlatformNames[platform]).join(', ');
  const summary = names === '' ? name : `À retrouver sur ${names}`;
  const head = [
    `<title>${escapeText(name)}</title>`,
    `<meta name="description" content="${escapeText(`${name}. ${summary}.`)}">`,
    `<link rel="canonical" href="${escapeText(page.link)}">`,
    sharedTags(page, name, summary),
  ].join('\n');
  const cover = `${slug}/cover.webp`;
  const picture = hasCover
    ? `<img class="cover" src="${cover}" srcset="${cover}?w=365 365w, ${cover}?w=730 730w, ${cover}?w=1200 1200w" sizes="(max-width: 420px) calc(100vw - 32px), 372px" width="730" height="730" alt="Pochette ${escapeText(de(title))}">`
    : `<div class="none">${draw(outlines['apple-music'])}</div>`;
  const links = platforms.map(
    (platform) =>
      `<li><a href="${slug}/${platform}" rel="nofollow noopener"><span class="mark ${platform}">${draw(outlines[platform])}</span><span class="name">${smartlinkPlatformNames[platform]}</span> <span class="verb">${verbs[platform] ?? 'Écouter'}</span></a></li>`,
  );
  return toDocument(
    head,
    [
      hasCover ? `<div class="back" aria-hidden="true"><img src="${cover}?w=365" alt=""></div>` : '',
      '<main>',
      picture,
      `<h1 dir="auto">${escapeText(title)}</h1>`,
      artist === '' ? '' : `<p class="artist" dir="auto">${escapeText(artist)}</p>`,
      links.length === 0 ? '<p class="wait">Bientôt disponible.</p>' : `<ul>\n${links.join('\n')}\n</ul>`,
      '<p class="note">Cette page ne dépose aucun cookie et ne vous suit pas.</p>',
      '</main>',
    ]
      .filter((line) => line !== '')
      .join('\n'),
  );
}

/** Also for links that are not public. */
export const smartlinkNotFound = toDocument(
  '<title>Page introuvable</title>\n<meta name="robots" content="noindex">',
  `<main>
<div class="none">${draw(outlines['apple-music'])}</div>
<h1>Page introuvable</h1>
<p class="wait">Ce lien n’est pas en ligne, ou ne l’est plus. Vérifiez l’adresse, ou demandez-la à l’artiste.</p>
</main>`,
);

export const pageNotFound = toDocument(
  '<title>Page introuvable</title>\n<meta name="robots" content="noindex">',
  `<main>
<h1>Page introuvable</h1>
<p class="wait">Cette page n’existe pas ou n’existe plus. Vérifiez son adresse.</p>
<ul><li><a href="/"><span class="name">Retour à l’accueil</span></a></li></ul>
</main>`,
);

export const smartlinkUnavailable = toDocument(
  '<title>Page indisponible</title>\n<meta name="robots" content="noindex">',
  `<main>
<div class="none">${draw(outlines['apple-music'])}</div>
<h1>Page indisponible</h1>
<p class="wait">Cette page ne peut pas s’afficher pour l’instant. Réessayez dans un moment.</p>
</main>`,
);
