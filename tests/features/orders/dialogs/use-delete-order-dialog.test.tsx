import { cleanup, render, screen } from '@testing-library/react'
import { userEvent } from '@testing-library/user-event'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { startMessages } from '#app/i18n/page-messages.ts'
import type { OrderRow } from '#contract/orders.ts'
import '#features/orders/words.ts'
import { DeleteOrderDialog } from '#features/orders/dialogs/DeleteOrderDialog.tsx'
import { createCallRecorder } from '#tests/features/call-recorder.tsx'

const typist = userEvent.setup()
const pendingChange: OrderRow['pending'] = { id: 9, type: 'change', amount: '120.00', due: '2026-12-01 00:00:00' }
const buildRow = (pending: OrderRow['pending']) =>
  ({ id: 4, code: 'shop', name: 'Shop', currency: 'HKD', type: 'create', pending }) as unknown as OrderRow

let closeCount: number
const buildDialog = (target: 'order' | 'pending', pending: OrderRow['pending']) => (
  <DeleteOrderDialog target={target} row={buildRow(pending)} onClose={() => (closeCount += 1)} onDone={() => {}} />
)

beforeEach(async () => {
  await startMessages()
  closeCount = 0
})
afterEach(cleanup)

it('<DeleteOrderDialog> deletes the pending change', async () => {
  const { calls, wrapper } = createCallRecorder()
  render(buildDialog('pending', pendingChange), { wrapper })
  await screen.findByRole('dialog', { name: /^Delete the unpaid/ })
  await typist.click(screen.getByRole('button', { name: 'Delete' }))
  expect(calls.map(({ endpointName, input }) => [endpointName, input])).toEqual([
    ['deleteContract', { params: { id: 9 } }],
  ])
})

it('<DeleteOrderDialog> closes when the pending change is deleted, without offering to delete the order', async () => {
  const { wrapper } = createCallRecorder()
  const { rerender } = render(buildDialog('pending', pendingChange), { wrapper })
  await screen.findByRole('dialog')
  expect(closeCount).toBe(0)
  rerender(buildDialog('pending', null))
  expect(screen.queryByRole('dialog')).toBeNull()
  expect(closeCount).toBe(1)
})

it('<DeleteOrderDialog> offers to delete an order without a pending change', async () => {
  const { wrapper } = createCallRecorder()
  render(buildDialog('order', null), { wrapper })
  await screen.findByRole('dialog')
  expect(closeCount).toBe(0)
})
