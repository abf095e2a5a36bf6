import { coverMaxBytes, coverQuality, coverWidths, defaultCoverWidth } from '#src/covers.ts';
import { messages } from '#src/messages.ts';
import { anyEditLibraries, anyReadLibraries } from '#src/releases.ts';
import { defineRoute } from '#src/route.ts';
import { z } from '#src/zod.ts';

/** One of the widths, as text in the URL. */
const oneOf = (numbers: readonly number[]) =>
  z
    .string()
    .refine((text) => numbers.some((number) => String(number) === text), { error: messages.invalidChoice })
    .transform(Number);

export const coverRoutes = {
  replaceCover: defineRoute('PUT /release/:id/edit/cover', anyEditLibraries, {
    summary: 'A PNG or JPEG of 3000×3000 pixels, at most 20 MiB.',
    upload: { field: 'cover', maxBytes: coverMaxBytes },
    /** A JSON string of CoverDetails. */
    response: z.object({ coverDetails: z.string() }),
    message: 'La pochette est enregistrée',
  }),
  downloadCover: defineRoute('GET /release/:id/cover', [...anyReadLibraries, ...anyEditLibraries], { isFile: true }),
  getPicture: defineRoute('GET /img/:key', 'session', {
    params: z.object({ key: z.string().max(100) }),
    query: z.object({
      w: oneOf(coverWidths).default(defaultCoverWidth),
      q: oneOf([coverQuality]).default(coverQuality),
      f: z.literal('webp', { error: messages.invalidChoice }).default('webp'),
    }),
    isFile: true,
  }),
};
