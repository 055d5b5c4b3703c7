import { expect, it } from 'vitest'
import type { ServiceRow } from '#contract/services.ts'
import { ordersToWatch } from '#features/services/home/orders-to-watch.ts'

const row = (code: string, over: Partial<ServiceRow>) =>
  ({ code, expired_date: null, os_contract: 0, os_pdb2s3: 0, os_pdb2rds: 0, os_traffic: 0, ...over }) as ServiceRow

it('the staff watch what is unpaid and what ends within the reach of the first reminder, soonest first', () => {
  const watched = ordersToWatch(
    [
      row('calm', { expired_date: '2027-06-01' }),
      row('over', { expired_date: '2026-11-21' }),
      row('unpaid', { os_contract: 7 }),
      row('backup', { os_pdb2rds: 8, expired_date: '2026-12-01' }),
      row('today', { expired_date: '2026-11-22' }),
      row('edge', { expired_date: '2027-01-21' }),
      row('beyond', { expired_date: '2027-01-22' }),
    ],
    '2026-11-22',
  )
  expect(watched.map(({ row: { code }, days, isUnpaid }) => [code, days, isUnpaid])).toEqual([
    ['today', 0, false],
    ['backup', 9, true],
    ['edge', 60, false],
    ['unpaid', null, true],
  ])
})
