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
  updatePriceList,
  uploadPriceList,
} from '#contract/prices.ts'
import { ReceivedFile } from '#server/http/input/multipart.ts'
import { invalid } from '#server/problem-error.ts'
import { procedureHandler, type Handler, serviceHandler, listHandler } from '#server/routes/route-handler.ts'
import { unpackPriceList } from '#server/services/catalogue/price-archive.ts'
import { download, exportList, importList, upload } from '#server/services/catalogue/price-files.ts'
import { create, get, inForce, list, modulePrices, remove, update } from '#server/services/catalogue/price-lists.ts'

export const prices: Handler[] = [
  serviceHandler(getPriceInForce, inForce),
  serviceHandler(getPriceList, get),
  listHandler(listPriceLists, list),
  serviceHandler(createPriceList, create),
  serviceHandler(updatePriceList, update),
  serviceHandler(deletePriceList, remove),
  serviceHandler(listModulePrices, modulePrices),
  serviceHandler(exportPriceList, exportList),

  procedureHandler(downloadPriceList, async ({ app }, input) => {
    const { name, bytes } = await download(app, input)
    return {
      body: bytes,
      headers: { 'content-type': 'application/zip', 'content-disposition': `attachment; filename="${name}"` },
    }
  }),

  serviceHandler(uploadPriceList, upload, async (input) => {
    const { file } = input.body
    if (!(file instanceof ReceivedFile) || file.bytes.length === 0) throw invalid([{ field: 'file', code: 'REQUIRED' }])
    return { ...input, body: { file: await unpackPriceList(Buffer.from(file.bytes)) } }
  }),

  serviceHandler(importPriceList, importList),
]
