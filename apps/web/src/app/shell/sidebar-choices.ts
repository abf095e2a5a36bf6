import type { SidebarChoices } from '@regie/contract/routes/views.ts';
import { flashProblem } from '#src/lib/flash.ts';
import { changeSidebar } from '#src/lib/session.ts';

/** Each saves all choices: they reach the server in order. */
let saving = Promise.resolve();

async function save(body: SidebarChoices, former: SidebarChoices): Promise<void> {
  // The entry bundle excludes the contract's schemas.
  const [{ api, errorSentence }, { routes }] = await Promise.all([
    import('#src/lib/api.ts'),
    import('@regie/contract/routes.ts'),
  ]);
  try {
    await api(routes.saveSidebar, { body });
  } catch (error) {
    changeSidebar(() => former);
    flashProblem(errorSentence(error));
  }
}

/** Adds an address or a section, or removes it. */
export function toggleChoice(kind: keyof SidebarChoices, name: string): void {
  const changed = changeSidebar((choices) => {
    const chosen = choices[kind];
    return { ...choices, [kind]: chosen.includes(name) ? chosen.filter((other) => other !== name) : [...chosen, name] };
  });
  if (changed) saving = saving.then(() => save(changed.next, changed.former));
}
