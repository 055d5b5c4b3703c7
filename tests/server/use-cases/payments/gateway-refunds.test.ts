/** Tests refunds and disputes that are made at a gateway, without the portal (decision 123). */
import { expect, test } from 'vitest'
import { sql } from 'kysely'
import type { RefundRow } from '#contract/staff/refunds.ts'
import { checkMoney } from '#server/use-cases/money/check-money.ts'
import { bypassPolicies, eachEngineByNight } from '#tests/support/server/database.ts'
import { findMoneyFaults } from '#tests/support/orders/money-faults.ts'
import { setUpRefunds } from '#tests/support/orders/refunds.ts'

eachEngineByNight('refunds and disputes at a gateway', (engine) => {
  const setup = setUpRefunds(engine)
  const {
    actors,
    inbox,
    collectCalls,
    sendCalls,
    getStaffAtGateway,
    listDocuments,
    listRefunds,
    listDisputes,
    findFaults,
  } = setup
  const listMatters = async (query = '') =>
    (await actors.staff.send({ url: `/api/payment/refunds${query}` })).json() as {
      refunds: (RefundRow & { invoices: { id: number }[]; total: string; invoice_codes: string[] })[]
      disputes: { id: number; respond_by: string; is_inquiry: boolean; invoices: string[] }[]
    }
  const settle = (id: number, payload: object = {}) =>
    actors.staff.send({ method: 'POST', url: `/api/payment/refunds/${id}/settle`, payload })

  test.each(['stripe', 'alipay', 'globalAlipay'] as const)(
    'records a refund at %s once, however often and in which order it is notified',
    async (type) => {
      const invoice = type === 'stripe' ? await setup.payInvoice() : await setup.payInvoiceByAlipay(type)
      const { reference } = invoice
      const calls = await collectCalls(() => {
        getStaffAtGateway().refund(reference, 1000)
        getStaffAtGateway().refund(reference, 2000)
      })
      const { webhooks } = actors.paymentSandbox.sandbox
      await Promise.all([...calls, ...calls.toReversed()].map((id) => webhooks.send(id)))
      await sendCalls(calls.toReversed())
      const sum = (await listRefunds()).reduce((all, { amount }) => all + Number(amount), 0)
      expect(sum).toBe(30)
      expect(new Set((await listRefunds()).map(({ cause, state }) => `${cause} ${state}`))).toEqual(
        new Set(['gateway done']),
      )
      expect((await listDocuments()).at(-1)).toMatchObject({ refunded: '30.00' })
      expect(await listDocuments('creditNote')).toHaveLength((await listRefunds()).length)
      expect(await findFaults()).toEqual([])
    },
  )

  test.each(['unnamed', 'hidden'] as const)('records a partial refund at Alipay whose notice is %s', async (form) => {
    const { reference } = await setup.payInvoiceByAlipay('alipay')
    const calls = await collectCalls(() => getStaffAtGateway().refund(reference, 1000, form))
    if (form === 'hidden') {
      // Alipay repeats a notice that is not confirmed.
      expect(await sendCalls(calls)).toEqual([503])
      expect(await listRefunds()).toEqual([])
      getStaffAtGateway().showRefunds()
    }
    expect(await sendCalls([...calls, ...calls])).toEqual([200, 200])
    expect(await listRefunds()).toMatchObject([{ amount: '10.00', state: 'done', cause: 'gateway' }])
    expect(await listDocuments()).toMatchObject([{ refunded: '10.00' }])
    expect(await findFaults()).toEqual([])
  })

  test('shows a refund at the gateway as a task, which is settled once, and tells the admins of the provider', async () => {
    const invoice = await setup.payInvoice()
    await inbox.fetch()
    await sendCalls(await collectCalls(() => getStaffAtGateway().refund(invoice.reference, 1000)))
    const mails = (await inbox.fetch()).filter(({ subject }) => subject.startsWith('A refund was made'))
    expect(mails.map(({ to }) => to.address)).toContain('admin@m18.example')
    const { refunds } = await listMatters()
    expect(refunds).toMatchObject([
      { amount: '10.00', invoice_code: invoice.code, cause: 'gateway', reason: null, seen: null },
    ])
    const id = refunds[0]?.id ?? 0
    expect((await settle(id)).json()).toMatchObject({ user_name: expect.stringContaining('admin') })
    expect((await settle(id)).json()).toMatchObject({ data: { why: 'seen' } })
    expect((await listMatters()).refunds).toEqual([])
  })

  test('lets the staff choose the invoice if the payment has several, and splits what exceeds it', async () => {
    const invoices = await setup.payTwoInvoices()
    const [first, second] = invoices
    const amount = Number(second?.amount) * 100 + 500
    await sendCalls(await collectCalls(() => getStaffAtGateway().refund(first?.reference ?? '', amount)))
    const [task] = (await listMatters()).refunds
    expect(task).toMatchObject({ invoice_id: null, invoices: [{ id: first?.invoice_id }, { id: second?.invoice_id }] })
    expect([await listDocuments('creditNote'), await findFaults()]).toEqual([[], []])
    expect((await settle(task?.id ?? 0)).statusCode).toBe(400)
    expect((await settle(task?.id ?? 0, { invoice_id: second?.invoice_id })).statusCode).toBe(200)
    expect((await listDocuments()).map(({ refunded }) => refunded)).toEqual(['5.00', second?.amount])
    expect(await listDocuments('creditNote')).toHaveLength(2)
    expect([(await listMatters()).refunds, await findFaults()]).toEqual([[], []])
  })

  test('gives a refund of a whole payment to all its invoices', async () => {
    const [first] = await setup.payTwoInvoices()
    await sendCalls(await collectCalls(() => getStaffAtGateway().refund(first?.reference ?? '', 8_400_000)))
    const documents = await listDocuments()
    expect(documents.map(({ refunded, amount }) => refunded === amount)).toEqual([true, true])
    expect(await findFaults()).toEqual([])
    // The task names the sum and both invoices, and the drawer of each invoice its own part.
    const codes = documents.map(({ code }) => code)
    expect((await listMatters()).refunds).toMatchObject([{ total: '84000.00', invoice_codes: codes }])
    for (const { id, code, amount } of documents)
      expect((await listMatters(`?invoice=${id}`)).refunds).toMatchObject([{ invoice_code: code, amount }])
  })

  test('settles the task of a payment without an order when all its money was refunded at the gateway', async () => {
    await setup.paidAfterDeletion('alipay')
    const { amount } = (await setup.listTasks())[0] ?? { amount: '0' }
    const payment = await setup.runAsSystem((db) => db.selectFrom('payment').selectAll().executeTakeFirstOrThrow())
    const send = async (hundredths: number) =>
      sendCalls(await collectCalls(() => getStaffAtGateway().refund(payment.reference, hundredths)))
    await send(100)
    expect(await setup.listTasks()).toMatchObject([{ state: 'open' }])
    const response = await setup.performAction((await setup.listTasks())[0]?.id ?? 0, 'apply')
    expect(setup.readReason(response)).toEqual([409, 'anotherAmount'])
    await send(Number(amount) * 100 - 100)
    expect(await setup.listTasks()).toMatchObject([{ state: 'refunded' }])
    expect([setup.balance(), await findFaults()]).toEqual([0, []])
  })

  test.each([
    ['won', 'won'],
    ['warning_closed', 'closed'],
  ] as const)('marks the invoices while a dispute is open, until it is %s', async (status, state) => {
    const invoice = await setup.payInvoice()
    let id = ''
    const openingCalls = await collectCalls(() => {
      id = getStaffAtGateway().openDispute(invoice.reference) ?? ''
    })
    await sendCalls([...openingCalls, ...openingCalls])
    expect(await listDocuments()).toMatchObject([{ disputed: true, refunded: '0.00' }])
    expect((await listMatters()).disputes).toMatchObject([
      { invoices: [invoice.code], respond_by: expect.stringMatching(/^2026-03-09/) },
    ])
    expect((await setup.refund(invoice)).json()).toMatchObject({ data: { why: 'disputed' } })
    const closingCalls = await collectCalls(() => getStaffAtGateway().endDispute(id, status))
    await sendCalls([...closingCalls, ...openingCalls])
    expect(await listDisputes()).toMatchObject([{ state }])
    expect(await listDocuments()).toMatchObject([{ disputed: false, refunded: '0.00' }])
    expect([(await listMatters()).disputes, await findFaults()]).toEqual([[], []])
  })

  test('shows an inquiry, which blocks refunds only when it becomes a dispute', async () => {
    const invoice = await setup.payInvoice()
    let id = ''
    const openInquiry = () => (id = getStaffAtGateway().openInquiry(invoice.reference) ?? '')
    await sendCalls(await collectCalls(openInquiry))
    expect(await listDocuments()).toMatchObject([{ disputed: false }])
    expect((await listMatters()).disputes).toMatchObject([
      { is_inquiry: true, respond_by: expect.stringMatching(/^2026-03-09/) },
    ])
    expect((await setup.refund(invoice, { amount: '10.00' })).statusCode).toBe(200)
    await setup.runJobs()
    expect(await listDocuments()).toMatchObject([{ disputed: false, refunded: '10.00' }])
    await sendCalls(await collectCalls(() => getStaffAtGateway().escalate(id)))
    expect(await listDocuments()).toMatchObject([{ disputed: true }])
    expect((await listMatters()).disputes).toMatchObject([{ is_inquiry: false }])
    expect((await setup.refund(invoice, { amount: '10.00' })).json()).toMatchObject({ data: { why: 'disputed' } })
    expect(await findFaults()).toEqual([])
  })

  test('stores the currency of a dispute, and credits no amount of another currency', async () => {
    const invoice = await setup.payInvoice()
    const calls = await collectCalls(() => {
      const id = getStaffAtGateway().openDispute(invoice.reference, 'usd') ?? ''
      getStaffAtGateway().endDispute(id, 'lost')
    })
    await sendCalls(calls)
    expect(await listDisputes()).toMatchObject([{ state: 'lost', currency: 'USD' }])
    expect([await listRefunds(), await findFaults()]).toEqual([[], []])
  })

  test('neither refunds nor applies the payment of a task while it is disputed', async () => {
    await setup.paidTooLate()
    const [task] = await setup.listTasks()
    const payment = await setup.runAsSystem((db) => db.selectFrom('payment').selectAll().executeTakeFirstOrThrow())
    await sendCalls(await collectCalls(() => getStaffAtGateway().openDispute(payment.reference)))
    for (const action of ['refund', 'apply'] as const)
      expect(setup.readReason(await setup.performAction(task?.id ?? 0, action)), action).toEqual([409, 'disputed'])
    expect(await setup.listTasks()).toMatchObject([{ state: 'open' }])
  })

  test('finds the end of a dispute whose notice was lost, an hour later or when the staff ask for a check', async () => {
    const invoice = await setup.payInvoice()
    let id = ''
    const openingCalls = await collectCalls(() => {
      id = getStaffAtGateway().openDispute(invoice.reference) ?? ''
    })
    await sendCalls(openingCalls)
    await collectCalls(() => getStaffAtGateway().endDispute(id, 'won'))
    await setup.runJobs()
    expect(await listDisputes()).toMatchObject([{ state: 'open' }])
    await setup.advanceClock(3_600_000)
    await setup.runJobs()
    expect(await listDisputes()).toMatchObject([{ state: 'won', next_look: null }])

    const other = await setup.payInvoice('other')
    await sendCalls(
      await collectCalls(() => {
        id = getStaffAtGateway().openDispute(other.reference) ?? ''
      }),
    )
    await collectCalls(() => getStaffAtGateway().endDispute(id, 'lost'))
    const response = await actors.staff.send({ method: 'POST', url: '/api/payment/reconcile', payload: {} })
    expect(response.statusCode).toBe(202)
    await setup.runJobs()
    expect(await listDisputes()).toMatchObject([{ state: 'won' }, { state: 'lost' }])
    expect([(await listMatters()).disputes, await findFaults()]).toEqual([[], []])
  })

  test('a mail about a dispute without a deadline names none', async () => {
    const invoice = await setup.payInvoice()
    await inbox.fetch()
    await sendCalls(await collectCalls(() => getStaffAtGateway().openDispute(invoice.reference)))
    await setup.runAsSystem((db) => db.updateTable('dispute').set({ respond_by: null }).execute())
    const [mail] = (await inbox.fetch()).filter(({ subject }) => subject.startsWith('A payment is disputed'))
    expect([mail?.text.includes('names no date'), mail?.text.includes('by 20')]).toEqual([true, false])
  })

  test('records a lost dispute as money that left, with a credit note, also if its events arrive in reverse', async () => {
    const invoice = await setup.payInvoice()
    let id = ''
    const calls = await collectCalls(() => {
      id = getStaffAtGateway().openDispute(invoice.reference) ?? ''
      getStaffAtGateway().endDispute(id, 'lost')
    })
    await Promise.all(calls.toReversed().map((call) => actors.paymentSandbox.sandbox.webhooks.send(call)))
    await sendCalls(calls)
    expect(await listDisputes()).toMatchObject([{ state: 'lost', reference: id }])
    expect(await listRefunds()).toMatchObject([
      { cause: 'dispute', reason: null, amount: invoice.amount, reference: id },
    ])
    expect(await listDocuments()).toMatchObject([{ disputed: false, refunded: invoice.amount }])
    expect([setup.balance(), await findFaults()]).toEqual([0, []])
  })

  test('the check of all money finds each fault that is made by hand, stores it and tells the admins', async () => {
    const invoice = await setup.payInvoice()
    await setup.refund(invoice, { ...setup.transferFields, amount: '10.00' })
    expect(await checkMoney(setup.fixture.server.app)).toEqual([])
    expect((await actors.staff.send({ url: '/api/payment/money-check' })).json()).toMatchObject({ faults: [] })
    const faults = {
      received: sql`update payment set amount = amount + 1`,
      payment: sql`update payment set reference = 'other'`,
      refunds: sql`update refund set amount = 99999`,
      register: sql`update document set refunded = 9 where kind = 'invoice'`,
      creditNotes: sql`update refund set amount = 9`,
      documents: sql`update document set amount = amount + 1 where kind = 'invoice'`,
      numbers: sql`update series set value = value + 1 where name = 'creditNote'`,
      disputes: sql`update document set disputed = true where kind = 'invoice'`,
    }
    for (const [rule, statement] of Object.entries(faults)) {
      const undo = new Error('undo')
      const brokenRules: string[] = []
      await bypassPolicies(setup.fixture.server.app.database, async (db) => {
        await statement.execute(db)
        brokenRules.push(...(await findMoneyFaults(db)).map((fault) => fault.rule))
        throw undo
      }).catch((error: unknown) => {
        if (error !== undo) throw error
      })
      expect(brokenRules, rule).toContain(rule)
    }
    expect(await findFaults()).toEqual([])
    await bypassPolicies(setup.fixture.server.app.database, (db) => faults.numbers.execute(db))
    await inbox.fetch()
    expect(await checkMoney(setup.fixture.server.app)).toMatchObject([{ rule: 'numbers' }])
    const isAboutFaults = ({ subject }: { subject: string }) =>
      subject.startsWith('The check of all money found faults')
    expect((await inbox.fetch()).filter(isAboutFaults).map(({ to }) => to.address)).toContain('admin@m18.example')
    expect((await actors.staff.send({ url: '/api/payment/money-check' })).json()).toMatchObject({
      faults: [{ rule: 'numbers' }],
    })
  })

  test('a rule that cannot be checked is a fault, and the faults of the other rules are stored', async () => {
    const invoice = await setup.payInvoice()
    await bypassPolicies(setup.fixture.server.app.database, async (db) => {
      await sql`update invoice set content = jsonb_set(content, '{pay_amount}', '"many"')`.execute(db)
      await sql`update document set disputed = true`.execute(db)
    })
    await inbox.fetch()
    const faults = await checkMoney(setup.fixture.server.app)
    const uncheckedRules = faults.filter(({ values }) => values === null).map(({ rule }) => rule)
    expect(uncheckedRules).toEqual(['documents'])
    const readCheck = async () => (await actors.staff.send({ url: '/api/payment/money-check' })).json()
    expect(await readCheck()).toMatchObject({ is_late: false, faults })
    expect(faults.at(-1)).toMatchObject({
      rule: 'disputes',
      company_name: expect.stringMatching(/\w/),
      values: { invoice: invoice.code },
    })
    const mail = (await inbox.fetch()).find(({ subject }) => subject.startsWith('The check of all money'))
    expect(mail?.text).toContain('Register of documents: This rule could not be checked.')
    expect(mail?.text).toContain(`The mark of invoice ${invoice.code} does not agree with its disputes.`)
    await setup.advanceClock(2 * 86_400_000 + 1)
    expect(await readCheck()).toMatchObject({ is_late: true })
  })
})
