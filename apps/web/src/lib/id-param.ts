import { useParams } from '@tanstack/react-router';

export const parseId = (text: string | undefined) => (/^[1-9]\d{0,15}$/.test(text ?? '') ? Number(text) : undefined);

/** `:id` of the URL, a positive integer (product §31.18); undefined when invalid. */
export function useIdParam(): number | undefined {
  return parseId(useParams({ strict: false }).id);
}
