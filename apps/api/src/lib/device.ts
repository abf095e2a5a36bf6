import Bowser from 'bowser';

const maxAgentLength = 500;

/** `Chrome, Windows`: what the user agent says of browser and system, without versions, which change every month. */
export function describeDevice(userAgent: string | undefined): string {
  const { browser, os } = Bowser.parse((userAgent || '-').slice(0, maxAgentLength));
  return [browser.name, os.name].filter(Boolean).join(', ') || 'Appareil inconnu';
}
