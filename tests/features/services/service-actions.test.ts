/** Tests the actions in the menu of a service, by state and permission (contracts 4, 6; D41; Z-26). */
import { describe, expect, it } from 'vitest'
import type { ServiceRow } from '#contract/services.ts'
import type { Caller } from '#domain/access.ts'
import {
  type ServiceMenuAction,
  listServiceActions,
  findActionRefusal,
} from '#features/services/operations/service-actions.ts'

const today = '2026-03-02'
const plainCaller: Caller = {
  userId: 1,
  companyId: 1,
  companyCode: 'alpha',
  admin: false,
  order: false,
  accessLevel: 0,
}
const provider: Caller = { ...plainCaller, companyId: 9, companyCode: 'm18' }

const callers = {
  user: plainCaller,
  orders: { ...plainCaller, order: true },
  admin: { ...plainCaller, admin: true },
  'of another company': { ...plainCaller, companyId: 2, order: true },
  clerk: { ...provider, order: true },
  'provider admin': { ...provider, admin: true },
  'delete level': { ...provider, accessLevel: 100 },
} as const satisfies Record<string, Caller>

const createRow = (fields: Partial<ServiceRow>) =>
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
  'not created': createRow({ system_status: 0 }),
  'without a contract': createRow({ system_status: 0, contract_id: 0, status: -1, period_start: null }),
  'not started': createRow({ system_status: 0, period_start: '2026-03-03' }),
  running: createRow({}),
  failed: createRow({ system_status: 5 }),
  expired: createRow({ status: 2, system_status: 4, is_expired: true, erase_date: '2026-04-01' }),
  removed: createRow({ system_status: 0, erase_date: '2026-04-01' }),
}

/** Returns the offered actions. A disabled action is in brackets. */
const listOfferedActions = (state: ServiceRow, caller: Caller) =>
  listServiceActions(state, caller, today).map((action) =>
    findActionRefusal(action, state, caller, today) ? `(${action})` : action,
  )

const serviceActions: ServiceMenuAction[] = ['update', 'reboot', 'configure', 'reset', 'log', 'download', 'remove']
const noActions = { user: [], admin: [], 'of another company': [], clerk: [] }

const expected: Record<keyof typeof states, Record<keyof typeof callers, string[]>> = {
  'not created': { ...noActions, orders: ['create'], 'provider admin': ['create'], 'delete level': ['create'] },
  'without a contract': { ...noActions, orders: [], 'provider admin': [], 'delete level': [] },
  'not started': { ...noActions, orders: ['(create)'], 'provider admin': ['(create)'], 'delete level': ['(create)'] },
  running: {
    ...noActions,
    orders: [...serviceActions, '(delete)'],
    'provider admin': serviceActions,
    'delete level': [...serviceActions, 'delete'],
  },
  failed: {
    ...noActions,
    orders: [...serviceActions, '(delete)'],
    'provider admin': serviceActions,
    'delete level': [...serviceActions, 'delete'],
  },
  expired: {
    ...noActions,
    orders: ['(update)', '(reboot)', 'configure', 'reset', 'log', 'download', 'remove', 'delete'],
    'provider admin': ['(update)', '(reboot)', 'configure', 'reset', 'log', 'download', 'remove'],
    'delete level': ['(update)', '(reboot)', 'configure', 'reset', 'log', 'download', 'remove', 'delete'],
  },
  removed: {
    ...noActions,
    orders: ['create', 'log', 'download', '(delete)'],
    'provider admin': ['create', 'log', 'download'],
    'delete level': ['create', 'log', 'download', 'delete'],
  },
}

describe.each(Object.keys(states) as (keyof typeof states)[])('a service that is %s', (state) => {
  it('offers each caller the specified actions', () => {
    const offeredByCaller = Object.fromEntries(
      Object.entries(callers).map(([name, caller]) => [name, listOfferedActions(states[state], caller)]),
    )
    expect(offeredByCaller).toEqual(expected[state])
  })
})

it('A service with a running operation offers only its log', () => {
  const busyService = createRow({
    operation: { kind: 'reboot-service', user_name: 'Li', since: '2026-03-02 10:00:00', progress_key: 'k', step: null },
  })
  expect(listOfferedActions(busyService, callers['delete level'])).toEqual([
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
