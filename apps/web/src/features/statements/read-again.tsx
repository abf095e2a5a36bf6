import { Button, NativeSelect } from '@mantine/core';
import { routes } from '@regie/contract/routes.ts';
import { useMutation, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { frStatements } from '#src/fr-statements.ts';
import { api, errorSentence } from '#src/lib/api.ts';
import { flashSuccess } from '#src/lib/flash.ts';
import { useOnce } from '#src/lib/once.ts';
import { presetsQuery } from './statements.api.ts';
import classes from './statements.module.css';

const t = frStatements.page;

/** Another try, with all forms as they are known now or with the one that is chosen. */
export function ReadAgain({ id, onFailure }: { id: number; onFailure: (text: string) => void }) {
  const [preset, setPreset] = useState('');
  const presets = useQuery(presetsQuery);
  const again = useMutation({
    mutationFn: () =>
      api(routes.readStatementWith, { params: { id }, body: { preset: preset === '' ? null : preset } }),
    onSuccess: (answer) => flashSuccess(answer.message),
    onError: (error) => onFailure(errorSentence(error)),
  });
  const readAgain = useOnce(() => again.mutateAsync());
  return (
    <form
      className={classes.again}
      onSubmit={(event) => {
        event.preventDefault();
        readAgain();
      }}
    >
      <NativeSelect
        label={t.readWith}
        value={preset}
        onChange={(event) => setPreset(event.currentTarget.value)}
        data={[
          { value: '', label: t.anyPreset },
          ...(presets.data ?? []).map(({ key, name }) => ({ value: key, label: name })),
        ]}
      />
      <Button type="submit" variant="default" loading={again.isPending}>
        {t.tryAgain}
      </Button>
    </form>
  );
}
