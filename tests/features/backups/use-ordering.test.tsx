import { act, renderHook } from '@testing-library/react'
import { expect, it } from 'vitest'
import type { BackupQuote, SubscriptionTerms } from '#features/backups/backup-quote.ts'
import { useOrdering } from '#features/backups/subscribe/useOrdering.ts'
import { buildRefusal, createCallRecorder, lostResult } from '#tests/features/call-recorder.tsx'

const yearTerms: SubscriptionTerms = { period: 1, unit: 'year' }
const quote: BackupQuote = {
  start: '2026-01-01',
  end: '2027-01-01',
  months: 12,
  isCut: false,
  isTooLarge: false,
  discount: '10.00',
  amount: '6000.00',
  pay_amount: '5400.00',
  steps: () => [],
}

/** `order` submits the form and returns the intent of the call. */
function renderOrdering() {
  const { calls, wrapper, respond } = createCallRecorder()
  const options = { serviceId: 5, type: 'pdb2s3', quote, onOrdered: () => {}, onPriceOutdated: () => {} } as const
  const { result, rerender } = renderHook(
    (terms: { terms: SubscriptionTerms; priceId: number }) => useOrdering({ ...options, ...terms }),
    { wrapper, initialProps: { terms: yearTerms, priceId: 1 } },
  )
  function order(terms = yearTerms, priceId = 1): string | undefined {
    rerender({ terms, priceId })
    act(() => result.current.start())
    return calls.at(-1)?.options?.intent
  }
  return { calls, order, respond }
}

it('useOrdering orders again under the same intent after a lost response, also at another price', async () => {
  const { calls, order, respond } = renderOrdering()
  const intent = order()
  expect(intent).toHaveLength(36)
  await respond(lostResult)
  expect(order()).toBe(intent)
  await respond(lostResult)
  expect(order(yearTerms, 2)).toBe(intent)
  expect(calls).toHaveLength(3)
})

it('useOrdering orders other terms under a new intent', async () => {
  const { order, respond } = renderOrdering()
  const intent = order()
  await respond(lostResult)
  const otherIntent = order({ period: 6, unit: 'month' })
  expect(otherIntent).toHaveLength(36)
  expect(otherIntent).not.toBe(intent)
})

it('useOrdering orders under a new intent once the server has answered', async () => {
  const { calls, order, respond } = renderOrdering()
  const intents = [order()]
  await respond(lostResult)
  expect(order()).toBe(intents[0])
  for (const result of [
    buildRefusal('QUOTE_CHANGED'),
    buildRefusal('BUSY'),
    { kind: 'fresh', output: { id: 3 } },
  ] as const) {
    await respond(result)
    intents.push(order())
  }
  expect(new Set(intents).size).toBe(4)
  expect(calls).toHaveLength(5)
})
