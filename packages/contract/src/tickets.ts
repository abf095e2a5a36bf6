const ticketTitleMax = 300;
const ticketUrlMax = 2000;
/** Minutes have up to three digits: a concert lasts longer than an hour. */
const timing = /^(\d{1,3}):([0-5]\d)$/;

export const ticketLimits = { title: ticketTitleMax, url: ticketUrlMax } as const;

export const ticketMessages = {
  title: 'Donnez un titre au ticket',
  url: 'Indiquez l’adresse de la vidéo',
  urlNotHttps: 'L’adresse est un lien complet qui commence par https://',
  timing: 'Écrivez des minutes et des secondes, par exemple 01:23',
  endBeforeStart: 'La fin ne précède pas le début',
  status: 'Choisissez un état',
  unknownTrack: 'Ce titre n’existe pas ou n’existe plus\u00a0: choisissez-en un autre',
  trackOfOther: 'Ce titre est à un autre compte',
  changed:
    'Le ticket a changé depuis que vous l’avez ouvert\u00a0: rien n’est enregistré. Rechargez, puis ouvrez-le à nouveau.',
} as const;

/** Seconds of `01:23`; undefined when it is written otherwise (specification 2 §5). */
export function parseTiming(text: string): number | undefined {
  const found = timing.exec(text);
  return found ? Number(found[1]) * 60 + Number(found[2]) : undefined;
}

/** `01:23` of 83 seconds. */
export function formatTiming(seconds: number): string {
  const two = (value: number) => String(value).padStart(2, '0');
  return `${two(Math.floor(seconds / 60))}:${two(seconds % 60)}`;
}

/** `dt-12` (specification 2 §2). */
export const formatTicketNumber = (id: number): string => `dt-${id}`;

/** An https link that names a host, as the browser would follow it. */
export function isHttpsUrl(text: string): boolean {
  if (/\s/.test(text) || !URL.canParse(text)) return false;
  const { protocol, hostname, username, password } = new URL(text);
  return protocol === 'https:' && hostname.includes('.') && username === '' && password === '';
}
