/** Tests purchase order numbers: entered with a payment, printed on its invoices, and fixed once it is paid (decision 121). */
import { randomUUID } from 'node:crypto'
import { expect, test } from 'vitest'
import { payTogether, toContractItems } from '#tests/support/orders/pay-together.ts'
import { payFor } from '#tests/support/orders/sandbox-server.ts'
import { placeOrder } from '#tests/support/orders/shop-data.ts'
import { setUpUnmatchedPayments } from '#tests/support/orders/unmatched-payments.ts'
import { eachEngineByNight } from '#tests/support/server/database.ts'

const card = { token: 'pm_card_visa' }
const cardForm = { card: '4242 4242 4242 4242' }

eachEngineByNight('purchase order numbers', (engine) => {
  const { actors, runAsSystem, listTasks, performAction, submitOnPage, sendGatewayCalls, readRedirect } =
    setUpUnmatchedPayments(engine)

  const placeOrders = async (...codes: string[]) =>
    await Promise.all(codes.map(async (code) => (await placeOrder(actors.buyer, { code })).json()))
  /** The numbers in the frozen invoices, and in the register. */
  const listNumbers = () =>
    runAsSystem(async (db) => {
      const invoices = await db.selectFrom('invoice').select('content').orderBy('id').execute()
      const documents = await db.selectFrom('document').select('po_number').orderBy('id').execute()
      const printed = invoices.map(({ content }) => (content as { po_number?: string }).po_number ?? null)
      expect(documents.map(({ po_number: poNumber }) => poNumber)).toEqual(printed)
      return printed
    })
  const listAttemptNumbers = () =>
    runAsSystem(async (db) =>
      (await db.selectFrom('payment_attempt').select('po_number').orderBy('id').execute()).map((row) => row.po_number),
    )

  test('The number is cleaned and printed on the invoice; a payment without one has none', async () => {
    const [first, second] = await placeOrders('first', 'second')
    await payFor(actors.buyer, first.id, { ...card, po_number: '  采购 PO-1  ' })
    await payFor(actors.buyer, second.id, card)
    expect(await listNumbers()).toEqual(['采购 PO-1', null])
    expect(await listAttemptNumbers()).toEqual(['采购 PO-1', null])
  })

  test('Each invoice of a payment of several items has the number', async () => {
    const items = toContractItems(await placeOrders('first', 'second'))
    expect((await payTogether(actors.buyer, items, { ...card, po_number: 'PO-2' })).json()).toEqual({ status: 'paid' })
    expect(await listNumbers()).toEqual(['PO-2', 'PO-2'])
  })

  test('A number that is too long, has a line break or an invisible character is refused before anything is paid', async () => {
    const [order] = await placeOrders('first')
    for (const poNumber of ['x'.repeat(41), 'PO\n1', 'PO\u202E1', 'PO\u200B1']) {
      const response = await payFor(actors.buyer, order.id, { ...card, po_number: poNumber })
      expect([response.statusCode, response.json().errorCode]).toEqual([400, 'VALIDATION_ERROR'])
      expect(JSON.stringify(response.json())).toContain('po_number')
    }
    expect(await listAttemptNumbers()).toEqual([])
    await payFor(actors.buyer, order.id, { ...card, po_number: 'x'.repeat(40) })
    expect(await listNumbers()).toEqual(['x'.repeat(40)])
  })

  test('The status of a payment has the number of its latest attempt', async () => {
    const [order] = await placeOrders('first')
    const check = async () => {
      const url = `/api/payment/${order.id}/check`
      const headers = { 'content-type': 'application/x-www-form-urlencoded' }
      return (await actors.buyer.send({ method: 'POST', url, headers, payload: 'contractType=CONTRACT' })).json()
    }
    expect(await check()).toEqual({ status: 'none' })
    await payFor(actors.buyer, order.id, { po_number: 'PO-1' })
    expect(await check()).toEqual({ status: 'open', po_number: 'PO-1' })
    await payFor(actors.buyer, order.id, { po_number: '' })
    expect(await check()).toEqual({ status: 'open' })
  })

  test('An open payment has the number that was entered last; a repeated call and one without a number change nothing', async () => {
    const [order] = await placeOrders('first')
    const key = { 'idempotency-key': randomUUID() }
    const response = await payFor(actors.buyer, order.id, { po_number: 'PO-1' }, key)
    await payFor(actors.buyer, order.id, { po_number: 'PO-2' }, key)
    await payFor(actors.buyer, order.id)
    expect(await listAttemptNumbers()).toEqual(['PO-1'])
    await payFor(actors.buyer, order.id, { po_number: '' })
    expect(await listAttemptNumbers()).toEqual([null])
    const again = await payFor(actors.buyer, order.id, { po_number: 'PO-3' })
    expect(readRedirect(again)).toBe(readRedirect(response))
    expect(await listAttemptNumbers()).toEqual(['PO-3'])
    await submitOnPage(readRedirect(again), cardForm)
    await sendGatewayCalls()
    expect(await listNumbers()).toEqual(['PO-3'])
    const late = await payFor(actors.buyer, order.id, { po_number: 'PO-4' })
    expect(late.statusCode).toBe(409)
    expect([await listNumbers(), await listAttemptNumbers()]).toEqual([['PO-3'], ['PO-3']])
  })

  test('A new attempt without a number takes that of the one it replaces, until the payer removes it', async () => {
    const [order] = await placeOrders('first')
    await payFor(actors.buyer, order.id, { po_number: 'PO-6' })
    // The payer comes back from the gateway's page, and enters a card on the portal's page.
    const declined = await payFor(actors.buyer, order.id, { token: 'pm_card_visa_chargeDeclined' })
    expect(declined.json().errorCode).toBe('CARD_INVALID')
    await payFor(actors.buyer, order.id, card)
    expect(await listAttemptNumbers()).toEqual(['PO-6', 'PO-6', 'PO-6'])
    expect(await listNumbers()).toEqual(['PO-6'])

    const [second] = await placeOrders('second')
    await payFor(actors.buyer, second.id, { po_number: 'PO-7' })
    await payFor(actors.buyer, second.id, { ...card, po_number: '' })
    expect(await listNumbers()).toEqual(['PO-6', null])
  })

  test('A payment that the staff apply later has the number of its attempt', async () => {
    const order = (await placeOrder(actors.buyer, { code: 'first', currency: 'RMB' })).json()
    const redirect = readRedirect(await payFor(actors.buyer, order.id, { type: 'alipay', po_number: 'PO-5' }))
    await actors.buyer.send({ method: 'DELETE', url: `/api/sorder/${order.id}` })
    // The page at the gateway can still be paid, although the order is deleted.
    await submitOnPage(redirect, { answer: 'pay' })
    await sendGatewayCalls()
    const [task] = await listTasks()
    expect(await listNumbers()).toEqual([])
    expect((await performAction(task?.id ?? 0, 'apply')).statusCode).toBe(200)
    expect(await listNumbers()).toEqual(['PO-5'])
  })
})
