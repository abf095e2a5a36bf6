import { formatPayoutNumber } from '@regie/contract/payouts.ts';
import type { RoyaltyLine, RoyaltyRecord } from '@regie/contract/routes/royalty-statements.ts';
import { frDocuments } from '@regie/documents/documents.fr.ts';
import { royaltyMovements, sumOf } from '@regie/documents/movement-labels.ts';
import { countryName } from '@regie/values/countries.ts';
import {
  formatBalance,
  formatDate,
  formatInteger,
  formatLongMonth,
  formatMoney,
  formatMonth,
  formatPercent,
} from '@regie/values/formats.ts';
import { monthToMs } from '@regie/values/month.ts';
import { escapeText, htmlPage, policyOf } from '#src/lib/html-page.ts';

const t = frDocuments.royalty;

const heads = ['Plateforme', 'Pays', 'Mois', 'Quantité', 'Brut', 'Taux', 'Brut (€)', 'Part', 'Net (€)', 'Fichier'];
/** On phones a line is a list of its figures. */
const narrowLines = `@media (max-width:480px){.lines thead{display:none}.lines tr{display:block;padding:10px 0;border-top:1px solid var(--line)}.lines td{display:flex;justify-content:space-between;gap:16px;border:0;padding:2px 0;white-space:normal;text-align:right}.lines td:empty{display:none}.lines td:before{color:var(--soft)}${heads.map((name, index) => `.lines td:nth-child(${index + 1}):before{content:"${name}"}`).join('')}}`;

const css = `
*{box-sizing:border-box}
:root{color-scheme:light dark;--paper:#fff;--ground:#f1f2f5;--ink:#16181d;--soft:#565b66;--line:#dfe2e8;--bar:#3d5afe}
@media (prefers-color-scheme:dark){:root{--paper:#191b20;--ground:#0e0f12;--ink:#f2f3f5;--soft:#a9aeb9;--line:#30343c;--bar:#8c9eff}}
html{background:var(--ground);-webkit-text-size-adjust:100%}
body{margin:0;padding:24px 16px;color:var(--ink);font:16px/1.45 system-ui,-apple-system,"Segoe UI",Roboto,"Helvetica Neue",Arial,sans-serif}
main{max-width:760px}main:has(.lines){max-width:1080px}
main{margin:0 auto;background:var(--paper);border-radius:16px;padding:28px}
.house{margin:0;font-weight:700}
h1{margin:14px 0 0;font-size:26px;line-height:1.2;overflow-wrap:anywhere}
h2{margin:32px 0 8px;font-size:17px}
p{overflow-wrap:anywhere}
.sub{margin:4px 0 0;color:var(--soft)}
.due{margin:18px 0 0;font-size:34px;font-weight:700;font-variant-numeric:tabular-nums}
nav{display:flex;flex-wrap:wrap;gap:8px;margin:18px 0 0}
.go{display:inline-block;padding:9px 14px;border:1px solid var(--line);border-radius:9px;color:inherit;font-weight:700;text-decoration:none}
a{color:inherit;text-underline-offset:3px}
a:focus-visible{outline:3px solid var(--bar);outline-offset:2px}
.wide{overflow-x:auto}
table{width:100%;border-collapse:collapse}
th{padding:6px 8px 6px 0;color:var(--soft);font-size:13px;font-weight:700;text-align:left}
td{padding:8px 8px 8px 0;border-top:1px solid var(--line);vertical-align:top;overflow-wrap:anywhere}
.n{padding-right:0;text-align:right;white-space:nowrap;font-variant-numeric:tabular-nums}
.lines td,.lines th{padding-right:14px;white-space:nowrap;font-size:14px}
tfoot td{font-weight:700}
small{display:block;color:var(--soft);font-size:13px}
svg{display:block;width:100%;height:4px;margin-top:5px;border-radius:2px;fill:var(--bar)}
.note{margin:28px 0 0;color:var(--soft);font-size:13px}
${narrowLines}
@media (max-width:480px){body{padding:0}main{border-radius:0;padding:20px 16px;min-height:100vh}}
`;

export const statementPolicy = policyOf(css);

const euros = (amount: number) => formatMoney(amount, 'EUR');
const monthText = (month: string) => formatLongMonth(monthToMs(month));
const dayText = (day: string) => formatDate(Date.parse(day));
/** Text of records, isolated so that a right-to-left name does not reorder what follows. */
const own = (text: string) => (text === '' ? '' : `<bdi>${escapeText(text)}</bdi>`);

export const periodOf = ({ from, to }: Pick<RoyaltyRecord, 'from' | 'to'>): string =>
  from === to ? monthText(to) : `${monthText(from)} – ${monthText(to)}`;

const page = (title: string, body: string) =>
  htmlPage(
    css,
    `<title>${escapeText(title)}</title>\n<meta name="robots" content="noindex">`,
    `<main>\n${body}\n</main>`,
  );

const titleOf = ({ number }: RoyaltyRecord) => t.title(formatInteger(number));
const heading = (record: RoyaltyRecord, title = titleOf(record), sub = '') =>
  `<p class="house">${own(record.house.name)}</p>
<h1>${own(title)}</h1>
<p class="sub">${own(record.account.name)} · ${sub}${escapeText(periodOf(record))}</p>`;

const row = (name: string, amount: number, bar = '') =>
  `<tr><td>${name}${bar}</td><td class="n">${euros(amount)}</td></tr>`;

const balanceRow = (name: string, amount: number) =>
  `<tr><td>${name}</td><td class="n">${formatBalance(amount)}</td></tr>`;

function section(title: string, rows: readonly string[]): string {
  if (rows.length === 0) return '';
  return `<section><h2>${title}</h2>\n<table><tbody>\n${rows.join('\n')}\n</tbody></table></section>`;
}

/** As a part of the largest amount; the same amount is beside it as text. */
function barOf(amount: number, largest: number): string {
  if (amount <= 0 || largest <= 0) return '';
  const percent = Math.max(0.5, (100 * amount) / largest).toFixed(1);
  return `<svg aria-hidden="true"><rect width="${percent}%" height="4"/></svg>`;
}

const listed = 20;
/** The largest, and the sum of the others. */
function largest<Part extends Amount>(parts: readonly Part[]) {
  const sorted = parts.toSorted((a, b) => b.netEur - a.netEur);
  return { shown: sorted.slice(0, listed), others: sorted.slice(listed) };
}

type Amount = { netEur: number };
type Named = Amount & { name: string };

function sums(title: string, parts: readonly Named[], rest: (count: number) => string): string {
  const { shown, others } = largest(parts);
  const top = shown[0]?.netEur ?? 0;
  const rows = shown.map(({ name, netEur }) => row(own(name), netEur, barOf(netEur, top)));
  if (others.length > 0) rows.push(row(rest(others.length), sumOf(others)));
  return section(title, rows);
}

type Track = RoyaltyRecord['income']['tracks'][number];

function trackRow(base: string, track: Track, top: number): string {
  const under = [track.release, track.isrc].filter(Boolean).join(' · ');
  const quantity = track.quantity ? `<small>${t.quantity}\u00a0: ${formatInteger(track.quantity)}</small>` : '';
  return `<tr><td>${own(track.title ?? t.noTrack)}<small>${own(under)}</small>${barOf(track.netEur, top)}</td><td class="n">${euros(track.netEur)}${quantity}<small><a href="${base}/titre/${track.trackId ?? 0}" rel="nofollow">Pourquoi ce montant${'\u00a0'}?</a></small></td></tr>`;
}

/** @param base the page's own address */
export function renderStatement(base: string, record: RoyaltyRecord, published: string): string {
  const { income } = record;
  const { shown, others } = largest(income.tracks);
  const top = shown[0]?.netEur ?? 0;
  const tracks = shown.map((track) => trackRow(base, track, top));
  if (others.length > 0) {
    tracks.push(row(`<a href="${base}/titres" rel="nofollow">${t.rest.tracks(others.length)}</a>`, sumOf(others)));
  }
  /** The latest, and the sum of those before. */
  const last = <One extends Amount>(
    name: 'corrections' | 'payouts' | 'adjustments',
    all: readonly One[],
    toRow: (one: One) => string,
  ) => {
    const earlier = all.slice(0, -listed);
    const rest = earlier.length > 0 ? [row(t.rest[name](earlier.length), sumOf(earlier))] : [];
    return section(t[name], [...rest, ...all.slice(-listed).map(toRow)]);
  };
  return page(
    `${titleOf(record)}, ${record.house.name}`,
    [
      heading(record),
      `<p class="due">${formatBalance(record.closingEur)}</p>`,
      '<p class="sub">Solde à la fin du relevé</p>',
      `<nav><a class="go" href="${base}/releve.pdf" rel="nofollow">Télécharger le PDF</a>`,
      income.lines > 0 ? `<a class="go" href="${base}/lignes.csv" rel="nofollow">Toutes les lignes (CSV)</a>` : '',
      `</nav><section><h2>${t.summary}</h2>\n<table><tbody>${balanceRow(t.opening, record.openingEur)}`,
      ...royaltyMovements(record).flatMap(([name, amount]) => (amount === 0 ? [] : [row(name, amount)])),
      `</tbody><tfoot>${balanceRow(t.closing, record.closingEur)}</tfoot></table></section>`,
      record.pendingEur === 0 ? '' : `<p class="sub">${t.pending}\u00a0: ${euros(record.pendingEur)}</p>`,
      section(t.tracks, tracks),
      sums(
        t.stores,
        income.stores.map(({ name, netEur }) => ({ name: name ?? t.noStore, netEur })),
        t.rest.stores,
      ),
      sums(
        t.countries,
        income.countries.map(({ name, netEur }) => ({ name: name ? countryName(name) : t.noCountry, netEur })),
        t.rest.countries,
      ),
      sums(
        t.referrals,
        record.referrals.map(({ name, month, percentile, netEur }) => ({
          name: t.referral(name ?? '', monthText(month), percentile === null ? null : formatPercent(percentile)),
          netEur,
        })),
        t.rest.referrals,
      ),
      last('corrections', record.corrections, (one) => {
        const amounts = `${t.before} ${euros(one.beforeEur)}, ${t.after.toLowerCase()} ${euros(one.afterEur)}`;
        const name = own(t.correction(monthText(one.month), one.file, one.referred));
        const reason = one.reason ? ` · ${own(one.reason)}` : '';
        return row(`${dayText(one.day)} · ${name}<small>${amounts}${reason}</small>`, one.netEur);
      }),

      last('payouts', record.payouts, ({ day, payoutId, isReturn, netEur }) =>
        row(`${dayText(day)} · ${t.payout(formatPayoutNumber(payoutId), isReturn)}`, netEur),
      ),

      last('adjustments', record.adjustments, ({ day, reason, netEur }) =>
        row(`${dayText(day)} · ${own(reason)}`, netEur),
      ),
      `<p class="note">Publié le ${escapeText(published)}. Un relevé publié ne change plus\u00a0: une correction est une ligne du suivant. ${t.rounded} Cette page ne dépose aucun cookie.</p>`,
    ]
      .filter((part) => part !== '')
      .join('\n'),
  );
}

const tracksPerPage = 60;

/** A page of all tracks, in the order of the record; undefined beyond the last. */
export function renderTracks(base: string, record: RoyaltyRecord, number: number): string | undefined {
  const { tracks } = record.income;
  const from = (number - 1) * tracksPerPage;
  const shown = tracks.slice(from, from + tracksPerPage);
  if (shown.length === 0) return undefined;
  const links = [
    number > 1 ? `<a class="go" href="${base}/titres?page=${number - 1}" rel="nofollow prev">Précédents</a>` : '',
    from + tracksPerPage < tracks.length
      ? `<a class="go" href="${base}/titres?page=${number + 1}" rel="nofollow next">Suivants</a>`
      : '',
  ].join('');
  return page(
    titleOf(record),
    `${heading(record)}
<nav><a class="go" href="${base}">Retour au relevé</a></nav>
${section(
  `Titres ${formatInteger(from + 1)} à ${formatInteger(from + shown.length)} sur ${formatInteger(tracks.length)}`,
  shown.map((track) => trackRow(base, track, 0)),
)}
<nav>${links}</nav>`,
  );
}

export const linesPerPage = 50;

const decimal = (text: string) =>
  text
    .replace(/(\.\d*?)0+$/, '$1')
    .replace(/\.$/, '')
    .replace('.', ',');

function lineRow(line: RoyaltyLine): string {
  const source =
    line.firstLine > 0 ? `${own(line.fileName)}, ligne ${formatInteger(line.firstLine)}` : own(line.fileName);
  const cells = [
    own(line.store || t.noStore),
    own(line.country ? countryName(line.country) : ''),
    formatMonth(monthToMs(line.month.slice(0, 7))),
  ];
  const figures = [
    /^-?\d+$/.test(line.quantity) ? formatInteger(Number(line.quantity)) : decimal(line.quantity),
    `${decimal(line.gross)} ${line.currency}`,
    decimal(line.rate),
    decimal(line.grossEur),
    `${decimal(line.percentile)}\u00a0%`,
    decimal(line.netEur),
  ];
  return `<tr>${cells.map((cell) => `<td>${cell}</td>`).join('')}${figures.map((figure) => `<td class="n">${escapeText(figure)}</td>`).join('')}<td>${source}</td></tr>`;
}

/** The lines that a track's amount is the sum of, down to the store's file; undefined for a track that it has not. */
export function renderWhy(
  base: string,
  record: RoyaltyRecord,
  trackId: number,
  lines: readonly RoyaltyLine[],
  hasMore: boolean,
): string | undefined {
  const tracks = record.income.tracks.filter((track) => (track.trackId ?? 0) === trackId);
  const [track] = tracks;
  if (!track) return undefined;
  return page(
    `${track.title ?? t.noTrack}, ${titleOf(record)}`,
    [
      heading(record, track.title ?? t.noTrack, `${titleOf(record)} · `),
      `<p class="due">${euros(sumOf(tracks))}</p>`,
      `<nav><a class="go" href="${base}">Retour au relevé</a></nav>`,
      '<p>Une ligne vient du fichier d’une plateforme, ou d’un rapport saisi. Net = brut ÷ taux × part, arrondi au millionième d’euro\u00a0; la dernière ligne d’un rapport prend le reste.</p>',
      `<div class="wide" tabindex="0"><table class="lines"><thead><tr>${heads.map((name, index) => `<th${index > 2 && index < 9 ? ' class="n"' : ''}>${name}</th>`).join('')}</tr></thead><tbody>`,
      ...lines.map(lineRow),
      '</tbody></table></div>',
      hasMore
        ? `<nav><a class="go" href="${base}/titre/${trackId}?apres=${lines.at(-1)?.line ?? 0}" rel="nofollow next">Lignes suivantes</a></nav>`
        : '',
    ].join('\n'),
  );
}

const sentence = (title: string, text: string) => page(title, `<h1>${title}</h1>\n<p>${text}</p>`);

/** Alike for a link that was guessed, has expired or was revoked. */
export const statementNotFound = sentence(
  'Relevé introuvable',
  'Ce lien n’est pas valable, ou ne l’est plus. Vérifiez l’adresse, ou demandez un nouveau lien à votre distributeur.',
);
export const statementThrottled = sentence(
  'Trop d’essais',
  'Trop de pages ont été demandées en peu de temps. Réessayez dans quelques minutes.',
);
export const statementUnavailable = sentence(
  'Page indisponible',
  'Cette page ne peut pas s’afficher pour l’instant. Réessayez dans un moment.',
);
