import { codeExists, fieldExists, orderExists, userExists } from '#contract/accounts.ts'
import { requireCaller } from '#server/http/authenticate.ts'
import { createProcedureHandler, type EndpointHandler, createUseCaseHandler } from '#server/http/route-handler.ts'
import { hasFieldWithValue } from '#server/use-cases/accounts/field-exists.ts'
import {
  isCodeTaken,
  publicCodeResources,
  hasOrderWithCode,
  hasUserWithEmail,
} from '#server/use-cases/accounts/code-exists.ts'

export const existenceHandlers: EndpointHandler[] = [
  createProcedureHandler(codeExists, async ({ app, principal }, { query }) => {
    const caller = publicCodeResources.includes(query.resource) ? null : requireCaller(principal)
    return { body: await isCodeTaken(app, caller, query) }
  }),
  createUseCaseHandler(userExists, hasUserWithEmail),
  createUseCaseHandler(orderExists, hasOrderWithCode),
  createUseCaseHandler(fieldExists, hasFieldWithValue),
]
