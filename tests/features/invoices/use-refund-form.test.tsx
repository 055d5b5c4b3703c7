import { act, renderHook } from '@testing-library/react'
import { describe, expect, it } from 'vitest'
import type { Problem } from '#contract/problem.ts'
import { RefundDialog } from '#features/invoices/refund/RefundDialog.tsx'
import { findRefundFaults, getFigures, type RefundValues, toRefundBody } from '#features/invoices/refund/refund-form.ts'
import { isRefundUnknown, useRefundForm } from '#features/invoices/refund/useRefundForm.ts'
import { parseTypedAmount } from '#patterns/parse-typed-amount.ts'
import { buildRefusal, createCallRecorder, lostResult } from '#tests/features/call-recorder.tsx'

const document = {
  id: 7,
  code: 'I202603000001',
  currency: 'HKD',
  amount: '42000.00',
  refunded: '600.00',
  refunding: '400.00',
  method: 'stripe',
}
const values: RefundValues = {
  amount: '41,000.00',
  reason: ' Goodwill ',
  route: 'gateway',
  reference: '',
  date: '',
  confirmation: 'i202603000001',
}
const today = '2026-03-02'
const figures = getFigures(document)
const check = { left: figures.left, code: document.code, today }
const findFaults = (changes: Partial<RefundValues>) => findRefundFaults({ ...values, ...changes }, check)

describe('checks of a refund', () => {
  it('accepts what is left, with separated digits and the number in any case', () => {
    expect(findFaults({})).toEqual({})
    expect(toRefundBody(values, figures)).toEqual({
      amount: '41000.00',
      refunded_before: '1000.00',
      reason: 'Goodwill',
      route: 'gateway',
      confirmation: 'I202603000001',
    })
  })

  it.each(['', 'x', '-1', '1.234', '0', '1e3', '120,50', '1,20', '12,0500', ',120', '1 000'])(
    'refuses the amount "%s"',
    (amount) => {
      expect(findFaults({ amount })).toEqual({ amount: 'amount' })
    },
  )

  it('refuses more than what is left, and everything if nothing is left', () => {
    expect(findFaults({ amount: '41000.01' })).toEqual({ amount: 'tooMuch' })
    expect(findRefundFaults(values, { ...check, left: 0n })).toEqual({ amount: 'nothingLeft' })
  })

  it('requires a reason, the number of the invoice, and for a transfer its reference and a past date', () => {
    expect(findFaults({ reason: ' ', confirmation: 'I2' })).toEqual({ reason: 'reason', confirmation: 'confirmation' })
    expect(findFaults({ route: 'transfer' })).toEqual({ reference: 'reference', date: 'date' })
    expect(findFaults({ route: 'transfer', reference: 'FT1', date: '2026-03-03' })).toEqual({ date: 'date' })
    expect(findFaults({ route: 'transfer', reference: 'FT1', date: today })).toEqual({})
  })

  it('accepts wide digits and letters, and names the limit of a reason that is too long', () => {
    const wideValues = { ...values, amount: '１２０．５０', confirmation: ' Ｉ２０２６０３０００００１ ' }
    expect(findRefundFaults(wideValues, check)).toEqual({})
    expect(toRefundBody(wideValues, figures)).toMatchObject({ amount: '120.50', confirmation: 'I202603000001' })
    expect(findFaults({ reason: 'x'.repeat(501) })).toEqual({ reason: 'reasonTooLong' })
  })

  it('reads an amount without floating-point numbers', () => {
    expect(parseTypedAmount(' 1,234,567,890.1 ')).toBe(123_456_789_010n)
  })
})

/** Fills the form in. `send` submits it and returns the intent of the call. */
async function renderForm() {
  const { calls, wrapper, respond } = createCallRecorder()
  const { result } = renderHook(
    () => useRefundForm({ document, draft: {}, onChange: () => {}, onDone: () => {} }, { current: null }),
    { wrapper },
  )
  const change = (name: keyof RefundValues, value: string) => act(async () => result.current.change(name, value))
  await change('reason', 'Goodwill')
  await change('confirmation', document.code)
  const listRefundCalls = () => calls.filter(({ endpointName }) => endpointName === 'refundInvoice')
  async function send(): Promise<string | undefined> {
    act(() => void result.current.send())
    return listRefundCalls().at(-1)?.options?.intent
  }
  const respondLast = async (...args: Parameters<typeof respond>) =>
    await listRefundCalls()
      .at(-1)
      ?.respond(...args)
  return { result, change, send, respond: respondLast, listRefundCalls }
}

describe('useRefundForm', () => {
  it('fills in what is left, and sends again under the same intent after a lost response', async () => {
    const { result, change, send, respond, listRefundCalls } = await renderForm()
    expect(result.current.values.amount).toBe('41000.00')
    const intent = await send()
    expect(intent).toHaveLength(36)
    await respond(lostResult)
    expect(await send()).toBe(intent)
    await respond(lostResult)
    await change('amount', '5.00')
    expect(await send()).not.toBe(intent)
    expect(listRefundCalls()).toHaveLength(3)
  })

  it.each([
    [503, 'BLOCKED_BY_PROXY'],
    [504, 'UNREADABLE_ANSWER'],
  ])('sends again under the same intent after a %s that is not of the portal', async (status, code) => {
    const { result, send, respond } = await renderForm()
    const intent = await send()
    await respond({ kind: 'problem', problem: { status, code, message: '', data: null, requestId: null } as Problem })
    expect(result.current.problem && isRefundUnknown(result.current.problem)).toBe(true)
    expect(await send()).toBe(intent)
  })

  it('shows the figures of a refusal, and repeats them when the staff send again under a new intent', async () => {
    const { result, send, respond, listRefundCalls } = await renderForm()
    const intent = await send()
    expect(listRefundCalls()[0]?.input).toMatchObject({ body: { refunded_before: '1000.00' } })
    await respond(buildRefusal('STATE_CONFLICT', { why: 'changed', left: '41000.00', refunded_before: '1500.00' }))
    expect(result.current.left).toBe('HKD 41,000.00')
    expect(await send()).not.toBe(intent)
    expect(listRefundCalls()[1]?.input).toMatchObject({ body: { refunded_before: '1500.00' } })
  })

  it('keeps what was typed, and shows at the amount what the server says is left', async () => {
    const { result, send, respond } = await renderForm()
    await send()
    await respond(buildRefusal('STATE_CONFLICT', { why: 'tooMuch', left: '10.00', refunded_before: '41990.00' }))
    expect(result.current.formatFault('amount')).toBe('At most HKD 10.00 can be refunded.')
    expect(result.current.values).toMatchObject({ amount: '41000.00', reason: 'Goodwill' })
  })

  it('sends nothing that has a fault', async () => {
    const { change, send, listRefundCalls } = await renderForm()
    await change('confirmation', 'I2')
    await send()
    expect([listRefundCalls(), typeof RefundDialog]).toEqual([[], 'function'])
  })
})
