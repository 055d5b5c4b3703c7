import { describe, expect, it } from 'vitest'
import { customerSearchSource } from '#features/customers/customer-search-source.ts'
import { createInvoiceSearchSource } from '#features/invoices/invoice-search-source.ts'
import { createContractSearchSource } from '#features/orders/list/contract-search-source.ts'
import { serviceSearchSource } from '#features/services/list/service-search-source.ts'
import { createUserSearchSource } from '#features/users/user-search-source.ts'
import type { VersionedRow } from '#contract/endpoint.ts'
import { buildUser } from '#tests/support/device/device-database.ts'

const toRow = (fields: object) => fields as VersionedRow
const openPath = (source: Pick<typeof serviceSearchSource, 'findOpenId'>, path: string) => {
  const url = new URL(path, 'http://portal')
  return source.findOpenId(url.pathname, url.searchParams)
}

describe('the contracts of the search', () => {
  const source = createContractSearchSource({
    companyId: 7,
    hasAllCompanies: false,
    formatPayment: ({ code, amount }) => `Pay ${code} · ${amount}`,
    formatDue: (day) => `pay by ${day}`,
    describeDue: ({ type }) => type,
  })
  const due = {
    contractType: 'CONTRACT',
    type: 'change',
    id: 12,
    currency: 'USD',
    amount: '4877.50',
    due: '2026-12-05 23:59:59',
  }
  const traffic = { ...due, contractType: 'TRAFFIC', type: 'traffic', id: 3, amount: '12.00' }
  const row = {
    id: 5,
    company_id: 7,
    code: 'acmehr',
    name: 'Acme people',
    contract: 'C202610000002',
    dues: [due, traffic],
    state: 'effective',
  }

  it('are items with their contract number, and a command for each amount that is due', () => {
    const [contract, payment, trafficPayment, ...otherItems] = source.toItems(toRow(row))
    expect(contract).toMatchObject({
      group: 'find',
      label: 'acmehr',
      detail: 'Acme people · C202610000002',
      codes: ['C202610000002'],
      path: '/app/contract/5',
    })
    expect(payment).toMatchObject({
      group: 'do',
      label: 'Pay acmehr · USD 4,877.50',
      detail: 'pay by 2026-12-05 · change',
      isSuggested: true,
      lastDay: '2026-12-05',
      path: '/app/contract/5?pay=CONTRACT-12',
    })
    expect(trafficPayment).toMatchObject({
      label: 'Pay acmehr · USD 12.00',
      detail: 'pay by 2026-12-05 · traffic',
      path: '/app/contract/5?pay=TRAFFIC-3',
    })
    expect(trafficPayment).not.toHaveProperty('lastDay')
    expect(otherItems).toEqual([])
  })

  it('suggest no payment for another company, and name the company', () => {
    const [, payment] = source.toItems(toRow({ ...row, company_id: 8, company_name: 'Globex' }))
    expect(payment).toMatchObject({ isSuggested: false, detail: 'pay by 2026-12-05 · change · Globex' })
  })

  it.each([{ id: '~intent', contract: null }, { state: 'invalid' }])(
    'open the list if they have no page: %j',
    (fields) => {
      const items = source.toItems(toRow({ ...row, ...fields }))
      expect(items.map(({ group, path }) => [group, path])).toEqual([['find', '/app/contract?searchText=acmehr']])
    },
  )
})

describe('the services of the search', () => {
  it('are found by the code of their company, which is not their own', () => {
    const row = {
      id: 3,
      code: 'globex01',
      name: 'ERP',
      company_name: '环球贸易',
      company_code: 'globex',
      contract: null,
    }
    expect(serviceSearchSource.toItems(toRow(row))).toMatchObject([
      { label: 'globex01', detail: 'ERP · 环球贸易', codes: [], otherTexts: ['globex'], path: '/app/service/3' },
    ])
  })
})

describe('the contracts of the search for staff', () => {
  it('are those of the list of all companies', () => {
    const options = { companyId: 1, formatPayment: () => '', formatDue: () => '', describeDue: () => '' }
    const { list, scope } = createContractSearchSource({ ...options, hasAllCompanies: true })
    expect([list.table, scope]).toEqual(['customer_orders', null])
    expect(createContractSearchSource({ ...options, hasAllCompanies: false }).list.table).toBe('orders')
  })
})

describe('the invoices of the search', () => {
  it('are found by their number, and open in the drawer of the list', () => {
    const source = createInvoiceSearchSource(7, false)
    const row = { id: 9, code: 'I202611000012', service_name: 'ERP', currency: 'HKD', amount: '1200.00' }
    const [item] = source.toItems(toRow(row))
    expect(item).toMatchObject({
      label: 'I202611000012',
      detail: 'ERP · HKD 1,200.00',
      codes: ['I202611000012'],
      path: '/app/invoice?invoice=9',
    })
    const [creditNote] = source.toItems(toRow({ ...row, kind: 'creditNote', code: 'CN202611000001' }))
    expect(creditNote?.detail).toBe('ERP · HKD −1,200.00')
    expect(openPath(source, item?.path ?? '')).toBe(9)
    expect(openPath(source, '/app/invoice')).toBe(null)
    expect([source.list.table, source.scope]).toEqual(['invoices', 7])
    const { list, scope } = createInvoiceSearchSource(7, true)
    expect([list.table, scope]).toEqual(['customer_invoices', null])
  })
})

describe('the customers of the search', () => {
  it('are found by name and code, and open their page', () => {
    const [item] = customerSearchSource.toItems(toRow({ id: 8, code: 'globex', name: '环球贸易' }))
    expect(item).toMatchObject({ label: '环球贸易', codes: ['globex'], path: '/app/m18/customer/8' })
    expect(openPath(customerSearchSource, `${item?.path}/trail`)).toBe(8)
    expect(openPath(customerSearchSource, '/app/m18/customer')).toBe(null)
  })
})

describe('the address of an item', () => {
  const userSource = createUserSearchSource(7)

  it('is recognised when it is open', () => {
    const [item] = userSource.toItems(buildUser(12))
    expect(openPath(userSource, item?.path ?? '')).toBe(12)
    expect(openPath(serviceSearchSource, '/app/service/3/log')).toBe(3)
    for (const path of ['/app/user', '/app/user?user=new', '/app/user?user=12x', '/app/service?user=12'])
      expect(openPath(userSource, path)).toBe(null)
    expect(openPath(serviceSearchSource, '/app/service')).toBe(null)
  })

  it('of the complete list has the text as its search', () => {
    expect(userSource.toListPath('a&b c')).toBe('/app/user?searchText=a%26b+c')
    expect(serviceSearchSource.toListPath('环')).toBe(`/app/service?searchText=${encodeURIComponent('环')}`)
  })
})
