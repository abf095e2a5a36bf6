import { frTracks } from '#src/domain/tracks/tracks.fr.ts';

const names = new Map<string, string>(Object.entries(frTracks.roles));

/** Role names in French; instruments are shown as stored. */
export const roleNames = (roles: readonly string[]): string[] => roles.map((role) => names.get(role) ?? role);

/** An artist's page in a store. */
export const storeLinks = {
  spotify: (id: string) => `https://open.spotify.com/artist/${id}`,
  appleMusic: (id: string) => `https://music.apple.com/artist/${id}`,
};
