import { JournalList } from './journal-list.tsx';

export default function JournalPage() {
  return <JournalList />;
}
