/** Paying backups and traffic: on the same way as contracts, with the same ends (D15, D25, D31, D66, D90; R-27, S-95). */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { randomUUID } from 'node:crypto'
import { inTransaction } from '#server/db/transaction.ts'
import { applyPayment } from '#server/use-cases/payments/apply-payment.ts'
import type { Payment } from '#server/use-cases/payments/payable.ts'
import { backupOf, serviceIdOf, trafficOf } from '#tests/support/hosting/backups.ts'
import { onConnections } from '#tests/support/server/database.ts'
import { visit } from '#tests/support/orders/gateway-pages.ts'
import { mailBox } from '#tests/support/server/mailed.ts'
import { openTill, payFor, type Till } from '#tests/support/orders/sandbox-server.ts'
import { began, bought, type Ordered, setUpShop } from '#tests/support/orders/shop-data.ts'
import type { SignedIn } from '#tests/support/server/server.ts'
import { entriesOf } from '#tests/support/audit-trail/trail-entries.ts'

const dayMs = 86_400_000
const card = { token: 'pm_card_visa' }

onConnections('paying for backups', (engine) => {
  const the = setUpShop(engine)
  const box = mailBox(() => the.server.app)
  let till: Till
  let buyer: SignedIn
  let contract: Ordered
  let serviceId = 0
  let taken = 0
  beforeAll(async () => {
    till = await openTill(the.server)
  }, 60_000)
  afterAll(() => till.close())
  beforeEach(async () => {
    till.sandbox.calls.release()
    Object.assign(till.sandbox.moods, { loseAnswers: 0, fail: 0 })
    buyer = await the.server.signIn('order@alpha')
    contract = await bought(the.server, buyer)
    serviceId = await serviceIdOf(the.server, 'shop')
    await box.fetch()
    taken = sum()
  })

  const asSystem = <T>(work: Parameters<typeof inTransaction<T>>[2]) =>
    inTransaction(the.server.app, { role: 'portal_system' }, work)
  const sum = () =>
    Object.values(till.sandbox.balances())
      .flatMap((one) => Object.values(one))
      .reduce((a, b) => a + b, 0)
  /** What the gateways took since the test began, in hundredths. */
  const balance = () => sum() - taken
  const outcomes = async () =>
    (
      await asSystem((db) =>
        db.selectFrom('payment').select(['outcome', 'order_id']).where('order_id', 'is', null).orderBy('id').execute(),
      )
    ).map(({ outcome }) => outcome)
  const service = () =>
    asSystem((db) => db.selectFrom('service_row').selectAll().where('id', '=', serviceId).executeTakeFirstOrThrow())
  const invoices = () =>
    asSystem((db) => db.selectFrom('invoice').selectAll().where('order_id', 'is', null).orderBy('id').execute())
  const later = async (days: number) => {
    the.server.clock.now = began + days * dayMs
    buyer = await the.server.signIn('order@alpha')
  }
  const ordered = async (fields: object = {}): Promise<number> => {
    const payload = { service_id: serviceId, pdb_type: 'pdb2s3', period: 1, period_type: 'year', ...fields }
    return (await buyer.send({ method: 'POST', url: '/api/pdb/order', payload })).json().id
  }
  const read = (path: 'order' | 'traffic', id: number) =>
    buyer
      .send({ url: `/api/pdb/${path}?serviceId=${serviceId}&results=50` })
      .then((answer) => answer.json().data.find((row: { id: number }) => row.id === id))
  const back = async (address: string) => {
    const url = new URL(address)
    const { location } = (await the.server.send({ url: url.pathname + url.search })).headers
    return location?.replace(/#return=[\w-]+$/, '')
  }
  /** As a gateway tells of it. */
  const told = (kind: 'backup' | 'traffic', id: number, fields: Partial<Payment> = {}) => {
    const { app, clock } = the.server
    const payment = {
      gateway: 'test',
      reference: randomUUID(),
      amount: kind === 'backup' ? '5400.00' : '162.50',
      currency: 'HKD' as const,
      paidAt: clock.now,
      ...fields,
    }
    return asSystem((db) => applyPayment({ db, app, now: clock.now }, { kind, id }, payment))
  }

  const kinds = {
    PDBORDER: { kind: 'backup', make: () => ordered(), path: 'order', due: 540_000, paid: { status: 1 } },
    TRAFFIC: {
      kind: 'traffic',
      make: () => trafficOf(the.server, 'shop', { isPaid: false }),
      path: 'traffic',
      due: 16_250,
      paid: { pay_date: '2026-03-02', pay_amount: '162.50' },
    },
  } as const

  describe.each(Object.keys(kinds) as (keyof typeof kinds)[])('%s', (contractType) => {
    const { kind, make, path, due, paid } = kinds[contractType]
    const unpaid = kind === 'backup' ? { status: 0 } : { pay_date: null, pay_amount: null }
    const pay = (id: number, fields: Record<string, string> = {}, by = buyer) =>
      payFor(by, id, { contractType, ...fields })
    const check = async (id: number) =>
      (await buyer.send({ method: 'POST', url: `/api/payment/${id}/check`, payload: { contractType } })).json()
    async function paidOnce(id: number) {
      expect(await read(path, id)).toMatchObject({ ...paid, invoice_no: 'I202603000002' })
      expect([await outcomes(), (await invoices()).length, balance()]).toEqual([['applied'], 1, due])
    }

    test('fault 6c a backup cannot be paid after its own period has ended', async () => {
      await later(362)
      const id = await ordered()
      expect(await read('order', id)).toMatchObject({ due: '2027-03-01 23:59:59', status: 0 })
      await later(366)
      expect((await payFor(buyer, id, { ...card, contractType: 'PDBORDER' })).json()).toMatchObject({
        data: { why: 'invalid' },
      })
      expect(await read('order', id)).toMatchObject({ status: -1 })
    })

    test('by card takes its own amount once, makes one invoice, and is told so', async () => {
      const id = await make()
      expect(await check(id)).toEqual({ status: 'none' })
      const answers = await Promise.all(Array.from({ length: 5 }, () => pay(id, card)))
      for (const { statusCode } of answers) expect([200, 409]).toContain(statusCode)
      await till.lookAfter()
      await paidOnce(id)
      expect(await check(id)).toEqual({ status: 'paid' })
      expect((await pay(id, card)).json()).toMatchObject({ errorCode: 'STATE_CONFLICT', data: { why: 'paidAlready' } })
      // An order of that number is another thing.
      expect((await payFor(buyer, 999_999, { contractType, ...card })).statusCode).toBe(404)
    }, 30_000)

    test('leads to the gateway and back to the tab of its contract', async () => {
      const id = await make()
      till.sandbox.calls.hold()
      const answer = await pay(id, { token: 'pm_card_threeDSecureRequired' })
      const page = await visit((answer.json() as { redirect: string }).redirect)
      const seen = await visit(page.url, { answer: 'yes' })
      const tab = `/saas/app/contract/${contract.id}?tab=subscribe&paid=${contractType}-${id}`
      expect(await back(seen.url)).toBe(`${the.server.app.config.publicUrl}${tab}&payment=paid`)
      await paidOnce(id)
    })

    test('that the payer leaves is found by the job, and notices that come late and five times change nothing', async () => {
      const id = await make()
      till.sandbox.calls.hold()
      const page = await visit((await pay(id)).json().redirect)
      expect(page.text).toContain('shop')
      await visit(page.url, { card: '4242 4242 4242 4242' })
      the.server.clock.now = began + 10_000
      await till.lookAfter()
      await paidOnce(id)
      for (const call of till.sandbox.calls.list().filter(({ nextAt }) => nextAt !== null))
        for (let times = 0; times < 5; times++) await till.sandbox.calls.send(call.id)
      await paidOnce(id)
    }, 30_000)

    test('whose answer is lost is asked for again', async () => {
      const id = await make()
      // The driver tries three times by itself.
      till.sandbox.calls.hold()
      till.sandbox.moods.loseAnswers = 3
      expect((await pay(id, card)).json()).toEqual({ status: 'processing' })
      till.sandbox.moods.loseAnswers = 0
      expect(await read(path, id)).toMatchObject(unpaid)
      the.server.clock.now = began + 10_000
      await till.lookAfter()
      await paidOnce(id)
    }, 30_000)

    test('is told again and nothing is done, and a second payment is written down', async () => {
      const id = await make()
      const all = await Promise.all(Array.from({ length: 10 }, () => told(kind, id, { reference: 'one' })))
      expect(all.filter((one) => one?.repeated === false)).toHaveLength(1)
      expect(await told(kind, id, { gateway: 'other' })).toMatchObject({ outcome: 'paid already' })
      expect([await outcomes(), (await invoices()).length]).toEqual([['applied', 'paid already'], 1])
    }, 30_000)

    test.each([
      [{ amount: '1.00' }, 'another amount'],
      [{ currency: 'USD' as const }, 'another currency'],
    ])('that does not fit is written down and has no effect: %j', async (fields, outcome) => {
      const id = await make()
      expect(await told(kind, id, fields)).toMatchObject({ outcome })
      expect(await read(path, id)).toMatchObject(unpaid)
      expect(await invoices()).toEqual([])
      expect(await told(kind, id)).toMatchObject({ outcome: 'applied' })
    })

    test('that fails half-way leaves nothing, and no gap in the numbers', async () => {
      const id = await make()
      const { app, clock } = the.server
      const payment = { gateway: 'test', reference: 'cut', amount: '5400.00', currency: 'HKD', paidAt: clock.now }
      const amount = kind === 'backup' ? '5400.00' : '162.50'
      const cut = asSystem(async (db) => {
        await applyPayment({ db, app, now: clock.now }, { kind, id }, { ...payment, amount })
        throw new Error('cut off')
      })
      await expect(cut).rejects.toThrow('cut off')
      expect(await read(path, id)).toMatchObject(unpaid)
      expect([await outcomes(), await invoices()]).toEqual([[], []])
      await told(kind, id, { reference: 'cut' })
      expect((await invoices()).map(({ code }) => code)).toEqual(['I202603000002'])
    })

    test('is nobody else’s, but staff’s who order', async () => {
      const id = await make()
      expect((await pay(id, card, await the.server.signIn('order@beta'))).statusCode).toBe(404)
      expect((await pay(id, card, await the.server.signIn('user@alpha'))).statusCode).toBe(403)
      expect((await pay(id, card, await the.server.signIn('order@m18'))).json()).toEqual({ status: 'paid' })
      await paidOnce(id)
    })

    test('is written into the trail and receipted by mail, once (D86)', async () => {
      const id = await make()
      await pay(id, card)
      await till.lookAfter()
      const about = kind === 'backup' ? { OrderId: id } : { Month: '2026-03' }
      expect((await entriesOf(the.server, 'backup')).filter(({ operation }) => operation === 'pay')).toMatchObject([
        { info: { ServiceCode: 'shop', ...about, InvoiceNo: 'I202603000002', Outcome: 'applied', Gateway: 'stripe' } },
      ])
      const mails = await box.fetch()
      expect(mails.map(({ to }) => to.address).toSorted()).toEqual(['order@alpha.example', 'second@alpha.example'])
      for (const { subject, text } of mails) {
        expect(subject).toContain('Payment received')
        expect(text).toContain('I202603000002')
        expect(text).toContain(kind === 'backup' ? 'HKD 5,400.00' : 'HKD 162.50')
        expect(text).toContain(`/saas/app/contract/${contract.id}?tab=subscribe`)
      }
    })
  })

  describe('a backup', () => {
    test('takes effect: its service is backed up soon, and goes on where it was', async () => {
      await told('backup', await ordered())
      expect(await service()).toMatchObject({
        pdb2s3_date: '2027-03-02',
        next_pdb2s3: began,
        next_pdb2rds: null,
        os_pdb2s3: null,
      })
      await asSystem((db) => db.updateTable('service').set({ next_pdb2s3: 77 }).execute())
      await bought(the.server, buyer, { code: 'other', period: 2 })
      serviceId = await serviceIdOf(the.server, 'other')
      await told('backup', await ordered())
      await told('backup', await ordered(), { reference: 'next' })
      expect(await service()).toMatchObject({ next_pdb2s3: began, pdb2s3_date: '2028-03-02' })
      await later(1)
      await asSystem((db) => db.updateTable('service').set({ next_pdb2s3: 77 }).where('id', '=', serviceId).execute())
      await backupOf(the.server, 'other', {
        period_start: '2028-03-02',
        period_end: '2029-03-02',
        status: 0,
        pdb_type: 'pdb2s3',
      })
      const [open] = await asSystem((db) =>
        db
          .selectFrom('backup_order')
          .select('id')
          .where('service_id', '=', serviceId)
          .where('status', '=', 0)
          .execute(),
      )
      await told('backup', open?.id ?? 0)
      expect(await service()).toMatchObject({ next_pdb2s3: 77, pdb2s3_date: '2029-03-02' })
    })

    test('that begins anew after a break is backed up soon again', async () => {
      await backupOf(the.server, 'shop', { period_start: '2026-02-01', period_end: '2026-03-02' })
      await asSystem((db) => db.updateTable('service').set({ next_pdb2s3: 77 }).execute())
      await told('backup', await ordered())
      expect(await service()).toMatchObject({ next_pdb2s3: began })
    })

    test('that is over cannot be paid; what was paid in time counts, however late it is told', async () => {
      const id = await ordered()
      await later(8)
      expect((await payFor(buyer, id, { contractType: 'PDBORDER', ...card })).json()).toMatchObject({
        data: { why: 'invalid' },
      })
      expect(await told('backup', id)).toMatchObject({ outcome: 'too late' })
      const inTime = Date.parse('2026-03-09T15:59:59Z')
      expect(await told('backup', id, { paidAt: inTime + 1000 })).toMatchObject({ outcome: 'too late' })
      expect(await told('backup', id, { paidAt: inTime })).toMatchObject({ outcome: 'applied' })
      expect(await read('order', id)).toMatchObject({ status: 1 })
    })

    test('that was replaced can no longer be paid at the gateway, and money for it is written down', async () => {
      const id = await ordered()
      const opened = await payFor(buyer, id, { contractType: 'PDBORDER' })
      const next = await ordered({ period: 6, period_type: 'month' })
      await till.lookAfter()
      expect((await visit((opened.json() as { redirect: string }).redirect)).status).toBe(404)
      expect((await payFor(buyer, id, { contractType: 'PDBORDER' })).json()).toMatchObject({ data: { why: 'invalid' } })
      expect(await told('backup', id)).toMatchObject({ outcome: 'replaced' })
      expect(await read('order', id)).toMatchObject({ status: -1 })
      expect(await told('backup', next, { amount: '2700.00' })).toMatchObject({ outcome: 'applied' })
    })

    test('whose service is another company’s by now has no effect', async () => {
      const id = await ordered()
      await asSystem((db) =>
        db
          .updateTable('service')
          .set({ company_id: the.server.world.companies.beta } as never)
          .execute(),
      )
      expect(await told('backup', id)).toMatchObject({ outcome: 'replaced' })
    })
  })

  describe('traffic', () => {
    test('of which all was free is nothing to pay', async () => {
      const id = await trafficOf(the.server, 'shop', { isPaid: false, pdb_traffic: '50.00' })
      expect((await payFor(buyer, id, { contractType: 'TRAFFIC', ...card })).json()).toMatchObject({
        data: { why: 'paidAlready' },
      })
    })

    test('that is overdue can be paid as long as it stands, and lifts what it suspended', async () => {
      const first = await trafficOf(the.server, 'shop', { isPaid: false })
      const second = await trafficOf(the.server, 'shop', { isPaid: false, period_end: '2026-05-01' })
      await later(60)
      await asSystem((db) => db.updateTable('service').set({ traffic_disabled: true }).execute())
      await told('traffic', first)
      expect(await service()).toMatchObject({ traffic_disabled: true, os_traffic: second })
      await told('traffic', second)
      expect(await service()).toMatchObject({ traffic_disabled: false, os_traffic: null })
      expect(await read('traffic', second)).toMatchObject({ pay_date: '2026-05-01', pay_amount: '162.50' })
    })

    test('that is paid lifts nothing that the staff want', async () => {
      const id = await trafficOf(the.server, 'shop', { isPaid: false })
      await asSystem((db) => db.updateTable('service').set({ traffic_disabled: true, traffic_blocked: true }).execute())
      await told('traffic', id)
      expect(await service()).toMatchObject({ traffic_disabled: true })
    })
  })

  test('there is nothing of an unknown number', async () => {
    expect(await told('backup', 999_999)).toBeNull()
    expect(await told('traffic', 999_999)).toBeNull()
  })
})
