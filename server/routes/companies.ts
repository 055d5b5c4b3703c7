import { getCompany, updateCompany } from '#contract/accounts.ts'
import { listCompanies } from '#contract/orders.ts'
import { createProcedureHandler, type EndpointHandler, createUseCaseHandler } from '#server/http/route-handler.ts'
import { findCompanies, get, update } from '#server/use-cases/accounts/companies.ts'

export const companyHandlers: EndpointHandler[] = [
  createUseCaseHandler(getCompany, get),
  createUseCaseHandler(updateCompany, update),
  createProcedureHandler(listCompanies, async ({ app }, { query }) => ({ body: await findCompanies(app, query) })),
]
