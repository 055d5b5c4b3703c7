import { expect, it } from 'vitest'
import { type DueGroup, toPayableGroup } from '#features/orders/dues/due-groups.ts'
import { parseItems } from '#features/orders/dues/returned-items.ts'

const createItem = (contractType: 'CONTRACT' | 'PDBORDER' | 'TRAFFIC', id: number, due: string) =>
  ({
    name: 'Shop',
    row: { company_id: 1 },
    due: { contractType, id, currency: 'HKD', amount: '10.00', due },
  }) as unknown as DueGroup[0]

it('The first deadline of several items is that of a contract or backup, because traffic can be paid after its time', () => {
  const overdueTraffic = createItem('TRAFFIC', 1, '2026-01-08 23:59:59')
  const backup = createItem('PDBORDER', 2, '2026-03-20 23:59:59')
  const contract = createItem('CONTRACT', 3, '2026-03-09 23:59:59')
  expect(toPayableGroup([overdueTraffic, backup, contract])).toMatchObject({
    amount: '30.00',
    due: '2026-03-09 23:59:59',
  })
  expect(toPayableGroup([overdueTraffic, createItem('TRAFFIC', 4, '2026-02-08 23:59:59')]).due).toBeNull()
})

it('parseItems returns each item of the address once, and ignores what is not an item', () => {
  const search = '?pay=CONTRACT-1,CONTRACT-1,TRAFFIC-1,x-1,CONTRACT-0,TRAFFIC-1'
  expect(parseItems(search)).toEqual([
    { id: 1, contractType: 'CONTRACT' },
    { id: 1, contractType: 'TRAFFIC' },
  ])
})
