/** Existence queries. */
import { codeExists, fieldExists, orderExists, userExists } from '#contract/accounts.ts'
import { callerOf } from '#server/http/session.ts'
import { conduct, type Handler, handle } from '#server/routes/handlers.ts'
import { fieldWithValue } from '#server/services/field-query.ts'
import { isCodeTaken, openCodes, orderWithCode, userWithEmail } from '#server/services/queries.ts'

export const queries: Handler[] = [
  conduct(codeExists, async ({ house, visitor }, { query }) => {
    if (!openCodes.includes(query.resource)) callerOf(visitor)
    return { body: await isCodeTaken(house, query.resource, query.code) }
  }),
  handle(userExists, userWithEmail),
  handle(orderExists, orderWithCode),
  handle(fieldExists, fieldWithValue),
]
