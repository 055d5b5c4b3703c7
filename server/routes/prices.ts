import {
  createPriceList,
  deletePriceList,
  downloadPriceList,
  exportPriceList,
  getPriceInForce,
  getPriceList,
  importPriceList,
  listModulePrices,
  rehearsePriceList,
  updatePriceList,
  uploadPriceList,
} from '#contract/prices.ts'
import { listPriceListUses, reinstatePriceList } from '#contract/staff/withdrawn-price-lists.ts'
import { isPriceFileName } from '#domain/checks/price-file-checks.ts'
import { requireCaller } from '#server/http/authenticate.ts'
import { ReceivedFile } from '#server/http/input/multipart-form.ts'
import { createValidationProblem } from '#server/problems/problem-error.ts'
import { createProcedureHandler, type EndpointHandler, createUseCaseHandler } from '#server/http/route-handler.ts'
import { createTicketRequest } from '#server/http/ticket-request.ts'
import { checkTicket } from '#server/use-cases/tickets.ts'
import { createFileError, unpackPriceList } from '#server/use-cases/catalogue/price-archive.ts'
import {
  downloadPriceFile,
  exportPriceFile,
  importPriceFile,
  uploadPriceFile,
} from '#server/use-cases/catalogue/price-files.ts'
import { create, get, readListInForce, readModulePrices, update } from '#server/use-cases/catalogue/price-lists.ts'
import { reinstateWithdrawnList, withdrawPriceList } from '#server/use-cases/catalogue/withdraw-price-lists.ts'
import { readPriceListUses } from '#server/use-cases/catalogue/price-list-uses.ts'
import { startRehearsal } from '#server/use-cases/catalogue/rehearse-prices.ts'

export const priceHandlers: EndpointHandler[] = [
  createUseCaseHandler(getPriceInForce, readListInForce),
  createUseCaseHandler(getPriceList, get),
  createUseCaseHandler(createPriceList, create),
  createUseCaseHandler(updatePriceList, update),
  createUseCaseHandler(deletePriceList, withdrawPriceList),
  createUseCaseHandler(reinstatePriceList, reinstateWithdrawnList),
  createProcedureHandler(listPriceListUses, async ({ app, principal }, input) => ({
    body: await readPriceListUses(app, requireCaller(principal), input),
  })),
  createUseCaseHandler(rehearsePriceList, startRehearsal),
  createUseCaseHandler(listModulePrices, readModulePrices),
  createUseCaseHandler(exportPriceList, exportPriceFile),

  createProcedureHandler(
    downloadPriceList,
    async (context, input) => {
      const { name, bytes } = await downloadPriceFile(createTicketRequest(context), input)
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

  createUseCaseHandler(uploadPriceList, uploadPriceFile, async (input) => {
    const { file } = input.body
    if (!(file instanceof ReceivedFile) || file.bytes.length === 0)
      throw createValidationProblem([{ field: 'file', code: 'REQUIRED' }])
    if (!isPriceFileName(file.name)) throw createFileError('wrongEnding')
    return { ...input, body: { file: await unpackPriceList(Buffer.from(file.bytes)) } }
  }),

  createUseCaseHandler(importPriceList, importPriceFile),
]
