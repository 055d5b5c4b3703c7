/** The own company's profile. */
import { getCompany, updateCompany } from '#contract/accounts.ts'
import { type Handler, handle } from '#server/routes/handlers.ts'
import { get, update } from '#server/services/companies.ts'

export const companies: Handler[] = [handle(getCompany, get), handle(updateCompany, update)]
