import { expect, it } from 'vitest'
import type { ServiceRow } from '#contract/services.ts'
import { listOrdersToWatch } from '#features/services/home/orders-to-watch.ts'

const createRow = (code: string, overrides: Partial<ServiceRow>) =>
  ({ code, expired_date: null, os_contract: 0, os_pdb2s3: 0, os_pdb2rds: 0, os_traffic: 0, ...overrides }) as ServiceRow

it('Staff sees unpaid orders, and contracts that end before the first reminder, soonest first', () => {
  const rows = [
    createRow('calm', { expired_date: '2027-06-01' }),
    createRow('over', { expired_date: '2026-11-21' }),
    createRow('unpaid', { os_contract: 7 }),
    createRow('backup', { os_pdb2rds: 8, expired_date: '2026-12-01' }),
    createRow('today', { expired_date: '2026-11-22' }),
    createRow('edge', { expired_date: '2027-01-21' }),
    createRow('beyond', { expired_date: '2027-01-22' }),
  ]
  const watchedOrders = listOrdersToWatch(rows, '2026-11-22', { hasUnpaid: true })
  expect(watchedOrders.map(({ row: { code }, days, isUnpaid }) => [code, days, isUnpaid])).toEqual([
    ['today', 0, false],
    ['backup', 9, true],
    ['edge', 60, false],
    ['unpaid', null, true],
  ])
  // Who may list the orders sees what is to pay with its amounts.
  const endingOrders = listOrdersToWatch(rows, '2026-11-22', { hasUnpaid: false })
  expect(endingOrders.map(({ row: { code }, isUnpaid }) => [code, isUnpaid])).toEqual([
    ['today', false],
    ['backup', false],
    ['edge', false],
  ])
})
