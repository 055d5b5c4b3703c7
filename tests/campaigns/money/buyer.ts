/** A company administrator who orders and pays in one history, and the state of the orders as far as the responses show it. */
import { randomUUID } from 'node:crypto'
import { setTimeout as wait } from 'node:timers/promises'
import type { Currency } from '#domain/money.ts'
import type { MoneyClaim } from '#tests/campaigns/money/check-money.ts'
import type { MoneyWorld } from '#tests/campaigns/money/world.ts'
import { callPortal, signIn } from '#tests/campaigns/payers.ts'
import type { Random } from '#tests/support/runner/random.ts'

/** An order, a backup or a month's traffic. */
export interface MoneyPayable {
  contractType: 'CONTRACT' | 'PDBORDER' | 'TRAFFIC'
  id: number
  type: 'create' | 'change' | 'extend' | 'backup' | 'traffic'
  code: string
  currency: Currency
  /** State according to the responses that the buyer received. */
  state: 'unpaid' | 'paid' | 'replaced' | 'deleted' | 'overdue'
  /** Last time for a payment. Null means no limit. */
  due: string | null
  /** Exclusive end of the bought period, or null for traffic. */
  endRun: string | null
  users: number
  modules: string[]
  /** Id of the contract that a change created, or null if the change cannot be undone. */
  undoableContractId: number | null
  /** Gateway pages on which this item can be paid, latest last. */
  paymentPages: PaymentPage[]
}

export interface PaymentPage {
  address: string
  /** Time when the address was signed, epoch ms. */
  since: number
}

/** An invoice in the register of documents. */
export interface KnownInvoice {
  id: number
  company: string
  code: string
  amount: string
  method: string
  reference: string
}

export interface Buyer {
  seed: number
  company: string
  world: MoneyWorld
  payables: MoneyPayable[]
  claims: MoneyClaim[]
  /** The company's invoices at the latest stop of the server. */
  invoices: KnownInvoice[]
  /** Ids of disputes that the company has opened. */
  disputes: string[]
  countEvent(name: string): void
  lastRefusal: string
  /** Sessions of the administrator and of the provider's staff, who are the same for all buyers. */
  sessions: Record<'admin' | 'staff', BuyerSession>
}

/** The access token is empty before the login, and after the session has ended. */
export interface BuyerSession {
  accessToken: string
}

export interface PortalResponse {
  status: number
  body: Record<string, unknown> & { errorCode?: string; data?: { why?: string; discarded_amount?: string } | null }
}

interface RequestOptions {
  body?: object | null
  actor?: 'admin' | 'staff'
  /** If true, the request is repeated with the same key until there is a response, also across kills. Otherwise it is sent once. */
  isRepeated?: boolean
}

const maxTries = 6

/** Sends a request to the portal. Returns null if no response came. */
export async function sendRequest(
  buyer: Buyer,
  method: string,
  path: string,
  { body = null, actor = 'admin', isRepeated = false }: RequestOptions = {},
): Promise<PortalResponse | null> {
  const { world } = buyer
  const key = isRepeated ? randomUUID() : null
  let refusals = 0
  for (;;) {
    await world.waitUntilUp()
    const accessToken = await getAccess(buyer, actor)
    if (accessToken === null) continue
    const response = (await callPortal(
      { url: world.url, accessToken },
      method,
      path,
      body,
      key,
    )) as PortalResponse | null
    if (response?.status === 401) {
      const session = buyer.sessions[actor]
      // Another buyer may have signed in the staff again meanwhile.
      if (session.accessToken === accessToken) session.accessToken = ''
      continue
    }
    const isBusy =
      response !== null &&
      (response.status >= 500 ||
        response.status === 429 ||
        response.body.errorCode === 'IDEMPOTENCY_IN_PROGRESS' ||
        response.status === 423)
    if (response === null) buyer.lastRefusal = 'no answer'
    else if (response.status >= 400) buyer.lastRefusal = describeRefusal(response)
    if (!isRepeated || (response !== null && !isBusy)) return response
    // Retries without limit while the server is down. Gives up after `maxTries` refusals of a running server.
    if (isBusy && ++refusals >= maxTries) return response
    await wait(50 * (refusals + 1))
  }
}

const describeRefusal = ({ status, body: { errorCode = '', data } }: PortalResponse) =>
  [status, errorCode, data?.why ?? describeFields(data)].join(' ').trim()

/** Returns the fields of a VALIDATION_ERROR. */
const describeFields = (data: unknown): string =>
  Array.isArray(data) ? data.map(({ field, code }: { field: string; code: string }) => `${field} ${code}`).join() : ''

/** Returns an access token, or null if the server went down during the login. */
async function getAccess({ sessions, world, company }: Buyer, actor: 'admin' | 'staff'): Promise<string | null> {
  const session = sessions[actor]
  if (session.accessToken !== '') return session.accessToken
  const [code, userName] = actor === 'staff' ? ['m18', 'staff'] : [company, 'admin']
  const accessToken = await signIn(world.url, code, userName).catch(() => null)
  if (accessToken !== null) session.accessToken = accessToken
  return accessToken
}

interface OrderRow {
  id: number
  code: string
  type: 'create' | 'change' | 'extend'
  state: 'invalid' | 'unpaid' | 'effective' | 'overwritten' | 'expired'
  currency: Currency
  contract_id: number
  users: number
  modules: string[]
  period_end: string
  due: string | null
  undo_until?: string | null
}

const states = {
  invalid: 'replaced',
  unpaid: 'unpaid',
  effective: 'paid',
  expired: 'paid',
  overwritten: 'paid',
} as const

export function recordOrder(buyer: Buyer, response: PortalResponse): MoneyPayable {
  const row = response.body as unknown as OrderRow
  const { id, code, type, currency, users, modules, period_end: endRun, due } = row
  const state = states[row.state]
  buyer.claims.push({ kind: 'order', id, state: 'ordered' })
  const payable: MoneyPayable = {
    contractType: 'CONTRACT',
    id,
    type,
    code,
    currency,
    state,
    due,
    endRun,
    users,
    modules,
    undoableContractId: typeof row.undo_until === 'string' ? row.contract_id : null,
    paymentPages: [],
  }
  buyer.payables.push(payable)
  return payable
}

/** Reads the current order. Returns null if it no longer exists or there is no response. */
export async function readOrder(buyer: Buyer, payable: MoneyPayable): Promise<OrderRow | null> {
  const response = await sendRequest(buyer, 'GET', `/api/sorder/${payable.id}`)
  if (response?.status === 404) payable.state = 'deleted'
  if (response?.status !== 200) return null
  const row = response.body as unknown as OrderRow
  payable.state = states[row.state]
  return row
}

export const pickSome = <T>(random: Random, items: readonly T[]): T | null => {
  // Prefers later items, which are more often of interest.
  const index = Math.floor(Math.sqrt(random()) * items.length)
  return items[index] ?? null
}
