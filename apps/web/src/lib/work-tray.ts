import { createStore } from './store.ts';

/** `attention`: it ended, and requires an action of the user. */
export type WorkState = 'running' | 'done' | 'attention' | 'failed' | 'cancelled';

export interface NewWork {
  title: string;
  /** The unit, as a plural: "lignes"; `bytes` is shown in Mo. */
  unit: string;
  total?: number;
  cancel?: () => void;
  /** True when leaving the site would lose it: closing the tab asks for a confirmation. */
  asksBeforeUnload?: boolean;
}

export interface WorkItem extends NewWork {
  id: string;
  state: WorkState;
  done: number;
  /** Progress of an earlier attempt, excluded from the rate. */
  doneBefore: number;
  /** Start of the rate's measurement, milliseconds since 1970. */
  startedAt: number;
  updatedAt: number;
  result?: string;
  word?: string;
  href?: string;
  /** The link's label; by default "Voir le résultat". */
  see?: string | undefined;
  note?: string;
  toggle?: { label: string; run: () => void };
}

const items = createStore<readonly WorkItem[]>([]);
let lastId = 0;

function setItems(next: readonly WorkItem[]): void {
  items.set(next);
  if (isWorkRunning()) {
    window.addEventListener('beforeunload', askBeforeUnload);
  } else {
    window.removeEventListener('beforeunload', askBeforeUnload);
  }
}

function askBeforeUnload(event: BeforeUnloadEvent): void {
  event.preventDefault();
}

export function addWork(work: NewWork): string {
  lastId += 1;
  const id = `work-${lastId}`;
  const now = Date.now();
  const start = { state: 'running', done: 0, doneBefore: 0, startedAt: now, updatedAt: now } as const;
  setItems([...items.get(), { ...work, id, ...start }]);
  return id;
}

export function updateWork(id: string, change: Partial<Omit<WorkItem, 'id'>>): void {
  setItems(items.get().map((item) => (item.id === id ? { ...item, ...change, updatedAt: Date.now() } : item)));
}

/** Paused work resumes from `done`: its rate is measured from there. */
export function restartWork(id: string, done: number): void {
  updateWork(id, { done, doneBefore: done, startedAt: Date.now(), note: undefined });
}

export interface WorkOutcome {
  state: Exclude<WorkState, 'running'>;
  result: string;
  word?: string;
  href?: string;
  see?: string | undefined;
}

export function finishWork(id: string, outcome: WorkOutcome): void {
  updateWork(id, { ...outcome, cancel: undefined, toggle: undefined });
}

export function dismissWork(id: string): void {
  setItems(items.get().filter((item) => item.id !== id || item.state === 'running'));
}

/** What the page at `href` has meanwhile settled. */
export function dismissAttention(href: string): void {
  const left = items
    .get()
    .filter((item) => item.href !== href || (item.state !== 'attention' && item.state !== 'failed'));
  if (left.length < items.get().length) setItems(left);
}

export const isWorkRunning = (): boolean =>
  items.get().some((item) => item.state === 'running' && item.asksBeforeUnload);

export const useWorkItems = items.useValue;

export function workRate(
  item: Pick<WorkItem, 'done' | 'total' | 'startedAt' | 'updatedAt'> & { doneBefore?: number },
): {
  perSecond: number | undefined;
  secondsLeft: number | undefined;
} {
  const seconds = (item.updatedAt - item.startedAt) / 1000;
  const done = item.done - (item.doneBefore ?? 0);
  if (seconds < 1 || done <= 0) return { perSecond: undefined, secondsLeft: undefined };
  const perSecond = done / seconds;
  return { perSecond, secondsLeft: item.total === undefined ? undefined : (item.total - item.done) / perSecond };
}
