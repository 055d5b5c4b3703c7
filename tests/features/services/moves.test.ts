/** What a menu offers for a service, by state and right (contracts 4, 6; D41; Z-26). */
import { describe, expect, it } from 'vitest'
import type { ServiceRow } from '#contract/services.ts'
import type { Caller } from '#domain/access.ts'
import { type Move, movesOf, whyNotMove } from '#features/services/operations/moves.ts'

const today = '2026-03-02'
const someone: Caller = { userId: 1, companyId: 1, companyCode: 'alpha', admin: false, order: false, accessLevel: 0 }
const provider: Caller = { ...someone, companyId: 9, companyCode: 'm18' }

const callers = {
  user: someone,
  orders: { ...someone, order: true },
  admin: { ...someone, admin: true },
  'of another company': { ...someone, companyId: 2, order: true },
  clerk: { ...provider, order: true },
  'provider admin': { ...provider, admin: true },
  'delete level': { ...provider, accessLevel: 100 },
} as const satisfies Record<string, Caller>

const row = (fields: Partial<ServiceRow>) =>
  ({
    company_id: 1,
    contract_id: 5,
    status: 1,
    system_status: 2,
    period_start: '2026-01-01',
    erase_date: null,
    is_expired: false,
    operation: null,
    ...fields,
  }) as ServiceRow

const states = {
  'not created': row({ system_status: 0 }),
  'without a contract': row({ system_status: 0, contract_id: 0, status: -1, period_start: null }),
  'not begun': row({ system_status: 0, period_start: '2026-03-03' }),
  running: row({}),
  failed: row({ system_status: 5 }),
  expired: row({ status: 2, system_status: 4, is_expired: true, erase_date: '2026-04-01' }),
  removed: row({ system_status: 0, erase_date: '2026-04-01' }),
}

/** A move in brackets is offered and cannot be used now. */
const offered = (state: ServiceRow, caller: Caller) =>
  movesOf(state, caller, today).map((move) => (whyNotMove(move, state, caller, today) ? `(${move})` : move))

const touching: Move[] = ['update', 'reboot', 'configure', 'reset', 'log', 'download', 'remove']
const nobody = { user: [], admin: [], 'of another company': [], clerk: [] }

const expected: Record<keyof typeof states, Record<keyof typeof callers, string[]>> = {
  'not created': { ...nobody, orders: ['create'], 'provider admin': ['create'], 'delete level': ['create'] },
  'without a contract': { ...nobody, orders: [], 'provider admin': [], 'delete level': [] },
  'not begun': { ...nobody, orders: ['(create)'], 'provider admin': ['(create)'], 'delete level': ['(create)'] },
  running: {
    ...nobody,
    orders: [...touching, '(delete)'],
    'provider admin': touching,
    'delete level': [...touching, 'delete'],
  },
  failed: {
    ...nobody,
    orders: [...touching, '(delete)'],
    'provider admin': touching,
    'delete level': [...touching, 'delete'],
  },
  expired: {
    ...nobody,
    orders: ['(update)', '(reboot)', 'configure', 'reset', 'log', 'download', 'remove', 'delete'],
    'provider admin': ['(update)', '(reboot)', 'configure', 'reset', 'log', 'download', 'remove'],
    'delete level': ['(update)', '(reboot)', 'configure', 'reset', 'log', 'download', 'remove', 'delete'],
  },
  removed: {
    ...nobody,
    orders: ['create', 'log', 'download', '(delete)'],
    'provider admin': ['create', 'log', 'download'],
    'delete level': ['create', 'log', 'download', 'delete'],
  },
}

describe.each(Object.keys(states) as (keyof typeof states)[])('a service that is %s', (state) => {
  it('is offered to each caller as the rules say', () => {
    const found = Object.fromEntries(
      Object.entries(callers).map(([name, caller]) => [name, offered(states[state], caller)]),
    )
    expect(found).toEqual(expected[state])
  })
})

it('is left alone while something else is done to it, except that its log is read', () => {
  const busy = row({
    operation: { kind: 'reboot-service', user_name: 'Li', since: '2026-03-02 10:00:00', progress_key: 'k' },
  })
  expect(offered(busy, callers['delete level'])).toEqual([
    '(update)',
    '(reboot)',
    '(configure)',
    '(reset)',
    'log',
    'download',
    '(remove)',
    '(delete)',
  ])
})
