/** Exports and imports price lists, so that a list can be used in another installation (contracts 7, Z-32). */
import { cleanText } from '#domain/text.ts'
import type { downloadPriceList, exportPriceList, importPriceList, uploadPriceList } from '#contract/prices.ts'
import type { ParsedInputOf } from '#contract/endpoint.ts'
import { listModulesOfType } from '#server/db/catalogue/modules.ts'
import { findPriceListById } from '#server/db/catalogue/price-lists.ts'
import { storePriceUpload, findPriceUpload } from '#server/db/catalogue/price-uploads.ts'
import { readAsSystem } from '#server/db/transaction.ts'
import type { UseCaseContext, UseCase } from '#server/context/context.ts'
import { createNotFoundProblem, requireRow } from '#server/problems/problem-error.ts'
import { canSeeType, requireType } from '#server/use-cases/orders/client-types.ts'
import {
  type PriceListFile,
  type UploadedPriceFile,
  packPriceList,
  readListFile,
} from '#server/use-cases/catalogue/price-archive.ts'
import { buildNewContent } from '#server/use-cases/catalogue/price-content.ts'
import { createList } from '#server/use-cases/catalogue/price-lists.ts'
import { issueTicket, redeemTicket, type TicketRequest } from '#server/use-cases/tickets.ts'

/** Returns the key of the download, or an empty text if the list does not exist or the caller may not see it (D64). */
export const exportPriceFile: UseCase<typeof exportPriceList> = async (context, { body }) => {
  const priceList = typeof body.id === 'number' ? await findPriceListById(context.db, body.id) : null
  if (!priceList || !canSeeType(context.caller, priceList)) return { body: '' }
  const info = { PriceEffDate: priceList.effective_date, PriceDesc: priceList.description }
  await context.audit({ code: 'price', operation: 'export', info })
  return { body: await issueTicket(context, { kind: 'price', subject: { id: priceList.id } }) }
}

export interface PriceListDownload {
  name: string
  bytes: Buffer
}

/** Returns the file, also of a withdrawn list. Throws NOT_FOUND if the key is not valid or the list was deleted in the meantime. */
export async function downloadPriceFile(
  request: TicketRequest,
  { params }: ParsedInputOf<typeof downloadPriceList>,
): Promise<PriceListDownload> {
  const { app } = request
  const { subject } = await redeemTicket(request, 'price', params.key)
  const { id } = subject as { id: number }
  const priceList = requireRow(await readAsSystem(app, (db) => findPriceListById(db, id)))
  return { name: `price-${priceList.type}-${priceList.effective_date}.zip`, bytes: await packPriceList(priceList) }
}

/** Stores the content of an uploaded file. `importPriceFile` creates the list. The route parses the file before the transaction. */
export const uploadPriceFile: UseCase<typeof uploadPriceList> = async (context, { body }) => {
  const { db, caller, now } = context
  const { md5, list } = body.file as UploadedPriceFile
  requireType(caller, list.type)
  const { companyId, userId } = caller
  await storePriceUpload(db, {
    md5,
    user_id: userId,
    company_id: companyId,
    content: JSON.stringify(list),
    create_time: now,
  })
  const { type, effective_date } = list
  const desc = cleanText(list.desc)
  const { module, ...content } = buildNewContent({ ...list, module: await addModuleIds(context, list) })
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

/** Throws NOT_FOUND if the file was not uploaded within the last day, and the problems of creating a list. */
export const importPriceFile: UseCase<typeof importPriceList> = async (context, { body }) => {
  const { db, caller } = context
  const content = await findPriceUpload(db, caller.userId, body.md5)
  if (content === null) throw createNotFoundProblem()
  // Parsed again, because a server with fewer checks may have accepted the upload.
  const list = readListFile(content)
  return createList(context, { ...list, confirmed: false, module: await addModuleIds(context, list) }, ['import'])
}

/**
 * Adds the ids of modules. A module that this installation does not have, or that is hidden (D5), gets the id 0 and is refused by its code.
 */
async function addModuleIds({ db }: UseCaseContext, { type, module }: PriceListFile) {
  const idsByCode = new Map(
    (await listModulesOfType(db, type)).flatMap(({ code, id, hidden }) => (hidden ? [] : [[code, id]])),
  )
  return module.map((row) => ({ ...row, module_id: idsByCode.get(row.code) ?? 0 }))
}
