/** Tests that what a smaller contract does not use becomes credit if the setting is on, and that the undo takes it back (D14, decision 124). */
import { beforeEach, describe, expect, test } from 'vitest'
import { readAmount, writeAmount } from '#domain/money.ts'
import { eachEngineByNight } from '#tests/support/server/database.ts'
import { addTransferCredit } from '#tests/support/orders/credit.ts'
import { setUpRefunds } from '#tests/support/orders/refunds.ts'
import { payFor } from '#tests/support/orders/sandbox-server.ts'
import { type OrderRow, placeOrder, readOrder } from '#tests/support/orders/shop-data.ts'

interface ChangeQuote {
  amount: string
  contract_amount: string
  residual_amount: string
  discarded_amount: string
  credited_amount: string
  quote_id: string
  steps: { code: string; values: Record<string, string> }[]
}

eachEngineByNight('credit for a smaller contract', (engine) => {
  const { actors, fixture, runAsSystem, findFaults, runJobs, listDocuments, payInvoice, refund } = setUpRefunds(engine)
  let contract: OrderRow
  const setSetting = (isOn: boolean) => {
    fixture.server.app.config.creditSmallerContracts = isOn
  }
  beforeEach(async () => {
    setSetting(true)
    const order = (await placeOrder(actors.buyer, { code: 'shop', users: 25 })).json() as OrderRow
    await payFor(actors.buyer, order.id, { token: 'pm_card_visa' })
    contract = await readOrder(actors.buyer, order.id)
  })

  const post = (url: string, payload: object = {}) => actors.buyer.send({ method: 'POST', url, payload })
  const buildReduction = (fields: object = {}) => ({
    type: 'change',
    contract_id: contract.contract_id,
    users: 10,
    ...fields,
  })
  const requestQuote = async () => (await post('/api/calculate', buildReduction())).json() as ChangeQuote
  const change = async (fields: object = {}) => {
    const response = await post('/api/contract', buildReduction(fields))
    expect([response.statusCode, response.body]).toEqual([200, response.body])
    return response.json() as OrderRow
  }
  const undo = ({ contract_id: id }: OrderRow) => post(`/api/contract/${id}/undo`)
  const readCredit = async () => {
    const { balances, entries } = (await actors.buyer.send({ url: '/api/credit' })).json() as {
      balances: { balance: string }[]
      entries: { cause: string; amount: string; reference: string }[]
    }
    return {
      balance: balances[0]?.balance ?? '0.00',
      entries: entries.map(({ cause, amount, reference }) => [cause, amount, reference]),
    }
  }
  const getUnused = ({ residual_amount, contract_amount }: ChangeQuote) =>
    writeAmount(readAmount(residual_amount) - readAmount(contract_amount))

  describe('with the setting', () => {
    test('The difference becomes credit without a confirmation, and the quote shows it', async () => {
      const quote = await requestQuote()
      const unused = getUnused(quote)
      expect(readAmount(unused)).toBeGreaterThan(0n)
      expect(quote).toMatchObject({ amount: '0.00', discarded_amount: '0.00', credited_amount: unused })
      expect(quote.steps.at(-1)).toMatchObject({ code: 'due', values: { credited: unused } })
      const reducedOrder = await change()
      expect(reducedOrder).toMatchObject({ state: 'effective', amount: '0.00', credited: true })
      expect(await readCredit()).toEqual({
        balance: unused,
        entries: [['contract', unused, reducedOrder.contract]],
      })
      expect(await findFaults()).toEqual([])
    })

    test('The undo takes exactly the same amount back, also if the setting is off by then', async () => {
      const unused = getUnused(await requestQuote())
      const reducedOrder = await change()
      setSetting(false)
      const restoredOrder = (await undo(reducedOrder)).json() as OrderRow
      expect(restoredOrder).toMatchObject({ state: 'effective', amount: '0.00' })
      expect(await readCredit()).toEqual({
        balance: '0.00',
        entries: [
          ['contract', `-${unused}`, restoredOrder.contract],
          ['contract', unused, reducedOrder.contract],
        ],
      })
      expect(await findFaults()).toEqual([])
    })

    test('The undo is refused with the figures if the credit was used, and possible again with other credit', async () => {
      const unused = getUnused(await requestQuote())
      const reducedOrder = await change()
      const other = (await placeOrder(actors.buyer, { code: 'other' })).json() as OrderRow
      const missing = writeAmount(readAmount(other.amount) - readAmount(unused))
      const companyId = fixture.server.world.companies.alpha
      const addCredit = (amount: string) =>
        runAsSystem((db) => addTransferCredit(db, { companyId, amount, now: fixture.server.clock.now }))
      if (readAmount(missing) > 0n) await addCredit(missing)
      const paid = await payFor(actors.buyer, other.id, { type: 'credit', credit: other.amount })
      expect(paid.json()).toEqual({ status: 'paid' })
      const { balance: left } = await readCredit()
      const refusal = await undo(reducedOrder)
      expect([refusal.statusCode, refusal.json().data]).toEqual([
        409,
        { why: 'creditTooLow', available: left, amount: unused, currency: 'HKD' },
      ])
      expect(await readOrder(actors.buyer, reducedOrder.id)).toMatchObject({ state: 'effective' })
      await addCredit(unused)
      expect((await undo(reducedOrder)).statusCode).toBe(200)
      expect((await readCredit()).balance).toBe(left)
      expect(await findFaults()).toEqual([])
    })

    test('A change that replaces an unpaid one credits its own difference only', async () => {
      const unpaidOrder = (await post('/api/contract', buildReduction({ users: 60 }))).json() as OrderRow
      expect(unpaidOrder.state).toBe('unpaid')
      const unused = getUnused(await requestQuote())
      await change({ replaces: unpaidOrder.id })
      expect(await readCredit()).toMatchObject({ balance: unused })
      expect(await findFaults()).toEqual([])
    })

    test('A change that needs money, and a change without a difference, credit nothing', async () => {
      const unpaidOrder = (await post('/api/contract', buildReduction({ users: 60 }))).json() as OrderRow
      await payFor(actors.buyer, unpaidOrder.id, { token: 'pm_card_visa' })
      await runJobs()
      contract = await readOrder(actors.buyer, unpaidOrder.id)
      await change({ users: 60 })
      expect(await readCredit()).toEqual({ balance: '0.00', entries: [] })
    })

    describe('credits nothing, and discards after a confirmation,', () => {
      const requireDiscard = async () => {
        const quote = await requestQuote()
        const unused = getUnused(quote)
        expect(readAmount(unused)).toBeGreaterThan(0n)
        expect(quote).toMatchObject({ discarded_amount: unused, credited_amount: '0.00' })
        expect((await post('/api/contract', buildReduction())).json()).toMatchObject({ errorCode: 'DISCARD_CONFIRM' })
        const reducedOrder = await change({ confirm_discard: unused })
        expect(reducedOrder).not.toHaveProperty('credited')
        expect((await readCredit()).entries.filter(([cause]) => cause === 'contract')).toEqual([])
        expect(await findFaults()).toEqual([])
      }
      const refundInvoice = async (fields: Record<string, unknown>) => {
        const [invoice] = await listDocuments()
        if (!invoice) throw new Error('the contract has no invoice')
        expect((await refund(invoice, fields)).statusCode).toBe(200)
      }

      test('if an invoice of the contract is refunded in part', async () => {
        await refundInvoice({ amount: '1.00', route: 'credit' })
        await requireDiscard()
      })

      test('if a refund is not finished', async () => {
        await refundInvoice({ amount: '1.00' })
        expect(await listDocuments()).toMatchObject([{ refunded: '0.00', refunding: '1.00' }])
        await requireDiscard()
      })

      test('if an invoice is disputed', async () => {
        const superuser = fixture.server.app.database.kysely
        await superuser.updateTable('document').set({ disputed: true }).execute()
        const quote = await requestQuote()
        expect(quote).toMatchObject({ discarded_amount: getUnused(quote), credited_amount: '0.00' })
        expect((await post('/api/contract', buildReduction())).json()).toMatchObject({ errorCode: 'DISCARD_CONFIRM' })
      })

      test('also for a quote from before the refund', async () => {
        const { quote_id } = await requestQuote()
        await refundInvoice({ amount: '1.00', route: 'credit' })
        const response = await post('/api/contract', buildReduction({ quote_id }))
        expect(response.json()).toMatchObject({ errorCode: 'DISCARD_CONFIRM' })
      })
    })

    test('A refund of another service does not matter', async () => {
      const other = await payInvoice('other')
      expect((await refund(other, { amount: '1.00', route: 'credit' })).statusCode).toBe(200)
      const quote = await requestQuote()
      expect(quote).toMatchObject({ discarded_amount: '0.00', credited_amount: getUnused(quote) })
      expect(await change()).toMatchObject({ credited: true })
      expect(await findFaults()).toEqual([])
    })

    test('The check of all money finds an entry that is missing or over another amount', async () => {
      const reducedOrder = await change()
      await undo(reducedOrder)
      const listRules = async () => (await findFaults()).map(({ rule }) => rule)
      const superuser = fixture.server.app.database.kysely
      await superuser
        .updateTable('credit_entry')
        .set({ amount: '0.01' } as never)
        .where('amount', '>', '0')
        .execute()
      expect(await listRules()).toContain('creditContracts')
      await superuser.deleteFrom('credit_entry').where('amount', '<', '0').execute()
      expect(await listRules()).toContain('creditContracts')
    })
  })

  test('Without the setting the difference is discarded after a confirmation, and nothing is credited', async () => {
    setSetting(false)
    const quote = await requestQuote()
    const unused = getUnused(quote)
    expect(quote).toMatchObject({ discarded_amount: unused, credited_amount: '0.00' })
    expect(quote.steps.at(-1)?.values).not.toHaveProperty('credited')
    expect((await post('/api/contract', buildReduction())).json()).toMatchObject({ errorCode: 'DISCARD_CONFIRM' })
    const reducedOrder = await change({ confirm_discard: unused })
    expect(reducedOrder).not.toHaveProperty('credited')
    // A change from before keeps its effect: nothing was credited, so nothing is taken back.
    setSetting(true)
    expect((await undo(reducedOrder)).statusCode).toBe(200)
    expect(await readCredit()).toEqual({ balance: '0.00', entries: [] })
    expect(await findFaults()).toEqual([])
  })
})
