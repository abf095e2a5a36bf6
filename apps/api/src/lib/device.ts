import Bowser from 'bowser';

const maxAgentLength = 500;

/** Browser and system of a user agent (`Chrome, Windows`), without versions, which change often. */
export function describeDevice(userAgent: string | undefined): string {
  const { browser, os } = Bowser.parse((userAgent || '-').slice(0, maxAgentLength));
  return [browser.name, os.name].filter(Boolean).join(', ') || 'Appareil inconnu';
}
