/** Price lists out as files and in again: how one that was tried in one house is sold by in another (contracts 7, Z-32). */
import { tidyText } from '#domain/text.ts'
import type { downloadPriceList, exportPriceList, importPriceList, uploadPriceList } from '#contract/prices.ts'
import type { ParsedInputOf } from '#contract/endpoint.ts'
import { modulesOf } from '#server/db/catalogue/modules.ts'
import { priceListById } from '#server/db/catalogue/price-lists.ts'
import { keepUpload, uploadWith } from '#server/db/catalogue/price-uploads.ts'
import { inTransaction } from '#server/db/transaction.ts'
import type { UseCaseContext, UseCase } from '#server/context/context.ts'
import { notFound } from '#server/problems/problem-error.ts'
import { isVisible, requireType } from '#server/use-cases/orders/client-types.ts'
import { type ListFile, type Looked, packPriceList, readListFile } from '#server/use-cases/catalogue/price-archive.ts'
import { contentOfNew } from '#server/use-cases/catalogue/price-content.ts'
import { make } from '#server/use-cases/catalogue/price-lists.ts'
import { issueTicket, redeemTicket, type TicketRequest } from '#server/use-cases/tickets.ts'

/** Empty where there is no such list (D64). */
export const exportList: UseCase<typeof exportPriceList> = async (context, { body }) => {
  const found = typeof body.id === 'number' ? await priceListById(context.db, body.id) : null
  if (!found || !isVisible(context.caller, found)) return { body: '' }
  const info = { PriceEffDate: found.effective_date, PriceDesc: found.description }
  await context.audit({ code: 'price', operation: 'export', info })
  return { body: await issueTicket(context, { kind: 'price', subject: { id: found.id } }) }
}

export interface Download {
  name: string
  bytes: Buffer
}

/** The list as it is now, withdrawn too. Throws NOT_FOUND: also where it was deleted since. */
export async function download(
  request: TicketRequest,
  { params }: ParsedInputOf<typeof downloadPriceList>,
): Promise<Download> {
  const { app } = request
  const { subject } = await redeemTicket(request, 'price', params.key)
  const { id } = subject as { id: number }
  const found = await inTransaction(app, { role: 'portal_system' }, (db) => priceListById(db, id), 'reading')
  if (!found) throw notFound()
  return { name: `price-${found.type}-${found.effective_date}.zip`, bytes: await packPriceList(found) }
}

/** The input is what the file holds: read by the route, before the transaction. Nothing is sold by it yet. */
export const upload: UseCase<typeof uploadPriceList> = async (context, { body }) => {
  const { db, caller, now } = context
  const { md5, list } = body.file as Looked
  requireType(caller, list.type)
  const { companyId, userId } = caller
  await keepUpload(db, { md5, user_id: userId, company_id: companyId, content: JSON.stringify(list), create_time: now })
  const { type, effective_date } = list
  const desc = tidyText(list.desc)
  const { module, ...content } = contentOfNew({ ...list, module: await named(context, list) })
  return {
    body: {
      md5,
      type,
      effective_date,
      desc,
      module: module.map(({ code }) => code),
      unknown: module.filter(({ module_id }) => module_id === 0).map(({ code }) => code),
      list: { type, effective_date, desc, ...content, module },
    },
  }
}

/** Throws NOT_FOUND for a file that was not looked into within a day, and what the making of a list throws. */
export const importList: UseCase<typeof importPriceList> = async (context, { body }) => {
  const { db, caller } = context
  const content = await uploadWith(db, caller.userId, body.md5)
  if (content === null) throw notFound()
  // Read anew: it may have been looked into by a server that knew less of what is refused.
  const list = readListFile(content)
  return make(context, { ...list, confirmed: false, module: await named(context, list) }, ['import'])
}

/** By the codes of this house. One that it does not know, or does not sell (D5), has no id, and is refused by its code. */
async function named({ db }: UseCaseContext, { type, module }: ListFile) {
  const ids = new Map((await modulesOf(db, type)).flatMap(({ code, id, hidden }) => (hidden ? [] : [[code, id]])))
  return module.map((row) => ({ ...row, module_id: ids.get(row.code) ?? 0 }))
}
