import { messages } from '#src/messages.ts';
import { defineRoute, Id } from '#src/route.ts';
import { z } from '#src/zod.ts';

const longestName = 60;
const longestSearch = 4000;
const mostSidebarChoices = 100;
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
  name: z
    .string({ error: viewMessages.name })
    .trim()
    .min(1, { error: viewMessages.name })
    .max(longestName, { error: messages.maxLength(longestName) }),
  search: z
    .string()
    .max(longestSearch)
    .regex(/^(\?.*)?$/),
});
export type SavedViewForm = z.infer<typeof SavedViewForm>;

/** Pinned entries in the order they were pinned, and folded sections. */
export const SidebarChoices = z.object({
  favourites: z.array(z.string().regex(/^\/[a-z/-]{1,99}$/)).max(mostSidebarChoices),
  folded: z.array(z.string().regex(/^[a-z]{1,30}$/)).max(mostSidebarChoices),
});
export type SidebarChoices = z.infer<typeof SidebarChoices>;

export const viewRoutes = {
  listViews: defineRoute('GET /views', {
    capability: 'session',
    summary: 'The own saved views of all lists, by name.',
    response: z.array(SavedView),
  }),
  saveView: defineRoute('POST /views', {
    capability: 'session',
    summary: 'Save a view of a list for oneself; a name that is taken there answers 422.',
    body: SavedViewForm,
    response: SavedView,
    message: 'La vue est enregistrée',
  }),
  deleteView: defineRoute('DELETE /views/:id', {
    capability: 'session',
    summary: 'Remove an own view; another person’s answers 404.',
    response: z.object({ id: Id }),
    message: 'La vue est supprimée',
  }),
  saveSidebar: defineRoute('PUT /sidebar', {
    capability: 'session',
    summary: 'Keep the own sidebar’s favourites and folded sections; the session check answers them.',
    body: SidebarChoices,
    response: SidebarChoices,
  }),
};
