import { ActionIcon, Button, CopyButton, Skeleton, TextInput, Tooltip } from '@mantine/core';
import { SavedViewForm } from '@regie/contract/routes/views.ts';
import { routes } from '@regie/contract/routes.ts';
import { IconBookmark } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { useAct } from '#src/lib/act.ts';
import { api, apiQuery } from '#src/lib/api.ts';
import { fr } from '#src/lib/fr.ts';
import { usePageLocation } from '#src/lib/page-location.ts';
import { parseSearch, type SearchParams, stringifySearch } from '#src/lib/search-params.ts';
import { Message } from '#src/ui/alerts.tsx';
import { Dialog } from '#src/ui/dialog.tsx';
import { Form } from '#src/ui/form.tsx';
import { Loaded } from '#src/ui/loaded.tsx';
import { RemoveIcon } from '#src/ui/remove-button.tsx';
import shared from '#src/ui/shared.module.css';
import classes from './list-page.module.css';

const t = fr.list.views;

/** The own saved views of a list (product §36.15): opening, sharing and removing them, and saving what is shown. */
export function SavedViews({ search }: { search: SearchParams }) {
  const [isOpen, setIsOpen] = useState(false);
  return (
    <>
      <Tooltip label={t.title}>
        <ActionIcon variant="default" size={36} aria-label={t.button} onClick={() => setIsOpen(true)}>
          <IconBookmark size={18} stroke={1.8} />
        </ActionIcon>
      </Tooltip>
      <Dialog isOpen={isOpen} onClose={() => setIsOpen(false)} title={t.title}>
        <Views search={search} onClose={() => setIsOpen(false)} />
      </Dialog>
    </>
  );
}

function Views({ search, onClose }: { search: SearchParams; onClose: () => void }) {
  const { pathname } = usePageLocation();
  const { act, failure, setFailure } = useAct();
  const views = useQuery(apiQuery(['views'], routes.listViews));
  // A place in the list is not part of a view.
  const shown = stringifySearch({ ...search, cursor: undefined, page: undefined });
  return (
    <>
      <Message tone="error" text={failure} onDismiss={setFailure} />
      <Loaded query={views} placeholder={<Skeleton h={80} />}>
        {(data) => {
          const views = data.filter(({ list }) => list === pathname);
          return views.length === 0 ? (
            <p className={shared.note}>{t.none}</p>
          ) : (
            <ul className={classes.views}>
              {views.map((view) => (
                <li key={view.id}>
                  <Link className={shared.link} to={view.list} search={parseSearch(view.search)} onClick={onClose}>
                    {view.name}
                  </Link>
                  <CopyButton value={`${window.location.origin}${view.list}${view.search}`}>
                    {({ copied, copy }) => (
                      <Button variant="subtle" size="compact-sm" aria-label={t.copyOf(view.name)} onClick={copy}>
                        {copied ? fr.common.copied : t.copy}
                      </Button>
                    )}
                  </CopyButton>
                  <RemoveIcon
                    label={t.remove(view.name)}
                    onClick={() =>
                      act((options) => api(routes.deleteView, { params: { id: view.id }, ...options }), view.id)
                    }
                  />
                </li>
              ))}
            </ul>
          );
        }}
      </Loaded>
      <Form
        schema={SavedViewForm}
        initialValues={{ name: '' }}
        toBody={({ name }) => ({ name, list: pathname, search: shown })}
        submit={(body, { idempotencyKey }) => api(routes.saveView, { body, idempotencyKey })}
        isClearedOnSuccess
        submitLabel={t.save}
      >
        {(form) => <TextInput label={t.name} description={t.hint} required {...form.getInputProps('name')} />}
      </Form>
    </>
  );
}
