import type { Report } from '../model/report.ts';

/** What a badge says. */
interface BadgeWords {
  readonly label: string;
  readonly message: string;
  /** Whether what it says is good, bad or open. */
  readonly mood: 'good' | 'bad' | 'open';
}

const MOODS: Readonly<Record<Report['verdict'], BadgeWords['mood']>> = {
  conformant: 'good',
  certified: 'good',
  nonconformant: 'bad',
  'not-certified': 'bad',
  inconclusive: 'open',
};

/** Such as `stockcheck: conformant, profile full`. */
export function badgeWords({ kind, verdict, profile }: Report): BadgeWords {
  const verdictText = verdict === 'not-certified' ? 'not certified' : verdict;
  const scope = kind === 'verify' ? `, profile ${profile}` : kind === 'load' ? ' under load' : '';
  return { label: 'stockcheck', message: `${verdictText}${scope}`, mood: MOODS[verdict] };
}
