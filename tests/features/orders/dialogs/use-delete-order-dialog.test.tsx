import { cleanup, render, screen } from '@testing-library/react'
import { userEvent } from '@testing-library/user-event'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { startMessages } from '#app/i18n/page-messages.ts'
import type { OrderRow } from '#contract/orders.ts'
import { signedIn } from '#state/session-slice.ts'
import '#features/orders/words.ts'
import { DeleteOrderDialog } from '#features/orders/dialogs/DeleteOrderDialog.tsx'
import { refreshListedOrder } from '#features/orders/slice.ts'
import { createCallRecorder } from '#tests/features/call-recorder.tsx'
import { buildUser } from '#tests/support/device/device-database.ts'

const typist = userEvent.setup()
const pendingChange: OrderRow['pending'] = { id: 9, type: 'change', amount: '120.00', due: '2026-12-01 00:00:00' }
const buildRow = (pending: OrderRow['pending']) =>
  ({
    id: 4,
    code: 'shop',
    name: 'Shop',
    currency: 'HKD',
    type: 'create',
    status: 0,
    row_version: 3,
    pending,
  }) as unknown as OrderRow

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

it('<DeleteOrderDialog> deletes a row that the device has only in the list of all companies with its version', async () => {
  const { calls, wrapper } = createCallRecorder()
  render(buildDialog('order', null), { wrapper })
  await typist.click(screen.getByRole('button', { name: 'Delete' }))
  await expect.poll(() => calls.length).toBe(1)
  expect(calls[0]).toMatchObject({
    endpointName: 'deleteOrder',
    input: { params: { id: 4 } },
    options: { base: { rowVersion: 3, values: { status: 0 } } },
  })
})

it('After a payment, the list of all companies is fetched for staff with the order flag only', async () => {
  const row = { company_id: 7, client_type: 'saas', code: 'shop' } as const
  const { calls, store } = createCallRecorder()
  const refresh = (order: boolean, companyCode: string) => {
    store.dispatch(signedIn({ ...buildUser(1), order, company_code: companyCode }))
    void store.dispatch(refreshListedOrder(row))
    return calls.splice(0).map(({ endpointName, input }) => [endpointName, input])
  }
  const query = { type: 'saas', searchText: 'shop' }
  const ownCall = ['listOrders', { params: { companyId: 7 }, query }]
  expect(refresh(true, 'acme')).toEqual([ownCall])
  expect(refresh(false, 'm18')).toEqual([ownCall])
  expect(refresh(true, 'm18')).toEqual([ownCall, ['listCustomerOrders', { query }]])
})
