/** Tests that money without a payable order becomes a task of the provider admins and is refunded once (fault 5). */
import { describe, expect, test } from 'vitest'
import { createOrderUpkeepJob } from '#server/jobs/expire-orders.ts'
import { onConnections } from '#tests/support/server/database.ts'
import { openGatewayPage } from '#tests/support/orders/gateway-pages.ts'
import { payFor } from '#tests/support/orders/sandbox-server.ts'
import { shopOpenedAt, buyOrder, placeOrder, readOrder } from '#tests/support/orders/shop-data.ts'
import { isNight } from '#tests/support/runner/nightly.ts'
import { setUpUnmatchedPayments } from '#tests/support/orders/unmatched-payments.ts'
import { readAuditEntries } from '#tests/support/audit-trail/trail-entries.ts'

const dayMs = 86_400_000

onConnections('money without a payable order', (engine) => {
  const {
    fixture,
    inbox,
    actors,
    balance,
    runAsSystem,
    advanceClock,
    listTasks,
    performAction,
    readReason,
    submitOnPage,
    sendGatewayCalls,
    readRedirect,
    findUnaccountedPayments,
    paidAfterDeletion,
    paidTooLate,
  } = setUpUnmatchedPayments(engine)

  const gateways = {
    stripe: { make: paidTooLate, reason: 'replaced', amount: 'HKD 42,000.00' },
    alipay: { make: () => paidAfterDeletion('alipay'), reason: 'deleted', amount: 'RMB 36,500.00' },
    globalAlipay: { make: () => paidAfterDeletion('globalAlipay'), reason: 'deleted', amount: 'HKD 42,000.00' },
  } as const

  describe.each(Object.entries(gateways))('by %s', (gateway, { make, reason }) => {
    test('creates a task, an audit entry and a mail to provider admins (fault 5h)', async () => {
      const order = await make()
      const [task] = await listTasks()
      expect(task).toMatchObject({ gateway, reason, state: 'open', amount: order.amount, payable_id: order.id })
      const adminMails = (await inbox.fetch()).filter(({ subject }) => subject.startsWith('A payment without'))
      expect(adminMails.map(({ to }) => to.address).toSorted()).toEqual(
        ['admin', 'delete', 'second'].map((role) => `${role}@m18.example`),
      )
      expect(adminMails[0]?.text).toContain(order.amount.replace(/\B(?=(\d{3})+\.)/g, ','))
      const entries = (await readAuditEntries(fixture.server, 'order')).filter(({ operation }) => operation === 'pay')
      expect(entries.at(-1)?.info).toMatchObject({ Outcome: 'replaced', OrderId: order.id })
      expect(await findUnaccountedPayments()).toEqual([])
    })

    test('is refunded once at its gateway, with an audit entry and a mail (fault 5i)', async () => {
      const order = await make()
      await inbox.fetch()
      const [task] = await listTasks()
      expect(balance()).toBe(Number(order.amount) * 100)
      const responses = await Promise.all([1, 2, 3].map(() => performAction(task?.id ?? 0, 'refund')))
      expect(responses.map(({ statusCode }) => statusCode).toSorted()).toEqual([200, 409, 409])
      expect((await listTasks())[0]).toMatchObject({ state: 'refunding' })
      await actors.paymentSandbox.runPaymentJobs()
      expect(balance()).toBe(0)
      expect((await listTasks())[0]).toMatchObject({ state: 'refunded', user_name: expect.stringContaining('admin') })
      expect(readReason(await performAction(task?.id ?? 0, 'refund'))).toEqual([409, 'refunded'])
      expect(readReason(await performAction(task?.id ?? 0, 'apply'))).toEqual([409, 'refunded'])
      const mails = (await inbox.fetch()).filter(({ subject }) => subject.startsWith('A payment was refunded'))
      expect(mails.map(({ to }) => to.address)).toContain('order@alpha.example')
      const refunds = (await readAuditEntries(fixture.server, 'order')).filter(
        (entry) => entry.operation === 'refund' && entry.status === 0,
      )
      expect(refunds.map(({ info }) => (info as { Outcome: string }).Outcome)).toEqual(['refunding', 'refunded'])
      expect(new Set(refunds.map(({ company_id: company }) => company))).toEqual(
        new Set([fixture.server.world.companies.alpha]),
      )
    })

    // By day only one gateway runs. The others differ only in their driver, whose refunds are tested above.
    if (gateway !== 'stripe' && !isNight) return

    test('is refunded once although the response was lost or the server killed (fault 5j)', async () => {
      await make()
      const [task] = await listTasks()
      await performAction(task?.id ?? 0, 'refund')
      // Simulates a kill: the gateway has made the refund, but the server did not receive the response.
      const {
        refund_key,
        key,
        gateway_id,
        started_at: startedAt,
      } = await runAsSystem((db) =>
        db
          .selectFrom('payment_task as t')
          .innerJoin('payment_attempt as a', 'a.id', 't.attempt_id')
          .select(['t.refund_key', 'a.key', 'a.gateway_id', 'a.started_at'])
          .executeTakeFirstOrThrow(),
      )
      const driver = await fixture.server.app.payments.findDriver(gateway as 'stripe')
      await driver?.refund({
        refundKey: refund_key ?? '',
        payment: { key, gatewayId: gateway_id, startedAt },
        amount: BigInt((task?.amount ?? '').replace('.', '')),
        currency: task?.currency ?? '',
        reason: 'test',
      })
      expect(balance()).toBe(0)
      await runAsSystem((db) => db.updateTable('payment_task').set({ looks: 1 }).execute())
      await actors.paymentSandbox.runPaymentJobs()
      expect([(await listTasks())[0]?.state, balance()]).toEqual(['refunded', 0])
    })

    test('stays claimed while the gateway is silent, and is refunded afterwards (fault 5j)', async () => {
      await make()
      const [task] = await listTasks()
      await performAction(task?.id ?? 0, 'refund')
      actors.paymentSandbox.sandbox.faults.fail = 50
      await actors.paymentSandbox.runPaymentJobs()
      expect((await listTasks())[0]).toMatchObject({ state: 'refunding' })
      expect(readReason(await performAction(task?.id ?? 0, 'apply'))).toEqual([409, 'refunding'])
      actors.paymentSandbox.sandbox.faults.fail = 0
      await advanceClock(60_000)
      await actors.paymentSandbox.runPaymentJobs()
      expect([(await listTasks())[0]?.state, balance()]).toEqual(['refunded', 0])
    })
  })

  test('A task opens again with the reason if the gateway refuses the refund (fault 5i)', async () => {
    const order = await paidAfterDeletion('alipay')
    const id = (await listTasks())[0]?.id ?? 0
    const { key, started_at: startedAt } = await runAsSystem((db) =>
      db.selectFrom('payment_attempt').selectAll().executeTakeFirstOrThrow(),
    )
    const refundByHand = async (refundKey: string, amount: bigint) =>
      (await fixture.server.app.payments.findDriver('alipay'))?.refund({
        refundKey,
        payment: { key, gatewayId: null, startedAt },
        amount,
        currency: 'RMB',
        reason: 'by hand',
      })
    await refundByHand('first', 100n)
    await performAction(id, 'refund')
    await actors.paymentSandbox.runPaymentJobs()
    expect((await listTasks())[0]).toMatchObject({
      state: 'open',
      problem: expect.stringContaining('40004'),
      user_name: null,
    })
    // The remaining amount is refunded manually at the gateway, and the task is updated.
    await refundByHand('rest', BigInt(order.amount.replace('.', '')) - 100n)
    await performAction(id, 'refund')
    await actors.paymentSandbox.runPaymentJobs()
    expect([(await listTasks())[0]?.state, balance()]).toEqual(['refunded', 0])
  })

  test('Tasks are limited to provider admins, with a password if configured (fault 5k)', async () => {
    await paidAfterDeletion('alipay')
    const [task] = await listTasks()
    for (const userName of ['admin@alpha', 'order@alpha', 'user@m18']) {
      const caller = await fixture.server.signIn(userName)
      expect((await caller.send({ url: '/api/payment/tasks' })).statusCode).toBe(403)
      expect((await performAction(task?.id ?? 0, 'refund', caller)).statusCode).toBe(403)
      expect((await performAction(task?.id ?? 0, 'apply', caller)).statusCode).toBe(403)
    }
    expect((await performAction(999_999, 'refund')).statusCode).toBe(404)
    fixture.server.app.config.stepUp = true
    const responses = await Promise.all(
      (['refund', 'apply'] as const).map((action) => performAction(task?.id ?? 0, action)),
    )
    fixture.server.app.config.stepUp = false
    expect(responses.map((response) => response.json().errorCode)).toEqual(['STEP_UP_REQUIRED', 'STEP_UP_REQUIRED'])
    expect((await listTasks())[0]?.state).toBe('open')
  })

  test('The job finds a payment page that is used late, and closes a page that is open (fault 5n)', async () => {
    const order = (await placeOrder(actors.buyer, { code: 'late', currency: 'RMB' })).json()
    const address = readRedirect(await payFor(actors.buyer, order.id, { type: 'alipay' }))
    const secondOrder = (await placeOrder(actors.buyer, { code: 'late2', currency: 'RMB' })).json()
    const openAddress = readRedirect(await payFor(actors.buyer, secondOrder.id, { type: 'alipay' }))
    for (const { id } of [order, secondOrder]) await actors.buyer.send({ method: 'DELETE', url: `/api/sorder/${id}` })
    await submitOnPage(address, { answer: 'pay' })
    const page = await openGatewayPage(openAddress)
    await advanceClock(120_000)
    await actors.paymentSandbox.runPaymentJobs()
    expect(await listTasks()).toMatchObject([{ reason: 'deleted', payable_id: order.id }])
    expect((await openGatewayPage(page.url)).status).toBe(404)
    await advanceClock(30 * 3_600_000)
    await actors.paymentSandbox.runPaymentJobs()
    const pendingAttempts = await runAsSystem((db) =>
      db.selectFrom('payment_attempt').select('id').where('next_look', 'is not', null).execute(),
    )
    expect(pendingAttempts).toEqual([])
  })

  test('The job that expires an order also ends its payment at the gateway (fault 5o)', async () => {
    const order = (await placeOrder(actors.buyer)).json()
    const address = readRedirect(await payFor(actors.buyer, order.id))
    const page = await openGatewayPage(address)
    await advanceClock(8 * dayMs)
    await runAsSystem((db) =>
      db
        .updateTable('payment_attempt')
        .set({ next_look: fixture.server.clock.now + dayMs })
        .execute(),
    )
    await createOrderUpkeepJob().step({ app: fixture.server.app, point: null } as never)
    await actors.paymentSandbox.runPaymentJobs()
    expect((await openGatewayPage(page.url)).status).toBe(404)
    expect(fixture.server.clock.now).toBe(shopOpenedAt + 8 * dayMs)
  })

  test('The payer learns that the money came too late, not that the order is paid (fault 5q)', async () => {
    const order = await paidTooLate()
    const url = `/api/payment/${order.id}/check`
    const response = await actors.buyer.send({ method: 'POST', url, payload: { contractType: 'CONTRACT' } })
    expect(response.json()).toEqual({ status: 'received' })
  })

  test('A change cannot be paid after its contract has ended, an extension can (fault 6a)', async () => {
    const liveOrder = await buyOrder(fixture.server, actors.buyer)
    await advanceClock(362 * dayMs)
    const postContract = async (fields: object) =>
      (
        await actors.buyer.send({
          method: 'POST',
          url: '/api/contract',
          payload: { contract_id: liveOrder.contract_id, ...fields },
        })
      ).json()
    const change = await postContract({ type: 'change', users: 60 })
    expect(change.due).toBe('2027-03-01 23:59:59')
    expect((await readOrder(actors.buyer, liveOrder.id)).pending).toMatchObject({ due: '2027-03-01 23:59:59' })
    await advanceClock(3 * dayMs)
    expect((await payFor(actors.buyer, change.id)).json()).toMatchObject({ data: { why: 'invalid' } })
    expect((await readOrder(actors.buyer, liveOrder.id)).pending).toBeNull()
    const extension = await postContract({ type: 'extend', period: 1 })
    expect(extension.due).toBe('2027-03-09 23:59:59')
  })

  test('A change that is paid after its contract has ended becomes a task (fault 6b)', async () => {
    const liveOrder = await buyOrder(fixture.server, actors.buyer)
    await advanceClock(362 * dayMs)
    const payload = { type: 'change', contract_id: liveOrder.contract_id, users: 60 }
    const response = await actors.buyer.send({ method: 'POST', url: '/api/contract', payload })
    const order = response.json()
    expect(order.due).toBe('2027-03-01 23:59:59')
    const address = readRedirect(await payFor(actors.buyer, order.id))
    await advanceClock(5 * dayMs)
    await submitOnPage(address, { card: '4242 4242 4242 4242' })
    await sendGatewayCalls()
    expect(await listTasks()).toMatchObject([{ reason: 'tooLate', payable_id: order.id }])
    const [task] = await listTasks()
    expect(readReason(await performAction(task?.id ?? 0, 'apply'))).toEqual([409, 'contractEnded'])
  })
})
