import './setup.ts';
import '@mantine/core/styles.css';
import './app.css';
import { QueryClientProvider } from '@tanstack/react-query';
import { RouterProvider } from '@tanstack/react-router';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { checkSession } from '#src/lib/session.ts';
import { AppTheme } from '#src/ui/app-theme.tsx';
import { createQueryClient } from './query-client.ts';
import { createAppRouter } from './router.tsx';

const root = document.getElementById('root');
if (!root) throw new Error('index.html has no #root');

const queryClient = createQueryClient();
void checkSession();
createRoot(root).render(
  <StrictMode>
    <AppTheme>
      <QueryClientProvider client={queryClient}>
        <RouterProvider router={createAppRouter(queryClient)} />
      </QueryClientProvider>
    </AppTheme>
  </StrictMode>,
);
