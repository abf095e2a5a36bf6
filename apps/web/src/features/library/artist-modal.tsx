import { Button, Modal, TextInput } from '@mantine/core';
import { ArtistForm, type Person } from '@regie/contract/routes/releases.ts';
import { routes } from '@regie/contract/routes.ts';
import { fr } from '#src/fr.ts';
import { api } from '#src/lib/api.ts';
import { flashSuccess } from '#src/lib/flash.ts';
import { Form } from '#src/ui/form.tsx';
import { useGuardedClose } from '#src/ui/guarded-close.tsx';

const t = fr.library;

/** An artist's identifiers in the stores (specification 1 §5). */
export function ArtistModal({ artist, isOpen, onClose }: { artist: Person; isOpen: boolean; onClose: () => void }) {
  const guarded = useGuardedClose(onClose);
  return (
    <Modal opened={isOpen} onClose={guarded.close} title={t.editTitle(artist.fullname)} size="md">
      <Form
        key={artist.id}
        schema={ArtistForm}
        initialValues={{ spotifyId: artist.spotifyId ?? '', appleMusicId: artist.appleMusicId ?? '' }}
        submit={(body) => api(routes.editArtist, { params: { id: artist.id }, body })}
        onSuccess={({ message }) => {
          flashSuccess(message);
          onClose();
        }}
        submitLabel={fr.common.save}
        onDirtyChange={guarded.onDirtyChange}
        secondary={
          <Button variant="default" onClick={guarded.close}>
            {fr.common.cancel}
          </Button>
        }
      >
        {(form) => (
          <>
            <TextInput
              label={t.spotifyId}
              description={t.spotifyHint}
              autoComplete="off"
              data-autofocus
              {...form.getInputProps('spotifyId')}
            />
            <TextInput
              label={t.appleMusicId}
              description={t.appleMusicHint}
              inputMode="numeric"
              autoComplete="off"
              {...form.getInputProps('appleMusicId')}
            />
          </>
        )}
      </Form>
      {guarded.question}
    </Modal>
  );
}
