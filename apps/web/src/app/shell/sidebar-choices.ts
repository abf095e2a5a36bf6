import type { SidebarChoices } from '@regie/contract/routes/views.ts';
import { flashProblem } from '#src/lib/flash.ts';
import { setSidebar, useSignedIn } from '#src/lib/session.ts';

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
    setSidebar(former);
    flashProblem(errorSentence(error));
  }
}

export function useSidebarChoices() {
  const { sidebar } = useSignedIn();
  const toggle = (kind: keyof SidebarChoices, name: string) => {
    const chosen = sidebar[kind];
    const next = {
      ...sidebar,
      [kind]: chosen.includes(name) ? chosen.filter((other) => other !== name) : [...chosen, name],
    };
    setSidebar(next);
    saving = saving.then(() => save(next, sidebar));
  };
  return { ...sidebar, toggle };
}
