import { useMediaQuery } from '@mantine/hooks';

/** Whether the window has a phone's width: rows in two lines, and a record's actions in a bar. */
export const useIsPhone = () => useMediaQuery('(max-width: 48em)', false, { getInitialValueInEffect: false });
