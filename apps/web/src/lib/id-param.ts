import { useParams } from '@tanstack/react-router';

/** `:id` of the URL, a positive integer (product §31.18); undefined when invalid. */
export function useIdParam(): number | undefined {
  const { id } = useParams({ strict: false });
  return /^[1-9]\d{0,15}$/.test(id ?? '') ? Number(id) : undefined;
}
