/** Price lists, as rows and as files. */
import {
  createPriceList,
  deletePriceList,
  downloadPriceList,
  exportPriceList,
  getPriceInForce,
  getPriceList,
  importPriceList,
  listModulePrices,
  listPriceLists,
  rehearsePriceList,
  updatePriceList,
  uploadPriceList,
} from '#contract/prices.ts'
import { listPriceListUses, reinstatePriceList } from '#contract/price-lists/withdrawn.ts'
import { isPriceFileName } from '#domain/checks/price-file-checks.ts'
import { requireCaller } from '#server/http/authenticate.ts'
import { ReceivedFile } from '#server/http/input/multipart.ts'
import { invalid } from '#server/problems/problem-error.ts'
import { procedureHandler, type Handler, useCaseHandler, listHandler } from '#server/http/route-handler.ts'
import { ticketRequestOf } from '#server/http/ticket-request.ts'
import { checkTicket } from '#server/use-cases/tickets.ts'
import { badFile, unpackPriceList } from '#server/use-cases/catalogue/price-archive.ts'
import { download, exportList, importList, upload } from '#server/use-cases/catalogue/price-files.ts'
import { create, get, inForce, list, modulePrices, update } from '#server/use-cases/catalogue/price-lists.ts'
import { reinstate, remove } from '#server/use-cases/catalogue/withdraw-price-lists.ts'
import { readUses } from '#server/use-cases/catalogue/price-list-uses.ts'
import { rehearse } from '#server/use-cases/catalogue/rehearse-prices.ts'

export const prices: Handler[] = [
  useCaseHandler(getPriceInForce, inForce),
  useCaseHandler(getPriceList, get),
  listHandler(listPriceLists, list),
  useCaseHandler(createPriceList, create),
  useCaseHandler(updatePriceList, update),
  useCaseHandler(deletePriceList, remove),
  useCaseHandler(reinstatePriceList, reinstate),
  procedureHandler(listPriceListUses, async ({ app, principal }, input) => ({
    body: await readUses(app, requireCaller(principal), input),
  })),
  useCaseHandler(rehearsePriceList, rehearse),
  useCaseHandler(listModulePrices, modulePrices),
  useCaseHandler(exportPriceList, exportList),

  procedureHandler(
    downloadPriceList,
    async (visit, input) => {
      const { name, bytes } = await download(ticketRequestOf(visit), input)
      return {
        body: bytes,
        headers: { 'content-type': 'application/zip', 'content-disposition': `attachment; filename="${name}"` },
      }
    },
    {
      async head({ app }, { params }) {
        await checkTicket(app, 'price', params.key)
        return { headers: { 'content-type': 'application/zip' } }
      },
    },
  ),

  useCaseHandler(uploadPriceList, upload, async (input) => {
    const { file } = input.body
    if (!(file instanceof ReceivedFile) || file.bytes.length === 0) throw invalid([{ field: 'file', code: 'REQUIRED' }])
    if (!isPriceFileName(file.name)) throw badFile('wrongEnding')
    return { ...input, body: { file: await unpackPriceList(Buffer.from(file.bytes)) } }
  }),

  useCaseHandler(importPriceList, importList),
]
