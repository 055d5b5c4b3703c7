import { readCredit as readCreditCall } from '#contract/credit.ts'
import { withdrawCredit as withdrawCall } from '#contract/staff/bank-transfers.ts'
import { createUseCaseHandler, type EndpointHandler } from '#server/http/route-handler.ts'
import { readCredit } from '#server/use-cases/credit/read-credit.ts'
import { withdrawCredit } from '#server/use-cases/credit/withdraw-credit.ts'

export const creditHandlers: EndpointHandler[] = [
  createUseCaseHandler(readCreditCall, readCredit),
  createUseCaseHandler(withdrawCall, withdrawCredit),
]
