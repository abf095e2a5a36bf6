import {
  mostViews,
  type SavedView,
  type SavedViewForm,
  type SidebarChoices,
  viewMessages,
} from '@regie/contract/routes/views.ts';
import { sql } from 'kysely';
import type { Database, Trx } from '#src/lib/db.ts';
import { invalid, notFound } from '#src/lib/errors.ts';

// A person's own bookmarks: they change nothing that others see, so the journal has none of this.

/** The admin's views, by list and name. */
export function listViews(db: Trx, adminId: number): Promise<SavedView[]> {
  return db
    .selectFrom('savedViews')
    .select(['id', 'list', 'name', 'search'])
    .where('adminId', '=', adminId)
    .orderBy('list')
    .orderBy(sql`lower(name)`)
    .execute();
}

/** @throws AppError validation_failed when the name is taken, or the admin has 50 views of the list */
export async function saveView(trx: Trx, adminId: number, form: SavedViewForm): Promise<SavedView> {
  const views = await trx
    .selectFrom('savedViews')
    .select((query) => query.fn.countAll<number>().as('n'))
    .where('adminId', '=', adminId)
    .where('list', '=', form.list)
    .executeTakeFirstOrThrow();
  if (Number(views.n) >= mostViews) throw invalid({ name: viewMessages.tooMany });
  const saved = await trx
    .insertInto('savedViews')
    .values({ ...form, adminId })
    .onConflict((existing) => existing.doNothing())
    .returning(['id', 'list', 'name', 'search'])
    .executeTakeFirst();
  if (!saved) throw invalid({ name: viewMessages.taken });
  return saved;
}

/** @throws AppError not_found for an unknown view, or another person's */
export async function deleteView(trx: Trx, adminId: number, id: number): Promise<void> {
  const { numDeletedRows } = await trx
    .deleteFrom('savedViews')
    .where('id', '=', id)
    .where('adminId', '=', adminId)
    .executeTakeFirst();
  if (numDeletedRows === 0n) throw notFound();
}

export async function readSidebar(db: Database | Trx, adminId: number): Promise<SidebarChoices> {
  const views = await db
    .selectFrom('sidebars')
    .select(['favourites', 'folded'])
    .where('adminId', '=', adminId)
    .executeTakeFirst();
  return views ?? { favourites: [], folded: [] };
}

export async function saveSidebar(trx: Trx, adminId: number, choices: SidebarChoices): Promise<SidebarChoices> {
  await trx
    .insertInto('sidebars')
    .values({ adminId, ...choices })
    .onConflict((existing) => existing.column('adminId').doUpdateSet(choices))
    .execute();
  return choices;
}
