import { Box, Skeleton } from '@mantine/core';
import type { ReactNode } from 'react';
import shared from '#src/ui/shared.module.css';

export function KeyFact({ label, isLoading, children }: { label: string; isLoading: boolean; children: ReactNode }) {
  return (
    <div>
      <Box component="dt" fz={12} className={shared.muted}>
        {label}
      </Box>
      <Box component="dd" fz={20} fw={600} lh="38px" lts="-0.01em" className="figures">
        {isLoading ? (
          <Skeleton component="span" display="inline-block" h={24} w={110} style={{ verticalAlign: 'middle' }} />
        ) : (
          children
        )}
      </Box>
    </div>
  );
}
