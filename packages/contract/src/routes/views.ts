import { defineRoute, Id } from '#src/route.ts';
import { filledText, z } from '#src/zod.ts';

/** Per admin and list. */
export const mostViews = 50;

export const viewMessages = {
  name: 'Donnez un nom à la vue',
  taken: 'Vous avez déjà une vue de ce nom dans cette liste',
  tooMany: `Une liste a au plus ${mostViews} vues\u00a0: supprimez-en une`,
} as const;

/** A list's filters, sorting and hidden columns under a name (product §36.15). */
export const SavedView = z.object({
  id: Id,
  /** The path of the list's screen. */
  list: z.string(),
  name: z.string(),
  /** The query of the list's address, `?q=…`; may be empty. */
  search: z.string(),
});
export type SavedView = z.infer<typeof SavedView>;

export const SavedViewForm = z.object({
  list: z.string().regex(/^\/[a-z/-]{1,99}$/),
  name: filledText(viewMessages.name, 60),
  search: z
    .string()
    .max(4000)
    .regex(/^(\?.*)?$/),
});
export type SavedViewForm = z.infer<typeof SavedViewForm>;

/** Pinned entries in the order they were pinned, and sections that stay open when they are not in use. */
export const SidebarChoices = z.object({
  favourites: z.array(z.string().regex(/^\/[a-z/-]{1,99}$/)).max(100),
  opened: z.array(z.string().regex(/^[a-z]{1,30}$/)).max(100),
});
export type SidebarChoices = z.infer<typeof SidebarChoices>;

export const viewRoutes = {
  listViews: defineRoute('GET /views', 'session', { response: z.array(SavedView) }),
  saveView: defineRoute('POST /views', 'session', {
    summary: 'A name that is taken there answers 422.',
    body: SavedViewForm,
    response: SavedView,
    message: 'La vue est enregistrée',
  }),
  deleteView: defineRoute('DELETE /views/:id', 'session', {
    summary: 'Another person’s answers 404.',
    response: z.object({ id: Id }),
    message: 'La vue est supprimée',
  }),
  saveSidebar: defineRoute('PUT /sidebar', 'session', { body: SidebarChoices, response: SidebarChoices }),
};
