/** What can be printed, by kind: whose it is, what the trail calls it, and its page. */
import { monthOf } from '#domain/fees/traffic.ts'
import { timestampIn } from '#domain/time.ts'
import { backupById, serviceNameOf, trafficById } from '#server/db/hosting/backups.ts'
import { companyById } from '#server/db/accounts/companies.ts'
import { contractById } from '#server/db/orders/contracts.ts'
import type { Handle } from '#server/db/handle.ts'
import { sellerNow } from '#server/db/payments/payments.ts'
import { frozenInvoice, printedContract, type Reader } from '#server/db/orders/print-data.ts'
import type { Owned } from '#server/db/orders/service-codes.ts'
import type { AuditEntry } from '#server/db/audit/audit-entry.ts'
import type { AppContext } from '#server/context/context.ts'
import { notFound } from '#server/problems/problem-error.ts'
import { printBackup, printTraffic } from '#server/use-cases/prints/backup.ts'
import { printContract } from '#server/use-cases/prints/contract.ts'
import type { Frozen, Occasion, Party } from '#server/use-cases/prints/parts.ts'
import { contractStateOf } from '#server/use-cases/orders/order-terms.ts'

/** One look at a document. Read as the system: the ticket says whose it is. */
export interface Look {
  db: Handle
  app: AppContext
  companyId: number
  id: number
  reader: Reader
  nonce: string
  now: number
}

interface Kind {
  row: Owned
  menu: AuditEntry['code']
  /** Of a company's own one, for the trail; null: there is none. */
  note: (db: Handle, companyId: number, id: number) => Promise<AuditEntry['info'] | null>
  /** Null: there is none any more. */
  page: (look: Look) => Promise<string | null>
}

export const printKinds = {
  contract: {
    row: 'contract',
    menu: 'order',
    async note(db, companyId, id) {
      const contract = await contractById(db, companyId, id)
      return contract && { ServiceCode: contract.service_code, ContractCode: contract.code }
    },
    async page(look) {
      const found = await printedContract(look.db, look.companyId, look.id)
      if (!found) return null
      const { contract, order, modules } = found
      const invoice = found.invoice as Frozen | null
      const occasion = await occasionOf(look, invoice)
      const state = contractStateOf(contract, { now: occasion.time })
      const ordered = stampOf(look, order.create_time)
      return printContract(occasion, { contract, order, modules, invoice, state, ordered })
    },
  },
  PDBORDER: {
    row: 'backup',
    menu: 'backup',
    async note(db, companyId, id) {
      const backup = await backupById(db, companyId, id)
      return backup && { ServiceCode: backup.service_code, OrderId: id }
    },
    async page(look) {
      const row = await backupById(look.db, look.companyId, look.id)
      if (!row) return null
      const invoice = (await frozenInvoice(look.db, 'backup_order_id', row.id)) as Frozen | null
      const name = invoice?.service.name ?? (await serviceNameOf(look.db, row))
      return printBackup(await occasionOf(look, invoice), stampOf(look, row.create_time), { row, invoice, name })
    },
  },
  TRAFFIC: {
    row: 'traffic',
    menu: 'backup',
    async note(db, companyId, id) {
      const traffic = await trafficById(db, companyId, id)
      return traffic && { ServiceCode: traffic.service_code, Month: monthOf(traffic.period_end) }
    },
    async page(look) {
      const row = await trafficById(look.db, look.companyId, look.id)
      if (!row) return null
      const invoice = (await frozenInvoice(look.db, 'traffic_id', row.id)) as Frozen | null
      const name = invoice?.service.name ?? (await serviceNameOf(look.db, row))
      return printTraffic(await occasionOf(look, invoice), { row, invoice, name })
    },
  },
} satisfies Record<string, Kind>

export type PrintKind = keyof typeof printKinds

const stampOf = ({ app }: Look, instant: number) => timestampIn(app.config.timeZone, instant)

/** Seller and buyer as they were frozen; as they are now where nothing was. */
async function occasionOf(look: Look, invoice: Frozen | null): Promise<Occasion> {
  const { db, companyId, reader, nonce, now } = look
  const seller = invoice?.seller ?? ((await sellerNow(db)) as unknown as Party)
  const buyer = invoice?.buyer ?? (await companyById(db, companyId))
  if (!buyer) throw notFound()
  return { seller, buyer, reader, nonce, time: stampOf(look, now), zone: look.app.config.timeZone }
}
