import {
  mostViews,
  type SavedView,
  type SavedViewForm,
  type SidebarChoices,
  viewMessages,
} from '@regie/contract/routes/views.ts';
import { type Database, queryRow, queryRows, queryValue, type Trx } from '#src/lib/db.ts';
import { invalid, orNotFound } from '#src/lib/errors.ts';

// One's own bookmarks are not journalled.

export const listViews = (db: Trx, adminId: number) => queryRows<SavedView>(db)`
    SELECT id, list, name, search FROM saved_views WHERE admin_id = ${adminId} ORDER BY list, lower(name)`;

/** @throws validation_failed for a name in use, or more than 50 views of the list */
export async function saveView(trx: Trx, adminId: number, form: SavedViewForm): Promise<SavedView> {
  const views = await queryValue<number>(trx)`
    SELECT count(*) FROM saved_views WHERE admin_id = ${adminId} AND list = ${form.list}`;
  if (views >= mostViews) throw invalid({ name: viewMessages.tooMany });
  const saved = await trx
    .insertInto('savedViews')
    .values({ ...form, adminId })
    .onConflict((existing) => existing.doNothing())
    .returning(['id', 'list', 'name', 'search'])
    .executeTakeFirst();
  if (!saved) throw invalid({ name: viewMessages.taken });
  return saved;
}

/** @throws not_found also for another person's */
export const deleteView = async (trx: Trx, adminId: number, id: number) =>
  orNotFound(
    await queryRow<{ id: number }>(trx)`
      DELETE FROM saved_views WHERE id = ${id} AND admin_id = ${adminId} RETURNING id`,
  );

export async function readSidebar(db: Database, adminId: number): Promise<SidebarChoices> {
  const sidebar = await queryRow<SidebarChoices>(db)`
    SELECT favourites, opened FROM sidebars WHERE admin_id = ${adminId}`;
  return sidebar ?? { favourites: [], opened: [] };
}

export async function saveSidebar(trx: Trx, adminId: number, choices: SidebarChoices): Promise<SidebarChoices> {
  await trx
    .insertInto('sidebars')
    .values({ adminId, ...choices })
    .onConflict((existing) => existing.column('adminId').doUpdateSet(choices))
    .execute();
  return choices;
}
