/** Tests the rules of `npm run campaign -- monkey`: each accepts a good history and finds the fault of a bad one. */
import { describe, expect, it } from 'vitest'
import type { PageSnapshot, ToastSnapshot } from '#tests/campaigns/monkey/page-snapshot.ts'
import { type RuleName, rules } from '#tests/campaigns/monkey/rules.ts'
import { parseTrace } from '#tests/campaigns/monkey/trace.ts'

const goodSnapshot: PageSnapshot = {
  documentId: 'first',
  path: '/saas/app/user',
  inputCount: 1,
  isBusy: false,
  isBlank: false,
  errorText: null,
  headings: ['Users'],
  unnamedDialogCount: 0,
  rawTexts: [],
  overflows: [],
  wayCount: 3,
  hasFocus: true,
  lastKey: 'Enter',
  typedField: null,
  displayedConnection: 'online',
  isBrowserOnline: true,
  isServerReachable: true,
  toasts: [],
  completeList: ['Ada admin@acme.example'],
  unsentCount: 0,
  company: 'Acme',
  answeredCount: 0,
  amounts: { quoted: null, payable: null, charged: null, due: [] },
}

const repeat = (count: number, changes: Partial<PageSnapshot> = {}): PageSnapshot[] =>
  Array.from({ length: count }, () => ({ ...goodSnapshot, ...changes }))
const long = 200
const noAmounts = goodSnapshot.amounts
const amounts = (changes: Partial<PageSnapshot['amounts']>) => ({ amounts: { ...noAmounts, ...changes } })
const toast: ToastSnapshot = {
  id: '1',
  kind: 'done',
  text: 'Create successfully.',
  link: { label: 'Tim', path: '/saas/app/user?user=7' },
}
const queuedToast: ToastSnapshot = { ...toast, kind: 'note', link: { label: 'Tim', path: '/saas/app/outbox' } }

type History = readonly PageSnapshot[]
const cases: readonly [rule: RuleName, name: string, good: History, bad: History][] = [
  [
    'typedTextStays',
    'a field that is emptied',
    repeat(1, { typedField: { name: 'code', typed: 'abc', value: 'abc' } }),
    repeat(1, { typedField: { name: 'code', typed: 'abc', value: '' } }),
  ],
  [
    'typedTextStays',
    'a field that is removed',
    repeat(1),
    repeat(1, { typedField: { name: 'code', typed: 'abc', value: null } }),
  ],
  [
    'noErrorPage',
    'an error page',
    [
      ...repeat(1, { isServerReachable: false }),
      ...repeat(1, { errorText: 'Failed to fetch dynamically imported module' }),
    ],
    repeat(1, { errorText: 'x is null · build' }),
  ],
  [
    'noErrorPage',
    'code that cannot be loaded although the server can be reached',
    repeat(long),
    repeat(long, { errorText: 'Failed to fetch dynamically imported module' }),
  ],
  ['noErrorPage', 'a blank page', repeat(100, { isBlank: true }), repeat(300, { isBlank: true })],
  [
    'savedRowAppears',
    'a saved user without a row',
    repeat(long, { toasts: [toast], completeList: ['Tim tim@acme.example'] }),
    repeat(long, { toasts: [toast] }),
  ],
  [
    'savedRowAppears',
    'a waiting write that waits nowhere',
    [...repeat(5), ...repeat(20, { toasts: [queuedToast], unsentCount: 1 })],
    [...repeat(5), ...repeat(20, { toasts: [queuedToast] })],
  ],
  [
    'amountsAgree',
    'a row with another amount',
    repeat(
      long,
      amounts({ payable: { code: 'abc1', amount: 'HKD 2.00' }, due: [{ code: 'abc1', amounts: ['HKD 2.00'] }] }),
    ),
    repeat(
      long,
      amounts({ payable: { code: 'abc1', amount: 'HKD 2.00' }, due: [{ code: 'abc1', amounts: ['HKD 3.00'] }] }),
    ),
  ],
  [
    'amountsAgree',
    'a payment that differs from the price in the wizard',
    [
      ...repeat(1, amounts({ quoted: 'HKD 2.00' })),
      ...repeat(1, amounts({ payable: { code: null, amount: 'HKD 2.00' } })),
    ],
    [
      ...repeat(1, amounts({ quoted: 'HKD 2.00' })),
      ...repeat(1, amounts({ payable: { code: null, amount: 'HKD 2.01' } })),
    ],
  ],
  [
    'amountsAgree',
    'a charge that differs from the payment',
    [
      ...repeat(1, amounts({ payable: { code: null, amount: 'HKD 2.00' } })),
      ...repeat(1, amounts({ charged: 'HKD 2.00' })),
    ],
    [
      ...repeat(1, amounts({ payable: { code: null, amount: 'HKD 2.00' } })),
      ...repeat(1, amounts({ charged: 'HKD 1.00' })),
    ],
  ],
  ['hasWayOn', 'a page without a link', repeat(long, { wayCount: 1 }), repeat(long, { wayCount: 0 })],
  [
    'focusStays',
    'a lost focus',
    [...repeat(1), ...repeat(long, { hasFocus: false, lastKey: 'Tab' })],
    [...repeat(1), ...repeat(long, { hasFocus: false })],
  ],
  [
    'connectionIsTrue',
    'offline shown as online',
    repeat(long, { isBrowserOnline: false, displayedConnection: 'offline' }),
    repeat(long, { isBrowserOnline: false }),
  ],
  [
    'connectionIsTrue',
    'a missing server shown as online',
    repeat(long, { isServerReachable: false, displayedConnection: 'unreachable' }),
    repeat(long, { isServerReachable: false, displayedConnection: 'syncing' }),
  ],
  ['connectionIsTrue', 'online shown as offline', repeat(long), repeat(long, { displayedConnection: 'unreachable' })],
  [
    'fitsWindow',
    'a page that is too wide',
    [...repeat(2, { overflows: ['9 px'] }), ...repeat(1)],
    repeat(long, { overflows: ['9 px'] }),
  ],
  ['hasOneHeading', 'two headings', repeat(long), repeat(long, { headings: ['Users', 'Users'] })],
  ['hasOneHeading', 'a dialog without a name', repeat(long), repeat(long, { unnamedDialogCount: 1 })],
  ['hasNoRawText', 'the key of a text', repeat(long), repeat(long, { rawTexts: ['line.online'] })],
  [
    'queueStays',
    'a lost write',
    [...repeat(60, { unsentCount: 2 }), ...repeat(16, { unsentCount: 1, answeredCount: 1 })],
    [...repeat(60, { unsentCount: 2 }), ...repeat(16, { unsentCount: 1 })],
  ],
]

describe('rules', () => {
  it.each(cases)('%s finds %s', (rule, _, good, bad) => {
    expect(rules[rule](good)).toBeNull()
    expect(rules[rule](bad)).not.toBeNull()
  })

  it('finds nothing in a good page, whatever the rule', () => {
    for (const find of Object.values(rules)) expect(find(repeat(long))).toBeNull()
  })

  it('is tested for each rule', () => {
    expect([...new Set(cases.map(([rule]) => rule))].toSorted()).toEqual(Object.keys(rules).toSorted())
  })

  it('forgives a write that the user may have deleted on the page of waiting changes', () => {
    const history = [...repeat(60, { unsentCount: 2 }), ...repeat(2, { path: '/saas/app/outbox' }), ...repeat(16)]
    expect(rules.queueStays(history)).toBeNull()
  })
})

it('A trace names each violated property once, with its first details and the actions before it', () => {
  const snapshots = [{ name: 'faults', value: [{ rule: 'fitsWindow', text: '9 px', path: '/saas/app/home' }] }]
  const state = { url: 'http://localhost:1/saas/app/home', screenshot: '1.jpeg' }
  const entries = [
    { action: null, state, snapshots: [], violations: [] },
    {
      action: { Click: { fingerprint: { tag: 'a', text_content: 'Home' }, point: { x: 1, y: 2 } } },
      state,
      snapshots,
      violations: [{ name: 'fitsWindow' }],
    },
    { action: 'Reload', state, snapshots, violations: [{ name: 'fitsWindow' }] },
  ]
  expect(parseTrace(`${entries.map((entry) => JSON.stringify(entry)).join('\n')}\n{"action":`)).toEqual({
    actionCount: 2,
    paths: ['/saas/app/home'],
    violations: [
      {
        property: 'fitsWindow',
        details: ['/saas/app/home: 9 px'],
        steps: ['start → /saas/app/home', 'Click a "Home" → /saas/app/home'],
        screenshot: '1.jpeg',
      },
    ],
  })
})
