/** Tests what is proposed for an open transfer, and in which order (decision 124). */
import { describe, expect, it } from 'vitest'
import {
  type OpenItem,
  type ProposalFacts,
  ProposalIndex,
  toNameKey,
} from '#server/use-cases/bank-transfers/find-proposals.ts'

const buildItem = (id: number, company: number, amount: string, fields: Partial<OpenItem> = {}): OpenItem => ({
  contractType: 'CONTRACT',
  id,
  type: 'create',
  service_code: `service${id}`,
  currency: 'HKD',
  amount,
  due: `2026-12-${String(id % 28).padStart(2, '0')} 23:59:59`,
  company_id: company,
  ...fields,
})
const customers = [
  { id: 1, code: 'acme', name: 'Acme Trading Co., Ltd.' },
  { id: 2, code: 'beta', name: 'Beta 软件有限公司' },
  { id: 3, code: 'gamma', name: 'Gamma Limited' },
]
const propose = (facts: Partial<ProposalFacts>, transfer: Partial<Parameters<ProposalIndex['propose']>[0]> = {}) =>
  new ProposalIndex({ items: [], credit: [], customers, proformas: [], services: [], ...facts })
    .propose({ currency: 'HKD', amount: '100.00', sender: '', reference: '', ...transfer })
    .map(({ match, company_code, items }) => [match, company_code, items.map(({ id }) => id)])
const proforma = {
  code: 'PF202611000001',
  company_id: 1,
  items: [
    { kind: 'order' as const, id: 1 },
    { kind: 'order' as const, id: 2 },
  ],
}

describe('the proposals for a transfer', () => {
  it.each([
    'PF202611000001',
    'pf202611000001',
    'Payment PF 2026 1100 0001 thanks',
    'PF2026-11-000001',
    'INVPF202611000001X',
    'ＰＦ２０２６１１００００01',
    'PF202611 000001 EREF',
  ])('find the pro-forma in "%s"', (reference) => {
    const items = [buildItem(1, 1, '60.00'), buildItem(2, 1, '40.00')]
    expect(propose({ items, proformas: [proforma] }, { reference })[0]).toEqual(['proforma', 'acme', [1, 2]])
  })

  it('of a pro-forma that is paid, too small, or in another currency are credit or a part', () => {
    const items = [buildItem(1, 1, '60.00'), buildItem(2, 1, '50.00')]
    const transfer = { reference: proforma.code }
    expect(propose({ proformas: [proforma] }, transfer)).toEqual([['proforma', 'acme', []]])
    expect(propose({ items, proformas: [proforma] }, transfer)).toEqual([['proforma', 'acme', [1]]])
    expect(propose({ items, proformas: [proforma] }, { ...transfer, currency: 'USD' })).toEqual([
      ['proforma', 'acme', []],
    ])
    const credit = [{ company_id: 1, currency: 'HKD' as const, balance: '20.00', available: '10.00' }]
    expect(propose({ items, credit, proformas: [proforma] }, transfer)[0]).toEqual(['proforma', 'acme', [1, 2]])
  })

  it('find the code of a service, and the number of a contract or an invoice', () => {
    const items = [
      buildItem(1, 1, '70.00', { service_code: 'acdesenl' }),
      buildItem(2, 2, '80.00', { service_code: 'beta1' }),
    ]
    const services = [
      { code: 'C202611000007', company_id: 2, service_code: 'beta1' },
      { code: 'I202611000009', company_id: 3, service_code: 'gone' },
    ]
    const proposals = (reference: string) => propose({ items, services }, { reference })
    expect(proposals('for ACDESENL, thanks')).toEqual([['reference', 'acme', [1]]])
    expect(proposals('acdesenlx')).toEqual([])
    expect(proposals('contract C 2026 1100 0007')).toEqual([['reference', 'beta', [2]]])
    expect(proposals('I202611000009')).toEqual([['reference', 'gamma', []]])
  })

  it('find exactly what is due: one item, all of a company, or either without its credit', () => {
    const items = [
      buildItem(1, 1, '100.00'),
      buildItem(2, 2, '60.00'),
      buildItem(3, 2, '40.00'),
      buildItem(4, 3, '130.00'),
    ]
    const credit = [{ company_id: 3, currency: 'HKD' as const, balance: '30.00', available: '30.00' }]
    expect(propose({ items, credit })).toEqual([
      ['amount', 'acme', [1]],
      ['amount', 'beta', [2, 3]],
      ['amount', 'gamma', [4]],
    ])
    expect(propose({ items, credit }, { amount: '99.99' })).toEqual([])
    expect(propose({ items, credit }, { currency: 'USD' })).toEqual([])
  })

  it.each(['ACME TRADING', 'Acme Trading Company Limited', 'acme  trading co ltd', 'Acme-Trading Co., Ltd'])(
    'find the sender "%s"',
    (sender) => expect(propose({ items: [buildItem(1, 1, '70.00')] }, { sender })).toEqual([['sender', 'acme', [1]]]),
  )

  it('find a Chinese sender, and no sender without a name', () => {
    expect(propose({}, { sender: 'beta软件' })).toEqual([['sender', 'beta', []]])
    expect(toNameKey('Ltd.')).toBe('ltd')
    expect(propose({}, { sender: ' - ' })).toEqual([])
  })

  it('come in the order of how sure they are, without repetitions, at most five', () => {
    const items = [
      ...Array.from({ length: 9 }, (_, index) => buildItem(index + 10, 3, '100.00')),
      buildItem(1, 1, '60.00'),
      buildItem(2, 1, '40.00'),
      buildItem(3, 2, '100.00', { service_code: 'betashop' }),
    ]
    const reference = 'PF202611000001 C202611000007'
    const services = [{ code: 'C202611000007', company_id: 2, service_code: 'betashop' }]
    const proposals = propose({ items, services, proformas: [proforma] }, { reference, sender: 'Gamma' })
    expect(proposals).toEqual([
      ['proforma', 'acme', [1, 2]],
      ['reference', 'beta', [3]],
      ['amount', 'gamma', [10]],
      ['amount', 'gamma', [11]],
      ['amount', 'gamma', [12]],
    ])
    const many = propose({ items }, { sender: 'Beta 软件有限公司' })
    expect([many.length, many[0]]).toEqual([5, ['amount', 'beta', [3]]])
  })

  it("put what is the sender's before a word that is the code of a service of somebody else", () => {
    const items = [
      buildItem(1, 1, '100.00'),
      buildItem(2, 2, '80.00', { service_code: 'invoice' }),
      buildItem(3, 3, '100.00'),
    ]
    const services = [{ code: 'C202611000007', company_id: 2, service_code: 'invoice' }]
    const read = (reference: string, fields: object = {}) =>
      propose({ items, services, proformas: [proforma] }, { reference, sender: 'Acme Trading', ...fields })
    expect(read('Invoice')).toEqual([
      ['amount', 'acme', [1]],
      ['reference', 'beta', [2]],
      ['amount', 'gamma', [3]],
    ])
    const inPart = [
      ['sender', 'acme', [1]],
      ['reference', 'beta', [2]],
    ]
    expect(read('Invoice', { amount: '130.00' })).toEqual(inPart)
    expect(read('Invoice C202611000007')[0]).toEqual(['reference', 'beta', [2]])
    expect(read('Invoice PF202611000001', { sender: 'Beta' })[0]).toEqual(['proforma', 'acme', [1]])
    for (const sender of ['Beta', 'Beta 软件', 'Nobody'])
      expect(read('Invoice', { sender })[0]).toEqual(['reference', 'beta', [2]])
  })

  it('prefer the item of exactly the amount, and otherwise what is due first', () => {
    const items = [
      buildItem(1, 1, '500.00'),
      buildItem(2, 1, '100.00'),
      buildItem(3, 1, '60.00', { due: null }),
      buildItem(4, 1, '50.00'),
    ]
    expect(propose({ items }, { sender: 'Acme Trading' })[0]).toEqual(['amount', 'acme', [2]])
    expect(propose({ items }, { sender: 'Acme Trading', amount: '155.00' })).toEqual([['sender', 'acme', [2, 4]]])
  })

  it('need only look-ups for each transfer', () => {
    const items = Array.from({ length: 5000 }, (_, index) => buildItem(index + 1, (index % 3) + 1, `${index + 1}.00`))
    let readCount = 0
    const counted = items.map(
      (item) => new Proxy(item, { get: (target, name, self) => ((readCount += 1), Reflect.get(target, name, self)) }),
    )
    const index = new ProposalIndex({ items: counted, credit: [], customers, proformas: [], services: [] })
    readCount = 0
    for (let number = 0; number < 300; number++)
      index.propose({
        currency: 'HKD',
        amount: `${number * 7}.50`,
        sender: 'Nobody',
        reference: `service${number} text`,
      })
    expect(readCount).toBeLessThan(300 * 100)
  })
})
