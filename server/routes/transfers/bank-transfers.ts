import { requestProforma } from '#contract/invoices.ts'
import {
  closeBankTransfer,
  correctBankTransfer,
  creditBankTransfer,
  importStatement,
  listBankTransfers,
  listPayableItems,
  recordBankTransfer,
} from '#contract/staff/bank-transfers.ts'
import { requireCaller } from '#server/http/authenticate.ts'
import { createProcedureHandler, createUseCaseHandler, type EndpointHandler } from '#server/http/route-handler.ts'
import * as creditUseCases from '#server/use-cases/bank-transfers/credit-transfer.ts'
import * as importUseCases from '#server/use-cases/bank-transfers/import-statement.ts'
import { requestProforma as issueProforma } from '#server/use-cases/bank-transfers/request-proforma.ts'
import * as transferUseCases from '#server/use-cases/bank-transfers/transfers.ts'
import { kindsByContractType } from '#server/use-cases/payments/payment-description.ts'

export const bankTransferHandlers: EndpointHandler[] = [
  createProcedureHandler(requestProforma, async ({ app, principal, requestId }, { body }) => ({
    body: await issueProforma(app, {
      caller: requireCaller(principal),
      items: body.items.map(({ contractType, id }) => ({ kind: kindsByContractType[contractType], id })),
      requestId,
    }),
  })),
  createUseCaseHandler(listBankTransfers, transferUseCases.listBankTransfers),
  createUseCaseHandler(recordBankTransfer, transferUseCases.recordBankTransfer),
  createUseCaseHandler(importStatement, importUseCases.importStatement, importUseCases.prepareStatement),
  createUseCaseHandler(creditBankTransfer, creditUseCases.creditBankTransfer),
  createUseCaseHandler(closeBankTransfer, transferUseCases.closeBankTransfer),
  createUseCaseHandler(correctBankTransfer, transferUseCases.correctBankTransfer),
  createUseCaseHandler(listPayableItems, transferUseCases.listPayableItems),
]
