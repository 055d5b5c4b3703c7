/** Tests refunds that the gateway could not complete, that exceed their payment, or whose notices were lost (decision 123). */
import { describe, expect, test } from 'vitest'
import { schedule } from '#server/jobs/schedule.ts'
import type { RefundRow } from '#contract/staff/refunds.ts'
import { setUpRefunds } from '#tests/support/orders/refunds.ts'
import { eachEngineByNight } from '#tests/support/server/database.ts'

eachEngineByNight('refunds that do not end as usual', (engine) => {
  const setup = setUpRefunds(engine)
  const { actors, inbox, collectCalls, sendCalls, getStaffAtGateway, listDocuments, listRefunds, findFaults } = setup
  const listTasks = async () =>
    (await actors.staff.send({ url: '/api/payment/refunds' })).json() as {
      refunds: (RefundRow & { total: string; invoices: object[] })[]
    }
  const settle = (id: number, payload: object = {}) =>
    actors.staff.send({ method: 'POST', url: `/api/payment/refunds/${id}/settle`, payload })
  const refundAtGateway = (reference: string, hundredths: number) =>
    collectCalls(() => getStaffAtGateway().refund(reference, hundredths))
  const failAtGateway = (reference: string | null | undefined) =>
    collectCalls(() => getStaffAtGateway().failRefund(reference ?? ''))
  const listSubjects = async () => (await inbox.fetch()).map(({ subject }) => subject.replace(/ · .*/, ''))
  const listNotifications = () =>
    setup.runAsSystem((db) => db.selectFrom('notification').selectAll().where('kind', '=', 'refund-failed').execute())
  /** Checks the mails about a refund of 10.00 that came back and that no invoice has. */
  async function expectMailWithoutInvoice() {
    const mails = await inbox.fetch()
    expect(mails.map(({ subject }) => subject.replace(/ · .*/, ''))).toContain('A refund without an invoice came back')
    for (const { text, subject } of mails) {
      if (subject.startsWith('A payment without a matching order')) continue
      expect(text).toContain('The refund of HKD 10.00 for the service')
      expect(text).toContain('If neither can be refunded any more, send a bank transfer.')
      expect(text).not.toMatch(/the invoice +for/)
    }
  }
  /** Returns the task of a payment that was late, and the payment's reference at the gateway. */
  async function payTooLate() {
    await setup.paidTooLate()
    const [task] = await setup.listTasks()
    const { reference } = await setup.runAsSystem((db) =>
      db.selectFrom('payment').select('reference').executeTakeFirstOrThrow(),
    )
    return { task, reference }
  }
  /** Refunds 10.00 by the gateway, until it is done. */
  async function refundPart() {
    const invoice = await setup.payInvoice()
    expect((await setup.refund(invoice, { amount: '10.00' })).statusCode).toBe(200)
    await setup.runJobs()
    const [refund] = await listRefunds()
    expect(refund).toMatchObject({ state: 'done' })
    await inbox.fetch()
    return { invoice, refund }
  }

  describe('a refund that comes back', () => {
    test('is a task with the reason, and its credit note stays', async () => {
      const { invoice, refund } = await refundPart()
      const noteBefore = await listDocuments('creditNote')
      const calls = await failAtGateway(refund?.reference)
      expect(await sendCalls([...calls, ...calls])).toEqual([204, 204, 204, 204])
      const { refunds } = await listTasks()
      expect(refunds).toMatchObject([
        {
          state: 'done',
          cause: 'staff',
          problem: 'expired_or_canceled_card',
          invoice_code: invoice.code,
          credit_note_code: noteBefore[0]?.code,
          seen: null,
        },
      ])
      const mails = await inbox.fetch()
      expect(mails).toMatchObject([{ subject: expect.stringMatching(/^A refund came back/) as string }])
      expect(mails[0]?.text).toContain('the card has expired or was cancelled')
      expect(await listNotifications()).toMatchObject([{ kind: 'refund-failed', facts: { type: 'returned' } }])
      expect(await listDocuments('creditNote')).toEqual(noteBefore)
      expect(await listDocuments()).toMatchObject([{ refunded: '10.00' }])
      expect((await settle(refunds[0]?.id ?? 0)).statusCode).toBe(200)
      await sendCalls(calls)
      expect([(await listTasks()).refunds, await findFaults()]).toEqual([[], []])
    })

    test('frees its amount if it has no credit note yet', async () => {
      const [first] = await setup.payTwoInvoices()
      await sendCalls(await refundAtGateway(first?.reference ?? '', 1000))
      const [refund] = await listRefunds()
      await inbox.fetch()
      await sendCalls(await failAtGateway(refund?.reference))
      await expectMailWithoutInvoice()
      const { refunds } = await listTasks()
      expect(refunds).toMatchObject([{ state: 'failed', problem: 'expired_or_canceled_card', invoices: [] }])
      expect((await settle(refunds[0]?.id ?? 0)).statusCode).toBe(200)
      expect((await setup.refund(first as never, { amount: first?.amount })).statusCode).toBe(200)
      await setup.runJobs()
      expect((await listDocuments()).map(({ refunded }) => refunded)).toEqual([first?.amount, '0.00'])
      expect([(await listTasks()).refunds, await findFaults()]).toEqual([[], []])
    })

    test('must be settled before more of its invoice is refunded', async () => {
      const { invoice, refund } = await refundPart()
      await sendCalls(await failAtGateway(refund?.reference))
      for (const fields of [setup.transferFields, { route: 'credit' }, {}]) {
        const response = await setup.refund(invoice, { ...fields, amount: '10.00' })
        expect(setup.readReason(response)).toEqual([409, 'returned'])
      }
      expect([(await listDocuments('creditNote')).length, (await listRefunds()).length]).toEqual([1, 1])
      expect((await settle(refund?.id ?? 0)).statusCode).toBe(200)
      expect((await setup.refund(invoice, { ...setup.transferFields, amount: '20.00' })).statusCode).toBe(200)
      expect([(await listDocuments())[0]?.refunded, await findFaults()]).toEqual(['30.00', []])
    })

    test('opens the task again that had refunded the rest of its payment', async () => {
      const { task, reference } = await payTooLate()
      const refundTask = async () => {
        expect((await setup.performAction(task?.id ?? 0, 'refund')).statusCode).toBe(200)
        await setup.runJobs()
        expect([await setup.listTasks(), setup.balance()]).toMatchObject([[{ state: 'refunded' }], 0])
      }
      await sendCalls(await refundAtGateway(reference, 1000))
      const [part] = await listRefunds()
      expect((await settle(part?.id ?? 0)).statusCode).toBe(200)
      await refundTask()
      await inbox.fetch()
      const calls = await failAtGateway(part?.reference)
      await sendCalls([...calls, ...calls])
      await expectMailWithoutInvoice()
      const { refunds } = await listTasks()
      expect(refunds).toMatchObject([{ id: part?.id, state: 'failed', problem: 'expired_or_canceled_card' }])
      expect((await settle(refunds[0]?.id ?? 0)).statusCode).toBe(200)
      expect([await setup.listTasks(), setup.balance()]).toMatchObject([[{ state: 'open' }], 1000])
      await refundTask()
      // Now the rest comes back, which was sent first.
      const rest = (await listRefunds()).find(({ state }) => state === 'done')
      await sendCalls(await failAtGateway(rest?.reference))
      expect(await setup.listTasks()).toMatchObject([{ state: 'open' }])
      await refundTask()
      expect(await findFaults()).toEqual([])
    })

    test('is recorded after the refund of its task that is in progress', async () => {
      const { task, reference } = await payTooLate()
      await sendCalls(await refundAtGateway(reference, 1000))
      const [part] = await listRefunds()
      expect((await setup.performAction(task?.id ?? 0, 'refund')).statusCode).toBe(200)
      const calls = await failAtGateway(part?.reference)
      expect(new Set(await sendCalls(calls))).toEqual(new Set([503]))
      await setup.runJobs()
      await sendCalls(calls)
      expect([await setup.listTasks(), setup.balance()]).toMatchObject([[{ state: 'open' }], 1000])
    })

    test('opens the task of its payment again, which can be refunded once more', async () => {
      await setup.paidTooLate()
      const [task] = await setup.listTasks()
      const refundTask = async () => {
        expect((await setup.performAction(task?.id ?? 0, 'refund')).statusCode).toBe(200)
        await setup.runJobs()
        expect(await setup.listTasks()).toMatchObject([{ state: 'refunded' }])
      }
      await refundTask()
      const { refund_reference: reference } = await setup.runAsSystem((db) =>
        db.selectFrom('payment_task').select('refund_reference').executeTakeFirstOrThrow(),
      )
      const calls = await failAtGateway(reference)
      await sendCalls(calls)
      expect(await setup.listTasks()).toMatchObject([{ state: 'open', problem: 'expired_or_canceled_card' }])
      await refundTask()
      await sendCalls(calls)
      expect(await setup.listTasks()).toMatchObject([{ state: 'refunded' }])
      expect([setup.balance(), await findFaults()]).toEqual([0, []])
    })
  })

  describe('money that is sent back beyond its payment', () => {
    const listRules = async () => (await findFaults()).map(({ rule }) => rule)

    test.each(['stripe', 'globalAlipay'] as const)(
      'is a task and a fault of all money until it is settled (%s)',
      async (type) => {
        const invoice = type === 'stripe' ? await setup.payInvoice() : await setup.payInvoiceByAlipay(type)
        await setup.refund(invoice, { ...setup.transferFields, amount: invoice.amount })
        await inbox.fetch()
        const calls = await refundAtGateway(invoice.reference, 3000)
        await sendCalls([...calls, ...calls])
        const { refunds } = await listTasks()
        expect(refunds).toMatchObject([
          { state: 'failed', cause: 'gateway', problem: null, amount: '30.00', total: '30.00', invoice_code: null },
        ])
        expect(await listSubjects()).toContain('More was sent back than was paid')
        expect(await listRules()).toEqual(['refunds'])
        expect((await settle(refunds[0]?.id ?? 0)).statusCode).toBe(200)
        await sendCalls(calls)
        expect([(await listTasks()).refunds, await findFaults()]).toEqual([[], []])
        expect(await listDocuments()).toMatchObject([{ refunded: invoice.amount }])
      },
    )

    test('is recorded without the part that is left, which gets its credit note', async () => {
      const invoice = await setup.payInvoice()
      const amount = String(Number(invoice.amount) - 10)
      await setup.refund(invoice, { ...setup.transferFields, amount: `${amount}.00` })
      await sendCalls(await refundAtGateway(invoice.reference, 3000))
      const { refunds } = await listTasks()
      expect(refunds.map(({ state, amount: part, total }) => [state, part, total]).toSorted()).toEqual([
        ['done', '10.00', '10.00'],
        ['failed', '20.00', '20.00'],
      ])
      expect(await listDocuments()).toMatchObject([{ refunded: invoice.amount }])
      for (const { id } of refunds) expect((await settle(id)).statusCode).toBe(200)
      expect([(await listTasks()).refunds, await findFaults()]).toEqual([[], []])
    })

    test('comes back as a task about the part with a credit note', async () => {
      const invoice = await setup.payInvoice()
      const amount = String(Number(invoice.amount) - 10)
      await setup.refund(invoice, { ...setup.transferFields, amount: `${amount}.00` })
      await sendCalls(await refundAtGateway(invoice.reference, 3000))
      const recordedRefunds = (await listTasks()).refunds
      for (const { id } of recordedRefunds) expect((await settle(id)).statusCode).toBe(200)
      await inbox.fetch()
      const noted = recordedRefunds.find(({ credit_note_code }) => credit_note_code !== null)
      await sendCalls(await failAtGateway(noted?.reference))
      expect((await listTasks()).refunds).toMatchObject([
        { id: noted?.id, state: 'done', amount: '10.00', problem: 'expired_or_canceled_card' },
      ])
      const subjects = await listSubjects()
      expect(new Set(subjects)).toEqual(new Set(['A refund came back']))
    })
  })

  describe('a refund whose notice was lost', () => {
    const search = async () => {
      const job = schedule.find(({ name }) => name === 'find-lost-refunds')
      if (job?.everyMs !== 3_600_000) throw new Error('lost refunds are not searched once an hour')
      await job.run(setup.fixture.server.app, () => false)
    }

    test('is found by the hourly search, once', async () => {
      const invoice = await setup.payInvoice()
      await refundAtGateway(invoice.reference, 1000)
      for (let count = 0; count < 2; count++) await search()
      expect(await listRefunds()).toMatchObject([{ cause: 'gateway', state: 'done', amount: '10.00' }])
      expect([(await listDocuments())[0]?.refunded, await findFaults()]).toEqual(['10.00', []])
    })

    test('is found if it came back, and when the staff ask for a check', async () => {
      const { refund } = await refundPart()
      await failAtGateway(refund?.reference)
      const response = await actors.staff.send({ method: 'POST', url: '/api/payment/reconcile', payload: {} })
      expect(response.statusCode).toBe(202)
      await setup.runJobs()
      expect((await listTasks()).refunds).toMatchObject([{ state: 'done', problem: 'expired_or_canceled_card' }])
      expect((await settle(refund?.id ?? 0)).statusCode).toBe(200)
      await search()
      expect([(await listTasks()).refunds, await findFaults()]).toEqual([[], []])
    })

    test('is found although another payment cannot be inspected', async () => {
      const [before, running, after] = [
        await setup.payInvoice('first'),
        await setup.payInvoice('second'),
        await setup.payInvoice('third'),
      ]
      expect((await setup.refund(running, { amount: running.amount })).statusCode).toBe(200)
      for (const { reference } of [before, running, after]) await refundAtGateway(reference, 1000)
      await search()
      const refunded = (await listDocuments()).map((invoice) => invoice.refunded)
      expect(refunded).toEqual(['10.00', '0.00', '10.00'])
    })

    test('belongs to its task if the task was refunded afterwards', async () => {
      const { task, reference } = await payTooLate()
      const amount = Math.round(Number(task?.amount) * 100)
      await refundAtGateway(reference, 4000)
      await refundAtGateway(reference, amount - 4000)
      expect((await setup.performAction(task?.id ?? 0, 'refund')).statusCode).toBe(200)
      await setup.runJobs()
      expect(await setup.listTasks()).toMatchObject([{ state: 'refunded' }])
      await search()
      expect([await listRefunds(), await findFaults(), setup.balance()]).toEqual([[], [], 0])
    })

    test('of a gateway that does not respond is found by the next search', async () => {
      const invoice = await setup.payInvoice()
      await refundAtGateway(invoice.reference, 1000)
      Object.assign(actors.paymentSandbox.sandbox.faults, { fail: 50 })
      await search()
      expect(await listRefunds()).toEqual([])
      Object.assign(actors.paymentSandbox.sandbox.faults, { fail: 0 })
      await search()
      expect(await listRefunds()).toMatchObject([{ state: 'done' }])
    })
  })
})
