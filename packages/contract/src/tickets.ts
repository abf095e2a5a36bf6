/** Timings over an hour are written with hours, or with up to three digits of minutes. */
const timing = /^(?:(?<hours>\d{1,2}):(?<within>[0-5]\d)|(?<minutes>\d{1,3})):(?<seconds>[0-5]\d)$/;

export const ticketLimits = { title: 300, url: 2000, note: 2000 } as const;

export const ticketMessages = {
  title: 'Donnez un titre au ticket',
  url: 'Indiquez l’adresse de la vidéo',
  urlNotWeb: 'L’adresse n’est pas un lien, par exemple https://youtu.be/abc',
  timing: 'Écrivez des minutes et des secondes, par exemple 01:23, ou 1:02:45 au-delà d’une heure',
  status: 'Choisissez un état',
  unknownTrack: 'Ce titre n’existe pas ou n’existe plus\u00a0: choisissez-en un autre',
  trackOfOther: 'Ce titre est à un autre compte',
  changed:
    'Le ticket a changé depuis que vous l’avez ouvert\u00a0: rien n’est enregistré. Rechargez, puis ouvrez-le à nouveau.',
} as const;

/** Seconds of `01:23` or `1:02:45`; undefined for any other format (product §25.8). */
export function parseTiming(text: string): number | undefined {
  const parts = timing.exec(text)?.groups;
  if (!parts) return undefined;
  const { hours = 0, within = 0, minutes = 0, seconds = 0 } = parts;
  return Number(hours) * 3600 + (Number(within) + Number(minutes)) * 60 + Number(seconds);
}

/** `01:23` for 83 seconds; `16:40:00` for 60 000, which has more than three digits of minutes. */
export function formatTiming(seconds: number): string {
  const two = (value: number) => String(value).padStart(2, '0');
  const minutes = Math.floor(seconds / 60);
  return minutes < 1000
    ? `${two(minutes)}:${two(seconds % 60)}`
    : `${Math.floor(minutes / 60)}:${two(minutes % 60)}:${two(seconds % 60)}`;
}

/** `dt-12` (product §22.14). */
export const formatTicketNumber = (id: number): string => `dt-${id}`;

/** A link to the passage of a video: YouTube's starts after `t` seconds, others where they start. */
export function linkToPassage({ url, startAt }: { url: string; startAt: string | null }): string {
  const seconds = parseTiming(startAt ?? '');
  if (seconds === undefined || !/^https?:\/\/([\w-]+\.)?(youtube\.com|youtu\.be)\//i.test(url)) return url;
  const link = new URL(url);
  link.searchParams.set('t', String(seconds));
  return link.href;
}

/** An http or https URL with a host, as browsers parse it. */
export function isWebUrl(text: string): boolean {
  if (/\s/.test(text) || !URL.canParse(text)) return false;
  const { protocol, hostname, username, password } = new URL(text);
  return /^https?:$/.test(protocol) && hostname.includes('.') && username === '' && password === '';
}
