import { TextInput } from '@mantine/core';
import { ArtistForm, NewArtistForm, type Person } from '@regie/contract/routes/releases.ts';
import { routes } from '@regie/contract/routes.ts';
import type { z } from 'zod';
import { api } from '#src/lib/api.ts';
import { flashSuccess } from '#src/lib/flash.ts';
import { fr } from '#src/lib/fr.ts';
import { CancelButton, Dialog } from '#src/ui/dialog.tsx';
import { Form } from '#src/ui/form.tsx';
import { frTracks } from './tracks.fr.ts';

const t = frTracks.artist;

interface ArtistDialogProps {
  artist: Person | undefined;
  isOpen: boolean;
  onClose: () => void;
  onSaved?: (artist: Person) => void;
}

/** Creates an artist, or edits their identifiers in the stores (product §15.7). */
export function ArtistDialog({ artist, isOpen, onClose, onSaved }: ArtistDialogProps) {
  const schema: z.core.$ZodType<z.output<typeof ArtistForm> & { fullname?: string }> = artist
    ? ArtistForm
    : NewArtistForm;
  const storeIds = { spotifyId: artist?.spotifyId ?? '', appleMusicId: artist?.appleMusicId ?? '' };
  return (
    <Dialog isOpen={isOpen} onClose={onClose} title={artist ? t.editTitle(artist.fullname) : t.newArtist} size="md">
      <Form
        key={artist?.id}
        schema={schema}
        initialValues={artist ? storeIds : { fullname: '', ...storeIds }}
        submit={({ fullname = '', ...ids }, { idempotencyKey }) =>
          artist
            ? api(routes.editArtist, { params: { id: artist.id }, body: ids, idempotencyKey })
            : api(routes.createArtist, { body: { fullname, ...ids }, idempotencyKey })
        }
        onSuccess={({ data, message }) => {
          flashSuccess(message);
          onSaved?.(data);
          onClose();
        }}
        submitLabel={artist ? fr.common.save : t.createArtist}
        secondary={<CancelButton />}
      >
        {(form) => (
          <>
            {!artist && <TextInput label={t.fullname} required data-autofocus {...form.getInputProps('fullname')} />}
            <TextInput
              label={t.spotifyId}
              description={t.spotifyHint}
              data-autofocus={artist ? true : undefined}
              {...form.getInputProps('spotifyId')}
            />
            <TextInput
              label={t.appleMusicId}
              description={t.appleMusicHint}
              inputMode="numeric"
              {...form.getInputProps('appleMusicId')}
            />
          </>
        )}
      </Form>
    </Dialog>
  );
}
