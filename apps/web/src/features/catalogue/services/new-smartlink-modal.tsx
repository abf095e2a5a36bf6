import type { LookupItem } from '@regie/contract/routes/accounting.ts';
import { NewSmartlinkForm, type SmartlinkDetail } from '@regie/contract/routes/smartlinks.ts';
import { routes } from '@regie/contract/routes.ts';
import { lookupReleases } from '#src/domain/lookups.ts';
import { api } from '#src/lib/api.ts';
import { Dialog } from '#src/ui/dialog.tsx';
import { Form, fieldProps } from '#src/ui/form.tsx';
import { LookupField } from '#src/ui/lookup-field.tsx';
import { frServices } from './services.fr.ts';

const t = frServices.smartlinks;

interface Values extends Record<string, unknown> {
  release: LookupItem | null;
}
const initialValues: Values = { release: null };

interface NewSmartlinkModalProps {
  isOpen: boolean;
  onClose: () => void;
  onCreated: (smartlink: SmartlinkDetail, message: string) => void;
}

/** Creates a smartlink from a release; the rest is edited on its page. */
export function NewSmartlinkModal({ isOpen, onClose, onCreated }: NewSmartlinkModalProps) {
  return (
    <Dialog isOpen={isOpen} onClose={onClose} title={t.create} size="md">
      <Form
        schema={NewSmartlinkForm}
        initialValues={initialValues}
        toBody={({ release }) => ({ libraryId: release?.id })}
        submit={(body, { idempotencyKey }) => api(routes.createSmartlink, { body, idempotencyKey })}
        onSuccess={({ data, message }) => onCreated(data, message)}
        submitLabel={t.create}
      >
        {(form) => (
          <LookupField
            label={t.createRelease}
            description={t.createHint}
            required
            lookup={lookupReleases}
            {...fieldProps(form, 'release', 'libraryId')}
          />
        )}
      </Form>
    </Dialog>
  );
}
