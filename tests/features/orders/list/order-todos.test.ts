import { describe, expect, it } from 'vitest'
import type { OrderRow } from '#contract/orders.ts'
import { orderedHere } from '#domain/orders.ts'
import { dutiesOf, latestOf } from '#features/orders/list/order-todos.ts'

const draft = {
  code: 'shop',
  name: 'Shop',
  currency: 'HKD',
  user_mode: 'NAMED',
  users: 1,
  period: 1,
  period_start: '2026-01-01',
  modules: ['core'],
  amount: '10.00',
} as const

let last = 0
const row = (over: Partial<OrderRow>): OrderRow => {
  last += 1
  const made = orderedHere({ ...draft, modules: [...draft.modules] }, { intent: 'x', companyId: 1 })
  return { ...(made as unknown as OrderRow), id: last, ...over }
}

describe('what of the orders needs somebody', () => {
  const today = '2026-11-22'

  it('is what is to be paid, the order itself or what waits on it, and what ends soon: soonest first', () => {
    const duties = dutiesOf(
      [
        row({ name: 'Ends', state: 'effective', expired_date: '2027-01-21' }),
        row({ name: 'Waits', state: 'unpaid', due: '2026-11-24 23:59:59' }),
        row({
          name: 'Grows',
          state: 'effective',
          expired_date: '2026-12-04',
          pending: { id: 99, type: 'change', amount: '263.02', due: '2026-11-22 23:59:59' },
        }),
      ],
      today,
    )
    expect(duties.map(({ kind, name, days, type, amount }) => [kind, name, days, type, amount])).toEqual([
      ['pay', 'Grows', 0, 'change', '263.02'],
      ['pay', 'Waits', 2, 'create', '10.00'],
      ['end', 'Grows', 12, 'create', null],
      ['end', 'Ends', 60, 'create', null],
    ])
  })

  it('is not what ends later than the first reminder, is over, or was overdue when it was last heard of', () => {
    expect(
      dutiesOf(
        [
          row({ state: 'effective', expired_date: '2027-01-22' }),
          row({ state: 'expired', expired_date: '2026-11-01' }),
          row({ state: 'invalid' }),
          row({ state: 'unpaid', due: '2026-11-21 23:59:59' }),
        ],
        today,
      ),
    ).toEqual([])
  })

  it('comes with the last events, newest first', () => {
    const times = ['2026-11-01 10:00:00', '', '2026-11-03 10:00:00', '2026-11-02 10:00:00']
    const rows = times.map((time) => row({ update_time: time }))
    expect(latestOf(rows, 2).map(({ update_time: time }) => time)).toEqual([
      '2026-11-03 10:00:00',
      '2026-11-02 10:00:00',
    ])
  })
})
