import { routes } from '@regie/contract/routes.ts';
import { useQuery } from '@tanstack/react-query';
import { Navigate } from '@tanstack/react-router';
import { apiQuery } from '#src/lib/api.ts';
import { useIdParam } from '#src/lib/id-param.ts';
import { Loaded } from '#src/ui/loaded.tsx';
import { NotFound } from '#src/ui/states.tsx';
import { ticketLink } from './ticket-labels.tsx';

/** A ticket's own address: its dialog, over the list of its status. */
export default function TicketPage() {
  const id = useIdParam();
  const ticket = useQuery({
    ...apiQuery(['ticket', id], routes.getTicket, { params: { id: id ?? 0 } }),
    enabled: id !== undefined,
  });
  if (id === undefined) return <NotFound />;
  return (
    <Loaded query={ticket}>
      {({ status }) => <Navigate {...ticketLink(id, status === 'OPENED' ? 'opened' : 'closed')} replace />}
    </Loaded>
  );
}
