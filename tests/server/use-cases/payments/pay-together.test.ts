/** Tests one payment of several items: all of them take effect or none, and money is taken once (decision 110, R-27). */
import { beforeEach, describe, expect, test } from 'vitest'
import { randomUUID } from 'node:crypto'
import { sql } from 'kysely'
import { concernsAny } from '#server/db/payments/payment-groups.ts'
import { applyPayment } from '#server/use-cases/payments/apply-payment.ts'
import { readAuditEntries } from '#tests/support/audit-trail/trail-entries.ts'
import { createBackupOrder, createTraffic } from '#tests/support/hosting/backups.ts'
import { openGatewayPage } from '#tests/support/orders/gateway-pages.ts'
import { checkTogether, type PaidItem, payTogether, toContractItems } from '#tests/support/orders/pay-together.ts'
import { payFor } from '#tests/support/orders/sandbox-server.ts'
import { buyOrder, type OrderRow, payOrder, placeOrder, readOrder } from '#tests/support/orders/shop-data.ts'
import { setUpUnmatchedPayments } from '#tests/support/orders/unmatched-payments.ts'
import { onConnections } from '#tests/support/server/database.ts'

const card = { token: 'pm_card_visa' }
const cardForm = { card: '4242 4242 4242 4242' }

onConnections('paying several items together', (engine) => {
  const {
    fixture,
    inbox,
    actors,
    balance,
    runAsSystem,
    listTasks,
    performAction,
    readReason,
    submitOnPage,
    sendGatewayCalls,
    readRedirect,
    signInOrderUser,
    findUnaccountedPayments,
  } = setUpUnmatchedPayments(engine)
  let orders: OrderRow[] = []
  let items: PaidItem[] = []
  const dueAmount = 8_400_000
  beforeEach(async () => {
    orders = [(await placeOrder(actors.buyer)).json(), (await placeOrder(actors.buyer, { code: 'second' })).json()]
    items = toContractItems(orders)
  })

  const listStates = async () =>
    (await runAsSystem((db) => db.selectFrom('payment_attempt').selectAll().orderBy('id').execute())).map(
      ({ state }) => state,
    )
  const listPayments = () => runAsSystem((db) => db.selectFrom('payment').selectAll().orderBy('id').execute())
  const listOutcomes = async () => (await listPayments()).map(({ outcome }) => outcome)
  const listInvoices = () => runAsSystem((db) => db.selectFrom('invoice').selectAll().orderBy('id').execute())
  const readStatuses = async () =>
    await Promise.all(orders.map(async ({ id }) => (await readOrder(actors.buyer, id)).status))
  async function expectPaidOnce() {
    expect(await readStatuses()).toEqual([1, 1])
    expect([await listOutcomes(), (await listInvoices()).length, balance()]).toEqual([['applied'], 2, dueAmount])
    expect(await findUnaccountedPayments()).toEqual([])
  }
  /** Counts the receipts of one reader. */
  const countReceipts = async () =>
    (await inbox.fetch()).filter(
      ({ subject, to }) => to.address === 'order@alpha.example' && subject.includes('Payment received'),
    ).length
  const deleteOrder = ({ id }: OrderRow) => actors.buyer.send({ method: 'DELETE', url: `/api/sorder/${id}` })
  const readStatusAndCode = ({ statusCode, json }: { statusCode: number; json(): { errorCode: string } }) => [
    statusCode,
    json().errorCode,
  ]

  test('takes the sum once, and writes an invoice, an audit entry and a receipt for each item', async () => {
    await inbox.fetch()
    expect((await payTogether(actors.buyer, items, card)).json()).toEqual({ status: 'paid' })
    await expectPaidOnce()
    expect((await listInvoices()).map(({ code, order_id }) => [code, order_id])).toEqual([
      ['I202603000001', orders[0]?.id],
      ['I202603000002', orders[1]?.id],
    ])
    const entries = (await readAuditEntries(fixture.server, 'order')).filter(({ operation }) => operation === 'pay')
    expect(entries.map(({ info }) => info)).toMatchObject([
      {
        ServiceCode: 'shop',
        OrderId: orders[0]?.id,
        Amount: 'HKD 42000.00',
        Outcome: 'applied',
        InvoiceNo: 'I202603000001',
      },
      { ServiceCode: 'second', OrderId: orders[1]?.id, Amount: 'HKD 42000.00', InvoiceNo: 'I202603000002' },
    ])
    expect(await countReceipts()).toBe(2)
    expect(await checkTogether(actors.buyer, items.toReversed())).toEqual({ status: 'paid' })
    expect((await payFor(actors.buyer, orders[0]?.id ?? 0)).json()).toMatchObject({ data: { why: 'paidAlready' } })
  })

  test('covers orders, backups and traffic, and the staff see it as one payment of the customer', async () => {
    await buyOrder(fixture.server, actors.buyer, { code: 'live' })
    const backupId = await createBackupOrder(fixture.server, 'live', { status: 0 })
    const trafficId = await createTraffic(fixture.server, 'live', { isPaid: false })
    const [firstItem] = items
    const mixedItems = [
      { contractType: 'TRAFFIC', id: trafficId },
      { contractType: 'PDBORDER', id: backupId },
      firstItem,
    ]
    expect((await payTogether(actors.buyer, mixedItems, card)).json()).toEqual({ status: 'paid' })
    const { rows } = await runAsSystem((db) =>
      sql`select (select status from backup_order where id = ${backupId}) as backup,
        (select pay_date from traffic where id = ${trafficId}) as traffic`.execute(db),
    )
    expect(rows).toEqual([{ backup: 1, traffic: '2026-03-02' }])
    const url = `/api/customer/${fixture.server.world.companies.alpha}/payment`
    const page = (await actors.staff.send({ url: `${url}?sortField=id&sortType=desc` })).json()
    expect(page.data).toContainEqual(expect.objectContaining({ type: 'group', service_code: 'live, shop' }))
    expect(balance()).toBe(Math.round(Number((await listPayments()).at(-1)?.amount) * 100))
  })

  describe('is refused, and takes no money,', () => {
    test('without items, with too many, the same twice, unknown or foreign ones, and of several currencies', async () => {
      const [firstItem] = items
      const dollarOrder = (await placeOrder(actors.buyer, { code: 'dollar', currency: 'USD' })).json()
      const manyItems = Array.from({ length: 1000 }, (_, index) => ({ contractType: 'CONTRACT', id: index + 1 }))
      const pay = async (paidItems: readonly unknown[], caller = actors.buyer) =>
        readStatusAndCode(await payTogether(caller, paidItems, card))
      const invalid = [400, 'VALIDATION_ERROR']
      expect(await pay([])).toEqual(invalid)
      expect(await pay(manyItems)).toEqual(invalid)
      expect(await pay([firstItem, firstItem])).toEqual(invalid)
      expect(await pay([firstItem, { contractType: 'x', id: 1 }])).toEqual(invalid)
      expect(await pay([firstItem, { contractType: 'CONTRACT', id: -1 }])).toEqual(invalid)
      expect(await pay([firstItem, ...toContractItems([dollarOrder])])).toEqual(invalid)
      expect(await pay([firstItem, { contractType: 'CONTRACT', id: 999_999 }])).toEqual([404, 'NOT_FOUND'])
      expect(await pay(items, await fixture.server.signIn('order@beta'))).toEqual([404, 'NOT_FOUND'])
      expect(await pay(items, await fixture.server.signIn('user@alpha'))).toEqual([403, 'FORBIDDEN'])
      const { rows } = await runAsSystem((db) => sql`select from payment_group`.execute(db))
      expect([await listStates(), balance(), rows.length]).toEqual([[], 0, 0])
    })

    test('with items of two companies, also for the staff', async () => {
      const foreignOrder = (await placeOrder(await fixture.server.signIn('order@beta'), { code: 'theirs' })).json()
      const mixedItems = toContractItems([...orders, foreignOrder])
      expect(readStatusAndCode(await payTogether(actors.buyer, mixedItems, card))).toEqual([404, 'NOT_FOUND'])
      expect(readStatusAndCode(await payTogether(await signInOrderUser(), mixedItems, card))).toEqual([
        400,
        'VALIDATION_ERROR',
      ])
      expect([await listStates(), balance()]).toEqual([[], 0])
    })

    test('if an item is paid or deleted', async () => {
      await payOrder(fixture.server, orders[0] as OrderRow)
      expect(readReason(await payTogether(actors.buyer, items, card))).toEqual([409, 'paidAlready'])
      await deleteOrder(orders[1] as OrderRow)
      expect((await payTogether(actors.buyer, items, card)).statusCode).toBe(404)
      expect([await listStates(), balance()]).toEqual([[], 0])
    })

    test('if the sum is above the maximum of a card', async () => {
      const bigOrder = (await placeOrder(actors.buyer, { code: 'large', period: 23 })).json()
      expect(dueAmount / 100 + Number(bigOrder.amount)).toBeGreaterThan(999_999.99)
      const response = await payTogether(actors.buyer, toContractItems([...orders, bigOrder]), card)
      expect(readStatusAndCode(response)).toEqual([409, 'AMOUNT_TOO_LARGE'])
      expect([await listStates(), balance()]).toEqual([[], 0])
    })
  })

  test('one item in the list is paid like the item alone', async () => {
    const [firstItem] = items
    expect((await payTogether(actors.buyer, [firstItem], card)).json()).toEqual({ status: 'paid' })
    expect((await listPayments()).map(({ group_id }) => group_id)).toEqual([null])
    expect(await readStatuses()).toEqual([1, 0])
  })

  describe('runs once', () => {
    test('with ten concurrent clicks in two orders of the items', async () => {
      const responses = await Promise.all(
        Array.from({ length: 10 }, (_, index) =>
          payTogether(actors.buyer, index % 2 === 0 ? items : items.toReversed(), card),
        ),
      )
      for (const { statusCode } of responses) expect([200, 409]).toContain(statusCode)
      await actors.paymentSandbox.runPaymentJobs()
      await expectPaidOnce()
    }, 30_000)

    test('with a repeated key, a lost response, and repeated concurrent notices', async () => {
      const { sandbox, holdCalls, runPaymentJobs } = actors.paymentSandbox
      const key = { 'idempotency-key': randomUUID() }
      // The driver tries a request three times, so three responses must be lost.
      sandbox.faults.loseAnswers = 3
      const heldCalls = await holdCalls(async () => {
        expect((await payTogether(actors.buyer, items, card, key)).json()).toEqual({ status: 'processing' })
        sandbox.faults.loseAnswers = 0
        // With the same key the gateway takes the money once, and the next request finds it.
        expect((await payTogether(actors.buyer, items, card, key)).json()).toEqual({ status: 'paid' })
        fixture.server.clock.now += 10_000
        await runPaymentJobs()
      })
      await Promise.all(heldCalls.flatMap(({ id }) => [sandbox.webhooks.send(id), sandbox.webhooks.send(id)]))
      expect((await payTogether(actors.buyer, items, card, key)).json()).toEqual({ status: 'paid' })
      await expectPaidOnce()
    }, 30_000)

    test('and leaves no rows and no gap in the numbers if it fails halfway', async () => {
      await payTogether(actors.buyer, items)
      const { id } = await runAsSystem((db) => db.selectFrom('payment_group').select('id').executeTakeFirstOrThrow())
      const { app, clock } = fixture.server
      const payment = { gateway: 'test', reference: 'cut', amount: '84000.00', currency: 'HKD', paidAt: clock.now }
      const apply = (isCut: boolean) =>
        runAsSystem(async (db) => {
          const result = await applyPayment({ db, app, now: clock.now }, { kind: 'group', id }, payment)
          if (isCut) throw new Error('cut off')
          return result
        })
      await expect(apply(true)).rejects.toThrow('cut off')
      expect([await listPayments(), await listInvoices(), await readStatuses()]).toEqual([[], [], [0, 0]])
      expect(await apply(false)).toMatchObject({ outcome: 'applied', isRepeated: false })
      expect(await apply(false)).toMatchObject({ outcome: 'applied', isRepeated: true, auditEntries: [] })
      expect((await listInvoices()).map(({ code }) => code)).toEqual(['I202603000001', 'I202603000002'])
    })
  })

  describe('meets another payment of one of its items:', () => {
    test('it ends one that was not finished, and is ended by a later one', async () => {
      const [firstOrder] = orders as [OrderRow]
      const alonePage = readRedirect(await payFor(actors.buyer, firstOrder.id))
      const togetherPage = readRedirect(await payTogether(actors.buyer, items))
      expect(await listStates()).toEqual(['closed', 'open'])
      expect((await fetch(alonePage)).status).toBe(404)
      expect((await payTogether(actors.buyer, items)).json()).toEqual({ redirect: togetherPage })
      expect((await payFor(actors.buyer, firstOrder.id, card)).json()).toEqual({ status: 'paid' })
      expect((await fetch(togetherPage)).status).toBe(404)
      expect([await listStates(), await readStatuses(), balance()]).toEqual([
        ['closed', 'closed', 'paid'],
        [1, 0],
        dueAmount / 2,
      ])
    })

    test('it ends the payments of all its items, one for each', async () => {
      const moreOrders: OrderRow[] = []
      for (const code of ['third', 'fourth']) moreOrders.push((await placeOrder(actors.buyer, { code })).json())
      const allOrders = [...orders, ...moreOrders]
      for (const { id } of allOrders) await payFor(actors.buyer, id)
      expect((await payTogether(actors.buyer, toContractItems(allOrders), card)).json()).toEqual({ status: 'paid' })
      expect(await listStates()).toEqual(['closed', 'closed', 'closed', 'closed', 'paid'])
      expect(balance()).toBe(2 * dueAmount)
    }, 20_000)

    test('it is refused if that one was paid in the meantime', async () => {
      const page = readRedirect(await payFor(actors.buyer, orders[0]?.id ?? 0))
      await submitOnPage(page, cardForm)
      expect(readReason(await payTogether(actors.buyer, items, card))).toEqual([409, 'paidAlready'])
      expect([await readStatuses(), balance()]).toEqual([[1, 0], dueAmount / 2])
    })

    test('nothing more is taken if the money of that one had no effect, until the payer knows that', async () => {
      const [firstOrder, secondOrder] = orders as [OrderRow, OrderRow]
      await submitOnPage(readRedirect(await payTogether(actors.buyer, items)), cardForm)
      await payOrder(fixture.server, secondOrder)
      expect((await payFor(actors.buyer, firstOrder.id, card)).json()).toEqual({ status: 'received' })
      expect([await listStates(), await readStatuses(), balance()]).toEqual([['paid'], [0, 1], dueAmount])
      expect(await listTasks()).toMatchObject([{ amount: '84000.00', reason: 'paidAlready' }])
      expect((await payFor(actors.buyer, firstOrder.id, card)).json()).toEqual({ status: 'paid' })
    })

    test('an item is shown as open, and is refused after the group was paid', async () => {
      const page = readRedirect(await payTogether(actors.buyer, items))
      expect(await checkTogether(actors.buyer, items.slice(0, 1))).toEqual({ status: 'open' })
      await submitOnPage(page, cardForm)
      expect(readReason(await payFor(actors.buyer, orders[0]?.id ?? 0, card))).toEqual([409, 'paidAlready'])
      await expectPaidOnce()
    })
  })

  test('its attempts are found by indexes, also among many', async () => {
    await payTogether(actors.buyer, items)
    const itemRefs = orders.map(({ id }) => ({ kind: 'order' as const, id }))
    const plan = await runAsSystem(async (db) => {
      // A table with few rows is read without an index, unless that is turned off.
      await sql`set local enable_seqscan = off`.execute(db)
      return await db.selectFrom('payment_attempt').select('id').where(concernsAny(itemRefs)).explain()
    })
    const planText = JSON.stringify(plan)
    for (const index of ['payment_attempt_of_order', 'payment_attempt_of_group']) expect(planText).toContain(index)
    expect(planText).not.toContain('Seq Scan on payment_attempt')
  })

  describe('ends if an item is deleted:', () => {
    test('the page is closed and nothing is paid', async () => {
      const page = readRedirect(await payTogether(actors.buyer, items))
      expect((await deleteOrder(orders[1] as OrderRow)).statusCode).toBeLessThan(300)
      expect([await listStates(), (await fetch(page)).status]).toEqual([['closed'], 404])
      expect((await payTogether(actors.buyer, items, card)).statusCode).toBe(404)
      expect((await payFor(actors.buyer, orders[0]?.id ?? 0, card)).json()).toEqual({ status: 'paid' })
    })

    test('the deletion is refused if the money was taken before, and all items are paid', async () => {
      await submitOnPage(readRedirect(await payTogether(actors.buyer, items)), cardForm)
      expect(readStatusAndCode(await deleteOrder(orders[1] as OrderRow))).toEqual([409, 'ORDER_PAID'])
      await expectPaidOnce()
    })
  })

  describe('becomes one task of the staff, with all its money,', () => {
    async function payAfter(change: () => Promise<unknown>) {
      const page = readRedirect(await payTogether(actors.buyer, items))
      await submitOnPage(page, cardForm)
      await change()
      await sendGatewayCalls()
      fixture.server.clock.now += 10_000
      await actors.paymentSandbox.runPaymentJobs()
      expect(await findUnaccountedPayments()).toEqual([])
      expect(balance()).toBe(dueAmount)
    }

    test('if an item was paid in another way, and is refunded', async () => {
      await payAfter(() => payOrder(fixture.server, orders[0] as OrderRow))
      expect([await listOutcomes(), await readStatuses()]).toEqual([
        ['applied', 'paid already'],
        [1, 0],
      ])
      expect(await checkTogether(actors.buyer, items)).toEqual({ status: 'received' })
      const [task] = await listTasks()
      expect(task).toMatchObject({
        kind: 'group',
        service_code: 'second, shop',
        amount: '84000.00',
        reason: 'paidAlready',
      })
      expect(readReason(await performAction(task?.id ?? 0, 'apply'))).toEqual([409, 'paidAlready'])
      expect((await performAction(task?.id ?? 0, 'refund')).statusCode).toBe(200)
      await actors.paymentSandbox.runPaymentJobs()
      expect([(await listTasks())[0]?.state, balance()]).toEqual(['refunded', 0])
      const entries = (await readAuditEntries(fixture.server, 'order')).filter(
        ({ info }) => info['ServiceCode'] === 'second, shop',
      )
      expect(entries.map(({ operation, info }) => [operation, info['Amount'], info['Outcome']])).toEqual([
        ['pay', 'HKD 84000.00', 'paid already'],
        ['refund', 'HKD 84000.00', 'refunding'],
        ['refund', 'HKD 84000.00', 'refunded'],
      ])
    })

    test('if an item was deleted before the page was opened, and can be applied to all items', async () => {
      orders = []
      for (const code of ['rmb1', 'rmb2'])
        orders.push((await placeOrder(actors.buyer, { code, currency: 'RMB' })).json())
      const page = readRedirect(await payTogether(actors.buyer, toContractItems(orders), { type: 'alipay' }))
      expect((await deleteOrder(orders[1] as OrderRow)).statusCode).toBeLessThan(300)
      await submitOnPage(page, { answer: 'pay' })
      await sendGatewayCalls()
      expect(await readStatuses()).toEqual([0, undefined])
      const [task] = await listTasks()
      expect(task).toMatchObject({ kind: 'group', reason: 'deleted', state: 'open' })
      await inbox.fetch()
      expect((await performAction(task?.id ?? 0, 'apply')).json()).toMatchObject({ state: 'applied' })
      expect([await readStatuses(), (await listInvoices()).length]).toEqual([[1, 1], 2])
      expect(await countReceipts()).toBe(2)
      expect(await findUnaccountedPayments()).toEqual([])
    })
  })

  test.each([
    ['buyer', ''],
    ['staff', '&company='],
  ] as const)('leads the %s back to the list with the names of the items', async (role, companyField) => {
    const payer = role === 'staff' ? await signInOrderUser() : actors.buyer
    const page = readRedirect(await payTogether(payer, items))
    const names = orders.map(({ id }) => `CONTRACT-${id}`).join(',')
    const company = companyField && `${companyField}${fixture.server.world.companies.alpha}`
    const query = `?status=0${company}&pay=${names}`
    expect((await openGatewayPage(page)).text).toContain(`${query.replaceAll('&', '&amp;')}&amp;payment=cancelled`)
    expect((await payTogether(payer, items)).json()).toEqual({ redirect: page })
    const paidPage = await submitOnPage(page, cardForm)
    const url = new URL(paidPage.url)
    const { location = '' } = (await fixture.server.send({ url: url.pathname + url.search })).headers
    expect(location).toContain(`/saas/app/contract${query}&payment=paid#return=`)
  })
})
