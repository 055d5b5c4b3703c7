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
import { ReceivedFile } from '#server/http/parts.ts'
import { invalid } from '#server/problem.ts'
import { conduct, type Handler, handle, handleList } from '#server/routes/handlers.ts'
import { unpackPriceList } from '#server/services/price-archive.ts'
import { download, exportList, importList, upload } from '#server/services/price-files.ts'
import { create, get, inForce, list, modulePrices, remove, update } from '#server/services/price-lists.ts'

export const prices: Handler[] = [
  handle(getPriceInForce, inForce),
  handle(getPriceList, get),
  handleList(listPriceLists, list),
  handle(createPriceList, create),
  handle(updatePriceList, update),
  handle(deletePriceList, remove),
  handle(listModulePrices, modulePrices),
  handle(exportPriceList, exportList),

  conduct(downloadPriceList, async ({ house }, input) => {
    const { name, bytes } = await download(house, input)
    return {
      body: bytes,
      headers: { 'content-type': 'application/zip', 'content-disposition': `attachment; filename="${name}"` },
    }
  }),

  handle(uploadPriceList, upload, async (input) => {
    const { file } = input.body
    if (!(file instanceof ReceivedFile) || file.bytes.length === 0) throw invalid([{ field: 'file', code: 'REQUIRED' }])
    return { ...input, body: { file: await unpackPriceList(Buffer.from(file.bytes)) } }
  }),

  handle(importPriceList, importList),
]
