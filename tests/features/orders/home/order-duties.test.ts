import { describe, expect, it } from 'vitest'
import type { OrderRow } from '#contract/orders.ts'
import { toPendingOrder } from '#domain/orders.ts'
import { type PaymentDue, sumDues } from '#domain/dues.ts'
import { buildOrderDuties, type OrderDuty } from '#features/orders/home/order-duties.ts'
import { listDueItems } from '#features/orders/dues/due-items.ts'

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

let lastId = 0
const createRow = (overrides: Partial<OrderRow>): OrderRow => {
  lastId += 1
  const pendingOrder = toPendingOrder({ ...draft, modules: [...draft.modules] }, { intent: 'x', companyId: 1 })
  return { ...(pendingOrder as unknown as OrderRow), id: lastId, ...overrides }
}

const buildDuties = (rows: OrderRow[], today: string) => buildOrderDuties(listDueItems(rows, today), rows, today)

const emptyDue = { currency: 'HKD', change: null, until: null, month: null } as const

const summariseDuty = (duty: OrderDuty) => [
  duty.kind,
  duty.name,
  duty.days,
  ...(duty.kind === 'pay' ? [duty.due.type, duty.due.amount] : []),
]

describe('the duties of a company that orders', () => {
  const today = '2026-11-22'

  it('returns unpaid orders and changes, and contracts that end soon, soonest first', () => {
    const duties = buildDuties(
      [
        createRow({ name: 'Ends', state: 'effective', expired_date: '2027-01-21' }),
        createRow({ name: 'Waits', state: 'unpaid', due: '2026-11-24 23:59:59' }),
        createRow({
          name: 'Grows',
          state: 'effective',
          expired_date: '2026-12-04',
          pending: { id: 99, type: 'change', amount: '263.02', due: '2026-11-22 23:59:59' },
        }),
      ],
      today,
    )
    expect(duties.map(summariseDuty)).toEqual([
      ['pay', 'Grows', 0, 'change', '263.02'],
      ['pay', 'Waits', 2, 'create', '10.00'],
      ['end', 'Grows', 12],
      ['end', 'Ends', 60],
    ])
  })

  it('returns each unpaid backup and month of traffic, also overdue traffic (fault 28c)', () => {
    const backup = { ...emptyDue, contractType: 'PDBORDER', id: 1, type: 'pdb2s3', amount: '5400.00' } as const
    const traffic = { ...emptyDue, contractType: 'TRAFFIC', type: 'traffic', amount: '162.50' } as const
    const dues: PaymentDue[] = [
      { ...backup, due: '2026-11-25 23:59:59' },
      { ...backup, id: 2, due: '2026-11-21 23:59:59' },
      { ...traffic, id: 3, due: '2026-11-20 23:59:59', month: '2026-10' },
    ]
    const duties = buildDuties(
      [createRow({ name: 'Shop', state: 'effective', expired_date: '2027-11-01', dues })],
      today,
    )
    expect(duties.map(summariseDuty)).toEqual([
      ['pay', 'Shop', -2, 'traffic', '162.50'],
      ['pay', 'Shop', 3, 'pdb2s3', '5400.00'],
    ])
  })

  it('omits contracts that end later or have ended, and unpaid orders past their deadline', () => {
    expect(
      buildDuties(
        [
          createRow({ state: 'effective', expired_date: '2027-01-22' }),
          createRow({ state: 'expired', expired_date: '2026-11-01' }),
          createRow({ state: 'invalid' }),
          createRow({ state: 'unpaid', due: '2026-11-21 23:59:59' }),
        ],
        today,
      ),
    ).toEqual([])
  })

  it('returns one amount to pay per currency', () => {
    const until = '2026-11-24 23:59:59'
    const duties = buildDuties(
      [
        createRow({ state: 'unpaid', due: until, pay_amount: '10.10' }),
        createRow({ state: 'unpaid', due: until, pay_amount: '0.95' }),
        createRow({ state: 'unpaid', due: until, pay_amount: '7.00', currency: 'RMB' }),
        createRow({ state: 'effective', expired_date: '2026-12-04', currency: 'USD' }),
      ],
      today,
    )
    const dues = duties.flatMap((duty) => (duty.kind === 'pay' ? [duty.due] : []))
    expect(sumDues(dues)).toEqual([
      { currency: 'HKD', amount: '11.05' },
      { currency: 'RMB', amount: '7.00' },
    ])
  })
})
