import { StatementProgress } from '@regie/contract/statements.ts';
import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useState } from 'react';

interface Follower {
  id: number;
  onProgress: (progress: StatementProgress) => void;
  onChange: () => void;
}

const followers = new Set<Follower>();
let source: EventSource | undefined;
let timer: number | undefined;
/** Polling finds events missed while disconnected; it is more frequent without a connection. */
const askEveryMs = 15_000;
const askUnheardEveryMs = 3000;
let askedAt = 0;

function ask(): void {
  askedAt = performance.now();
  const [first] = followers;
  first?.onChange();
}

function open(): void {
  if (source && source.readyState !== EventSource.CLOSED) return;
  source = new EventSource('/api/reporting/statements/events');
  source.onopen = ask;
  source.onmessage = ({ data }: MessageEvent<string>) => {
    const { data: progress } = StatementProgress.safeParse(JSON.parse(data));
    if (!progress) return;
    for (const follower of followers) {
      if (follower.id !== progress.statementId) continue;
      if (progress.bytes === undefined) follower.onChange();
      else follower.onProgress(progress);
    }
  };
}

function follow(follower: Follower): () => void {
  followers.add(follower);
  if (followers.size === 1) {
    askedAt = performance.now();
    open();
    timer = window.setInterval(() => {
      const isHeard = source?.readyState === EventSource.OPEN;
      if (performance.now() - askedAt >= (isHeard ? askEveryMs : askUnheardEveryMs)) ask();
    }, 1000);
  }
  return () => {
    followers.delete(follower);
    if (followers.size > 0) return;
    window.clearInterval(timer);
    source?.close();
    source = undefined;
  };
}

export function useStatementProgress(id: number, isActive: boolean): StatementProgress | undefined {
  const queryClient = useQueryClient();
  const [progress, setProgress] = useState<StatementProgress>();
  useEffect(() => {
    if (!isActive) return undefined;
    return follow({ id, onProgress: setProgress, onChange: () => void queryClient.invalidateQueries() });
  }, [id, isActive, queryClient]);
  return isActive ? progress : undefined;
}
