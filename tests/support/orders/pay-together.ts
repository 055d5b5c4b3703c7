/** Pays several items with one payment. */
import { randomUUID } from 'node:crypto'
import type { SignedIn } from '#tests/support/server/server.ts'

export interface PaidItem {
  contractType: 'CONTRACT' | 'PDBORDER' | 'TRAFFIC'
  id: number
}

export const toContractItems = (orders: readonly { id: number }[]): PaidItem[] =>
  orders.map(({ id }) => ({ contractType: 'CONTRACT', id }))

export const payTogether = (
  caller: SignedIn,
  items: readonly unknown[],
  fields: Record<string, string> = {},
  headers: Record<string, string> = { 'idempotency-key': randomUUID() },
) => caller.send({ method: 'POST', url: '/api/payments', headers, payload: { type: 'stripe', items, ...fields } })

export const checkTogether = async (caller: SignedIn, items: readonly PaidItem[]) =>
  (await caller.send({ method: 'POST', url: '/api/payments/check', payload: { items } })).json()
