/** The own company's profile; of all companies their names, for the provider's staff. */
import { getCompany, updateCompany } from '#contract/accounts.ts'
import { listCompanies } from '#contract/orders.ts'
import { conduct, type Handler, handle } from '#server/routes/handlers.ts'
import { findCompanies, get, update } from '#server/services/companies.ts'

export const companies: Handler[] = [
  handle(getCompany, get),
  handle(updateCompany, update),
  conduct(listCompanies, async ({ house }, { query }) => ({ body: await findCompanies(house, query) })),
]
