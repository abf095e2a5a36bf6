import { expect, type Locator, type Page } from '@playwright/test';

export const sidebarOf = (page: Page): Locator => page.getByRole('navigation', { name: 'Navigation principale' });

/** The link of an entry, whose section is opened. */
export async function entryOf(page: Page, name: string | RegExp): Promise<Locator> {
  const link = page.getByRole('link', { name, exact: true, includeHidden: true });
  const section = sidebarOf(page).getByRole('region').filter({ has: link }).last();
  await expect(section).toBeVisible();
  const fold = section.getByRole('button', { expanded: false });
  if ((await fold.count()) > 0) await fold.click();
  return section.getByRole('link', { name, exact: true });
}

export const openEntry = async (page: Page, name: string | RegExp): Promise<void> =>
  (await entryOf(page, name)).click();
