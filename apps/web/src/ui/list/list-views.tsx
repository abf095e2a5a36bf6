import { Button, CopyButton, Group, Skeleton, Stack, TextInput } from '@mantine/core';
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
import { IconButton } from '#src/ui/icon-button.tsx';
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
      <IconButton
        variant="default"
        label={t.button}
        tooltip={t.title}
        icon={IconBookmark}
        onClick={() => setIsOpen(true)}
      />
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
      <Message text={failure} onDismiss={setFailure} />
      <Loaded query={views} placeholder={<Skeleton h={80} />}>
        {(data) => {
          const views = data.filter(({ list }) => list === pathname);
          return views.length === 0 ? (
            <p className={shared.note}>{t.none}</p>
          ) : (
            <Stack component="ul" gap={4} mb={20} className={shared.wrap}>
              {views.map((view) => (
                <Group key={view.id} component="li" gap={8} mih={40} wrap="nowrap">
                  <Link
                    className={`${shared.link} ${classes.view}`}
                    to={view.list}
                    search={parseSearch(view.search)}
                    onClick={onClose}
                  >
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
                </Group>
              ))}
            </Stack>
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
