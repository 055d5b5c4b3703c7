/** The own company's profile; of all companies their names, for the provider's staff. */
import { getCompany, updateCompany } from '#contract/accounts.ts'
import { listCompanies } from '#contract/orders.ts'
import { procedureHandler, type Handler, useCaseHandler } from '#server/http/route-handler.ts'
import { findCompanies, get, update } from '#server/use-cases/accounts/companies.ts'

export const companies: Handler[] = [
  useCaseHandler(getCompany, get),
  useCaseHandler(updateCompany, update),
  procedureHandler(listCompanies, async ({ app }, { query }) => ({ body: await findCompanies(app, query) })),
]
