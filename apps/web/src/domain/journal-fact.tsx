import type { AuditEntity } from '@regie/contract/audit.ts';
import { Link } from '@tanstack/react-router';
import { paths } from '#src/app/paths.ts';
import { frScreens } from '#src/app/screens.fr.ts';
import type { Fact } from '#src/ui/record-page.tsx';
import shared from '#src/ui/shared.module.css';

export const journalFact = (entity: AuditEntity, id: number, text: string): Fact => ({
  label: frScreens.journal,
  value: (
    <Link className={shared.link} to={paths.journal} search={{ entity, entityId: String(id) }}>
      {text}
    </Link>
  ),
});
