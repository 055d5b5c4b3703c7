/** Printing (D65): a ticket for one look within a minute, and the document behind it. */
import { randomBytes } from 'node:crypto'
import type { Caller } from '#domain/access.ts'
import type { Language } from '#domain/users.ts'
import { timestampIn } from '#domain/time.ts'
import type { InputOf } from '#contract/endpoint.ts'
import type { requestPrint } from '#contract/payments.ts'
import { companyById } from '#server/db/companies.ts'
import { contractById } from '#server/db/contracts.ts'
import { sellerNow } from '#server/db/payments.ts'
import { printedContract, readerOf } from '#server/db/prints.ts'
import { inScope } from '#server/db/scope.ts'
import { takeTicket } from '#server/db/tickets.ts'
import { addToTrail } from '#server/db/trail.ts'
import type { Handle, House } from '#server/house.ts'
import { notFound } from '#server/problem.ts'
import { forRow } from '#server/services/acting.ts'
import { type Frozen, type Party, printContract } from '#server/services/print-contract.ts'
import { gonePage } from '#server/services/print-page.ts'
import { contractStateOf } from '#server/services/terms.ts'
import { issueTicket } from '#server/services/tickets.ts'

type Asked = InputOf<typeof requestPrint>['body']

/**
 * An address for one look. Throws NOT_FOUND for what is not the caller's to see, and for backups and their traffic, of
 * which there are none yet; RATE_LIMITED.
 */
export async function askPrint(
  house: House,
  caller: Caller,
  { kind, id }: Asked,
  requestId: string,
): Promise<{ url: string }> {
  if (kind !== 'contract') throw notFound()
  const now = house.clock()
  const key = await inScope(house, { role: 'portal_app', companyId: caller.companyId }, async (db) => {
    const { info, made } = await forRow({ db, caller }, 'contract', id, async ({ companyId, info }, found) => {
      const contract = await contractById(db, companyId, found)
      if (!contract) throw notFound()
      const made = await issueTicket({ db, caller, now }, { kind: 'print', subject: { id: found }, companyId })
      return { made, info: { ...info, ServiceCode: contract.service_code, ContractCode: contract.code } }
    })
    const { userId, companyId } = caller
    await addToTrail(db, { companyId, userId, now, status: 0, intent: null, requestId }, [
      { code: 'order', operation: 'print', info },
    ])
    return made
  })
  return { url: `/public/print/${key}` }
}

export interface Opened {
  status: number
  page: string
  /** Of the page's own style and script. */
  nonce: string
}

/** Null: nobody may see anything by this key, or no longer. */
export async function openPrint(house: House, key: string): Promise<Opened | null> {
  const now = house.clock()
  return await inScope(house, { role: 'portal_system' }, async (db) => {
    const ticket = await takeTicket(db, 'print', key, now)
    const reader = ticket && (await readerOf(db, ticket.user_id))
    if (!reader) return null
    const printed = await printedContract(db, ticket.company_id, (ticket.subject as { id: number }).id)
    if (!printed) return null
    const { contract, order, invoice, modules } = printed
    const { timeZone } = house.config
    const stamp = timestampIn(timeZone, now)
    const state = contractStateOf(contract, { now: stamp, today: stamp.slice(0, 10) })
    const frozen = invoice as Frozen | null
    const nonce = randomBytes(16).toString('base64')
    const page = printContract({
      contract,
      order,
      modules,
      state,
      nonce,
      invoice: frozen,
      seller: frozen?.seller ?? (await sellerOf(db)),
      buyer: frozen?.buyer ?? (await buyerOf(db, ticket.company_id)),
      ordered: timestampIn(timeZone, order.create_time),
      reader,
      time: stamp,
    })
    return { status: 200, page, nonce }
  })
}

const sellerOf = async (db: Handle): Promise<Party> => (await sellerNow(db)) as unknown as Party

async function buyerOf(db: Handle, companyId: number): Promise<Party> {
  const found = await companyById(db, companyId)
  if (!found) throw notFound()
  return found
}

/** What is shown of a key that no longer works. */
export function goneDocument(language: Language): Opened {
  const nonce = randomBytes(16).toString('base64')
  return { status: 404, page: gonePage(language, nonce), nonce }
}
