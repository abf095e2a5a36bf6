import { anyReadLibraries } from '#src/releases.ts';
import { defineRoute, Id } from '#src/route.ts';
import { House } from '#src/settings.ts';
import { z } from '#src/zod.ts';

/** The data of a licence contract; the browser generates the document (product §17.8). */
export const LicenceContract = z.object({
  template: z.string(),
  house: House.omit({ iban: true, bic: true }),
  licenceYears: z.number(),
  customer: z.object({
    id: Id,
    company: z.string().nullable(),
    fname: z.string(),
    lname: z.string(),
    email: z.string().nullable(),
    address: z.string().nullable(),
    address2: z.string().nullable(),
    postcode: z.string().nullable(),
    city: z.string().nullable(),
    country: z.string().nullable(),
    /** The customer's percentage of income from platforms and video platforms. */
    libraryPercentile: z.number(),
    youtubePercentile: z.number(),
  }),
  release: z.object({
    id: Id,
    title: z.string(),
    version: z.string().nullable(),
    artist: z.string().nullable(),
    label: z.string(),
    barcode: z.string().nullable(),
    /** dd/MM/yyyy. */
    digitalReleaseDate: z.string().nullable(),
    recordingOwnerName: z.string().nullable(),
    /** ISO 3166 codes, or `all` alone. */
    territories: z.array(z.string()),
  }),
  tracks: z.array(
    z.object({
      title: z.string(),
      version: z.string().nullable(),
      artists: z.string(),
      isrc: z.string().nullable(),
    }),
  ),
});
export type LicenceContract = z.infer<typeof LicenceContract>;

export const licenceContractRoutes = {
  getLicenceContract: defineRoute('GET /release/:id/contract', {
    capability: [...anyReadLibraries, 'manage_profiles'],
    summary: 'What the licence contract of a release says, its template included.',
    response: LicenceContract,
  }),
};
