import { describe, expect, it } from 'vitest'
import type { PaymentDue } from '#domain/dues.ts'
import { listCustomerDues, listEndingContracts } from '#features/customers/detail/customer-lines.ts'

const today = '2026-06-10'
const contract = { id: 1, code: 'shop', name: 'Shop', expired_date: '2026-07-01' }
const createDue = (id: number, due: string, contractType: PaymentDue['contractType'] = 'CONTRACT'): PaymentDue => ({
  contractType,
  id,
  type: 'change',
  currency: 'HKD',
  amount: '10.00',
  change: null,
  until: null,
  month: null,
  due: `${due} 23:59:59`,
})
const orders = [
  { ...contract, dues: [createDue(1, '2026-06-30'), createDue(2, '2026-06-09')] },
  { ...contract, id: 2, code: 'till', dues: [createDue(3, '2026-06-12'), createDue(4, '2026-06-01', 'TRAFFIC')] },
]

describe('The unpaid items of a customer', () => {
  it('are listed by their last day, without those that can no longer be paid', () => {
    const unpaid = [{ currency: 'HKD' as const, amount: '40.00', count: 4 }]
    const { lines, moreCount, sums } = listCustomerDues({ dues: orders, unpaid, unpaid_count: 4 }, today)
    expect(lines.map(({ code, due, days }) => [code, due.id, days])).toEqual([
      ['till', 4, -9],
      ['till', 3, 2],
      ['shop', 1, 20],
    ])
    expect(moreCount).toBe(0)
    expect(sums).toEqual([{ currency: 'HKD', amount: '30.00', count: 3 }])
  })

  it('are counted if the server left some out, and the sum is that of the server', () => {
    const unpaid = [{ currency: 'HKD' as const, amount: '90.00', count: 9 }]
    expect(listCustomerDues({ dues: orders, unpaid, unpaid_count: 9 }, today)).toMatchObject({
      moreCount: 5,
      sums: unpaid,
    })
  })
})

it('Contracts that end soon are listed, and it is known whether there may be more', () => {
  const ending = [
    { ...contract, expired_date: '2026-06-09' },
    { ...contract, id: 2, expired_date: today },
  ]
  const late = { ...contract, id: 3, expired_date: '2028-01-01' }
  const cutList = listEndingContracts({ ending, effective_contracts: 3 }, today)
  expect([cutList.lines.map(({ id, days }) => [id, days]), cutList.isCut]).toEqual([[[2, 0]], true])
  expect(listEndingContracts({ ending, effective_contracts: 2 }, today).isCut).toBe(false)
  const lateList = listEndingContracts({ ending: [...ending, late], effective_contracts: 9 }, today)
  expect([lateList.lines.length, lateList.isCut]).toEqual([1, false])
})
