/** Existence queries. */
import { codeExists, fieldExists, orderExists, userExists } from '#contract/accounts.ts'
import { requireCaller } from '#server/http/authenticate.ts'
import { procedureHandler, type Handler, useCaseHandler } from '#server/http/route-handler.ts'
import { fieldWithValue } from '#server/use-cases/accounts/field-exists.ts'
import { isCodeTaken, openCodes, orderWithCode, userWithEmail } from '#server/use-cases/accounts/code-exists.ts'

export const queries: Handler[] = [
  procedureHandler(codeExists, async ({ app, principal }, { query }) => {
    const caller = openCodes.includes(query.resource) ? null : requireCaller(principal)
    return { body: await isCodeTaken(app, caller, query) }
  }),
  useCaseHandler(userExists, userWithEmail),
  useCaseHandler(orderExists, orderWithCode),
  useCaseHandler(fieldExists, fieldWithValue),
]
