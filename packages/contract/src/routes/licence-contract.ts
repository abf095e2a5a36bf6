import { anyReadLibraries } from '#src/releases.ts';
import { defineRoute } from '#src/route.ts';
import { House } from '#src/settings.ts';
import { z } from '#src/zod.ts';
import { Profile } from './accounts.ts';
import { ReleaseCard, Track } from './releases.ts';

/** The data of a licence contract; the browser generates the document (product §17.8). */
export const LicenceContract = z.object({
  template: z.string(),
  house: House.omit({ iban: true, bic: true }),
  licenceYears: z.number(),
  customer: Profile.pick({
    ...{ id: true, company: true, fname: true, lname: true, email: true },
    ...{ address: true, address2: true, postcode: true, city: true, country: true },
  }).extend({
    /** The customer's percentage of income from platforms and video platforms. */
    libraryPercentile: z.number(),
    youtubePercentile: z.number(),
  }),
  release: ReleaseCard.pick({
    ...{ id: true, title: true, version: true, label: true },
    ...{ barcode: true, digitalReleaseDate: true, recordingOwnerName: true },
  }).extend({
    artist: z.string().nullable(),
    /** ISO 3166 codes, or `all` alone. */
    territories: z.array(z.string()),
  }),
  tracks: z.array(Track.pick({ title: true, version: true, isrc: true }).extend({ artists: z.string() })),
});
export type LicenceContract = z.infer<typeof LicenceContract>;

export const licenceContractRoutes = {
  getLicenceContract: defineRoute('GET /release/:id/contract', [...anyReadLibraries, 'manage_profiles'], {
    response: LicenceContract,
  }),
};
