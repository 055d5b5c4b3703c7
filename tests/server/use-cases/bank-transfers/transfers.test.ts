/** Tests that received transfers become credit once, pay what they are for, and can be taken back (decision 124). */
import { randomUUID } from 'node:crypto'
import { expect, test } from 'vitest'
import type { BankTransferRow } from '#contract/staff/bank-transfers.ts'
import { readAuditEntries } from '#tests/support/audit-trail/trail-entries.ts'
import { setUpTransfers } from '#tests/support/orders/bank-transfers.ts'
import { readOrder } from '#tests/support/orders/shop-data.ts'
import { eachEngineByNight } from '#tests/support/server/database.ts'

eachEngineByNight('bank transfers', (engine) => {
  const setup = setUpTransfers(engine)
  const { actors, fixture, inbox, order, toItem, record, recordTransfer, post, credit, list, readBalances } = setup
  const readProblem = (response: { statusCode: number; json(): unknown }) => {
    const { errorCode, data } = response.json() as { errorCode: string; data: unknown }
    return [response.statusCode, errorCode, data]
  }
  const getAlpha = () => fixture.server.world.companies.alpha
  const readEntries = async () =>
    (await readAuditEntries(fixture.server, 'order'))
      .filter(({ info }) => 'TransferId' in (info as object) || 'TransferCount' in (info as object))
      .map(({ company_id, operation, info }) => [company_id, operation, (info as { Outcome: string }).Outcome])

  test('pay exactly what is due: credit, payment, invoice, receipt, mail and audit entries in one transaction', async () => {
    const shop = await order()
    await inbox.fetch()
    const transfer = await recordTransfer({ amount: shop.amount, reference: `order ${shop.id}` })
    expect(transfer).toMatchObject({ state: 'open', source: 'staff', amount: shop.amount, row_version: 1 })
    const response = await credit(transfer, [toItem(shop)])
    const [invoice] = await setup.listDocuments()
    expect(response.json()).toMatchObject({
      state: 'credited',
      company_code: 'alpha',
      invoices: [invoice?.code],
      row_version: 2,
      proposals: [],
    })
    expect(invoice).toMatchObject({ method: 'transfer', amount: shop.amount })
    expect(invoice?.reference).toBe(`${transfer.bank_reference}-T${transfer.id}`)
    expect(await readOrder(actors.buyer, shop.id)).toMatchObject({ status: 1 })
    expect(await readBalances()).toEqual([])
    expect((await setup.listEntries()).map(({ cause, amount, balance }) => [cause, amount, balance])).toEqual([
      ['transfer', shop.amount, shop.amount],
      ['payment', `-${shop.amount}`, '0.00'],
    ])
    const mails = (await inbox.fetch()).filter(({ to }) => to.address === 'order@alpha.example')
    const received = mails.find(({ subject }) => subject.startsWith('We received your bank transfer'))
    expect(received?.text).toContain(`HKD 42,000.00 of 2026-03-02`)
    expect(received?.text).toContain(`Paid with it: ${invoice?.code}. Your credit balance is now HKD 0.00.`)
    expect(mails.map(({ subject }) => subject)).toContain('Payment received · Service portal')
    const m18 = fixture.server.world.companies.m18
    expect(await readEntries()).toEqual([
      [m18, 'create', 'recorded'],
      [getAlpha(), 'confirm', 'credited'],
    ])
    expect(await setup.findFaults()).toEqual([])
  })

  test('less than what is due becomes credit, and more leaves the rest as credit', async () => {
    const shop = await order()
    const small = await recordTransfer({ amount: '41999.99' })
    expect(readProblem(await credit(small, [toItem(shop)]))).toMatchObject([
      409,
      'STATE_CONFLICT',
      { why: 'creditTooLow', available: '41999.99', amount: '42000.00' },
    ])
    expect([await readBalances(), await setup.listEntries(), (await list()).open.length]).toEqual([[], [], 1])
    expect((await credit(small)).json()).toMatchObject({ state: 'credited', invoices: [] })
    const mail = (await inbox.fetch()).find(({ subject }) => subject.startsWith('We received your bank transfer'))
    expect(mail?.text).toContain('It was added to your credit balance, which is now HKD 41,999.99.')
    const rest = await recordTransfer({ amount: '10.01' })
    expect((await credit(rest, [toItem(shop)])).statusCode).toBe(200)
    expect(await readBalances()).toMatchObject([{ company_id: getAlpha(), currency: 'HKD', balance: '10.00' }])
    expect(await setup.findFaults()).toEqual([])
  })

  test('are credited once if two members of the staff do it at the same time', async () => {
    const shop = await order()
    const transfer = await recordTransfer()
    const responses = await Promise.all([credit(transfer, [toItem(shop)]), credit(transfer), credit(transfer)])
    expect(responses.map(({ statusCode }) => statusCode).toSorted()).toEqual([200, 412, 412])
    const refused = responses.find(({ statusCode }) => statusCode === 412)
    expect(refused && readProblem(refused)).toMatchObject([
      412,
      'VERSION_CONFLICT',
      { current: { state: 'credited', row_version: 2 }, changed_by: expect.any(String) },
    ])
    expect((await setup.listEntries()).filter(({ cause }) => cause === 'transfer')).toHaveLength(1)
    const [settled] = (await list()).settled
    expect(readProblem(await credit(settled as BankTransferRow))).toMatchObject([
      409,
      'STATE_CONFLICT',
      { why: 'credited' },
    ])
  })

  test('have no second effect if the call is repeated with its key', async () => {
    const transfer = await recordTransfer({ amount: '5.00' })
    const key = randomUUID()
    const responses = [await credit(transfer, [], getAlpha(), key), await credit(transfer, [], getAlpha(), key)]
    expect(responses[1]?.json()).toEqual(responses[0]?.json())
    expect(await readBalances()).toMatchObject([{ balance: '5.00' }])
  })

  test('pay only items of the company and currency, and never the provider', async () => {
    const shop = await order()
    const foreign = await order('store', {}, await fixture.server.signIn('order@beta'))
    const transfer = await recordTransfer({ amount: '999999.00' })
    const { m18 } = fixture.server.world.companies
    const refusals = [
      await credit(transfer, [toItem(foreign)]),
      await credit(transfer, [toItem(shop), toItem(shop)]),
      await credit(transfer, [], m18),
      await credit(transfer, [], 2_000_000_000),
      await credit(transfer, [{ contractType: 'CONTRACT', id: 2_000_000_000 }]),
    ].map(readProblem)
    expect(refusals).toMatchObject([
      [400, 'VALIDATION_ERROR', [{ field: 'items', code: 'MIXED_ITEMS' }]],
      [400, 'VALIDATION_ERROR', [{ field: 'items', code: 'REPEATED' }]],
      [400, 'VALIDATION_ERROR', [{ field: 'company_id', code: 'LOCKED' }]],
      [404, 'NOT_FOUND', null],
      [404, 'NOT_FOUND', null],
    ])
    const dollars = await recordTransfer({ amount: '999999.00', currency: 'USD' })
    expect(readProblem(await credit(dollars, [toItem(shop)]))[2]).toMatchObject([
      { field: 'items', code: 'MIXED_ITEMS' },
    ])
    expect(await setup.listEntries()).toEqual([])
  })

  test('do not pay what is already paid', async () => {
    const shop = await order()
    const [first, second] = [await recordTransfer(), await recordTransfer()]
    expect((await credit(first, [toItem(shop)])).statusCode).toBe(200)
    expect(readProblem(await credit(second, [toItem(shop)]))).toMatchObject([
      409,
      'STATE_CONFLICT',
      { why: 'paidAlready' },
    ])
    expect(await readBalances()).toEqual([])
    expect((await list()).open).toMatchObject([{ id: second.id, row_version: 1 }])
  })

  test('that were credited to the wrong company are corrected and opened again', async () => {
    const shop = await order()
    const transfer = await recordTransfer({ reference: 'our money' })
    const { beta, m18 } = fixture.server.world.companies
    const credited: BankTransferRow = (await credit(transfer, [], beta)).json()
    const corrected = await post(credited, 'correct', { note: 'Wrong company' })
    const openedTransfer: BankTransferRow = corrected.json()
    expect(openedTransfer).toMatchObject({ state: 'open', row_version: 1, company_id: null, reference: 'our money' })
    expect(openedTransfer.id).not.toBe(transfer.id)
    expect((await list()).settled).toMatchObject([
      { id: transfer.id, state: 'corrected', note: 'Wrong company', company_code: 'beta' },
    ])
    expect(await readBalances()).toEqual([])
    expect((await credit(openedTransfer, [toItem(shop)])).json()).toMatchObject({
      state: 'credited',
      company_code: 'alpha',
    })
    expect((await record({ ...transfer, bank_reference: transfer.bank_reference })).statusCode).toBe(400)
    const withdrawals = (await readEntries()).filter(([, operation]) => operation === 'withdraw')
    expect(withdrawals).toEqual([
      [beta, 'withdraw', 'corrected'],
      [m18, 'withdraw', 'corrected'],
    ])
    expect(await setup.findFaults()).toEqual([])
  })

  test('that are corrected show the note and the sender only to the staff', async () => {
    const transfer = await recordTransfer({ sender: 'Alpha Limited' })
    const { beta, m18 } = fixture.server.world.companies
    const credited: BankTransferRow = (await credit(transfer, [], beta)).json()
    expect((await post(credited, 'correct', { note: 'It is money of Alpha' })).statusCode).toBe(200)
    const customer = await fixture.server.signIn('order@beta')
    const { entries } = (await customer.send({ url: '/api/credit' })).json() as { entries: object[] }
    expect(entries).toMatchObject([
      { cause: 'correction', amount: `-${transfer.amount}`, reason: null },
      { cause: 'transfer', reason: null },
    ])
    const allEntries = await readAuditEntries(fixture.server, 'order')
    const ofCompany = allEntries.filter(({ company_id }) => company_id === beta)
    expect(ofCompany.map(({ operation }) => operation)).toEqual(['confirm', 'withdraw'])
    expect(JSON.stringify(ofCompany)).not.toContain('Alpha')
    const written = allEntries.filter(({ operation }) => operation === 'withdraw')
    const sharedInfo = {
      TransferId: transfer.id,
      Amount: `HKD ${transfer.amount}`,
      TransferDate: transfer.day,
      Reference: transfer.bank_reference,
      Outcome: 'corrected',
    }
    expect(written.map(({ company_id, info }) => [company_id, info])).toEqual([
      [beta, sharedInfo],
      [m18, { ...sharedInfo, TransferSender: 'Alpha Limited', TransferNote: 'It is money of Alpha' }],
    ])
  })

  test('are not corrected if the money was used', async () => {
    const shop = await order()
    const transfer = await recordTransfer({ amount: '42001.00' })
    const credited: BankTransferRow = (await credit(transfer, [toItem(shop)])).json()
    expect(readProblem(await post(credited, 'correct', { note: 'x' }))).toMatchObject([
      409,
      'STATE_CONFLICT',
      { why: 'creditTooLow', available: '1.00', amount: '42001.00' },
    ])
    expect((await list()).settled).toMatchObject([{ state: 'credited' }])
    expect(await readBalances()).toMatchObject([{ balance: '1.00' }])
  })

  test('can be credited once more after a correction although the first credit has paid something', async () => {
    const [shop, store] = [await order(), await order('store')]
    const transfer = await recordTransfer()
    const credited: BankTransferRow = (await credit(transfer, [toItem(shop)])).json()
    expect((await credit(await recordTransfer())).statusCode).toBe(200)
    const openedTransfer: BankTransferRow = (await post(credited, 'correct', { note: 'x' })).json()
    expect((await credit(openedTransfer, [toItem(store)])).json()).toMatchObject({ invoices: [expect.any(String)] })
    expect(await setup.findFaults()).toEqual([])
  })

  test('are closed as returned or as no payment, with what was needed for it', async () => {
    const transfer = await recordTransfer()
    const returned = { state: 'returned', note: 'Unknown sender' }
    const refusals = [
      await post(transfer, 'close', returned),
      await post(transfer, 'close', { ...returned, return_reference: 'R1' }),
      await post(transfer, 'close', { ...returned, return_reference: 'R1', return_date: '2026-03-01' }),
      await post(transfer, 'close', { ...returned, return_reference: 'R1', return_date: '2026-03-03' }),
      await post(transfer, 'close', { ...returned, note: '  ', return_reference: 'R1', return_date: '2026-03-02' }),
    ].map((response) =>
      (response.json() as { data: { field: string; code: string }[] }).data.map(
        ({ field, code }) => `${field} ${code}`,
      ),
    )
    expect(refusals).toEqual([
      ['return_reference REQUIRED'],
      ['return_date REQUIRED'],
      ['return_date OUT_OF_RANGE'],
      ['return_date OUT_OF_RANGE'],
      ['note REQUIRED'],
    ])
    const closed = await post(transfer, 'close', { ...returned, return_reference: 'R1', return_date: '2026-03-02' })
    expect(closed.json()).toMatchObject({
      state: 'returned',
      note: 'Unknown sender',
      return_reference: 'R1',
      company_id: null,
    })
    const interest = await recordTransfer({ amount: '0.01' })
    expect((await post(interest, 'close', { state: 'dismissed', note: 'Interest' })).json()).toMatchObject({
      state: 'dismissed',
      return_reference: null,
    })
    expect(readProblem(await credit({ id: interest.id, row_version: 2 }))).toMatchObject([
      409,
      'STATE_CONFLICT',
      { why: 'dismissed' },
    ])
    const m18 = fixture.server.world.companies.m18
    expect((await readEntries()).slice(-3)).toEqual([
      [m18, 'update', 'returned'],
      [m18, 'create', 'recorded'],
      [m18, 'update', 'dismissed'],
    ])
  })

  test('are recorded once, with a day that is not in the future', async () => {
    const fields = { bank_reference: 'FT 1', amount: '5.00' }
    const responses = await Promise.all([record(fields), record({ ...fields, bank_reference: 'ft 1' })])
    expect(responses.map(({ statusCode }) => statusCode).toSorted()).toEqual([200, 400])
    expect(readProblem(await record(fields))).toMatchObject([
      400,
      'VALIDATION_ERROR',
      [{ field: 'bank_reference', code: 'DUPLICATE' }],
    ])
    expect((await record({ ...fields, amount: '6.00' })).statusCode).toBe(200)
    const refusals = [
      await record({ day: '2026-03-03' }),
      await record({ day: '2026-02-30' }),
      await record({ day: '1999-12-31' }),
      await record({ amount: '0.00' }),
      await record({ amount: '-1.00' }),
      await record({ sender: ' ' }),
    ].map((response) =>
      (response.json() as { data: { field: string; code: string }[] }).data.map(
        ({ field, code }) => `${field} ${code}`,
      ),
    )
    expect(refusals).toEqual([
      ['day OUT_OF_RANGE'],
      ['day INVALID_FORMAT'],
      ['day OUT_OF_RANGE'],
      ['amount OUT_OF_RANGE'],
      ['amount OUT_OF_RANGE'],
      ['sender REQUIRED'],
    ])
    expect(await setup.countTransfers()).toBe(2)
  })

  test('are for the staff with the order right only', async () => {
    const { server } = fixture
    const transfer = await recordTransfer()
    const others = [actors.buyer, await server.signIn('admin@alpha')]
    for (const caller of others) {
      const calls = [
        await caller.send({ url: '/api/bank-transfers' }),
        await caller.send({ url: `/api/bank-transfers/payable/${getAlpha()}` }),
        await record({}, caller),
        await caller.send({
          method: 'POST',
          url: `/api/bank-transfers/${transfer.id}/credit`,
          payload: { company_id: getAlpha(), items: [], row_version: 1 },
        }),
      ]
      expect(calls.map(({ statusCode }) => statusCode)).toEqual([403, 403, 403, 403])
    }
    expect(await readBalances()).toEqual([])
  })

  test('list what a company can pay, with its credit', async () => {
    const shop = await order()
    await order('store', {}, await fixture.server.signIn('order@beta'))
    await credit(await recordTransfer({ amount: '7.00' }))
    const response = await actors.staff.send({ url: `/api/bank-transfers/payable/${getAlpha()}` })
    expect(response.json()).toEqual({
      items: [
        {
          contractType: 'CONTRACT',
          id: shop.id,
          type: 'create',
          service_code: 'shop',
          currency: 'HKD',
          amount: '42000.00',
          due: expect.stringMatching(/^2026-/),
        },
      ],
      credit: [{ currency: 'HKD', balance: '7.00', available: '7.00' }],
    })
  })
})
