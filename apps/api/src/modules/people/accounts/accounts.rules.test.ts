import { describe, expect, it } from 'vitest';
import { judgeIncome } from './accounts.rules.ts';

describe('a saved income', () => {
  it.each([
    ['left out', '12.345678', {}, { kind: 'none' }],
    ['as it was read', '12.345678', { income: 12.345678, incomeSeen: 12.345678 }, { kind: 'none' }],
    ['as it was shown', '12.345', { income: 12.34, incomeSeen: 12.34 }, { kind: 'none' }],
    ['as it was shown, rounded down', '2786.3898', { income: 2786.38, incomeSeen: 2786.3898 }, { kind: 'none' }],
    [
      'a cent more than shown',
      '2786.3898',
      { income: 2786.39, incomeSeen: 2786.3898 },
      { kind: 'adjust', amountEur: '0.000200' },
    ],
    ['rounded by a client without incomeSeen', '2786.3898', { income: 2786.39 }, { kind: 'none' }],
    ['cut by a client without incomeSeen', '2786.3898', { income: 2786.38 }, { kind: 'none' }],
    ['a cent more than rounded', '2786.3898', { income: 2786.4 }, { kind: 'adjust', amountEur: '0.010200' }],
    ['negative and unchanged', '-5.120001', { income: -5.12, incomeSeen: -5.12 }, { kind: 'none' }],
    ['negative and changed', '-5.12', { income: -4 }, { kind: 'negative' }],
    ['back to zero', '-5.12', { income: 0 }, { kind: 'adjust', amountEur: '5.120000' }],
    ['lower', '12.345678', { income: 10, incomeSeen: 12.35 }, { kind: 'adjust', amountEur: '-2.345678' }],
    ['of a balance that moved', '12.36', { income: 10, incomeSeen: 12.35 }, { kind: 'moved' }],
    ['unchanged, of a balance that moved', '12.36', { income: 12.35, incomeSeen: 12.35 }, { kind: 'moved' }],
  ] as const)('%s', (_name, balance, form, change) => expect(judgeIncome(balance, form)).toEqual(change));
});
