import { activateUser, checkActivation } from '#contract/public.ts'
import { createProcedureHandler, type EndpointHandler } from '#server/http/route-handler.ts'
import { activateAccount, readActivationCredential } from '#server/use-cases/accounts/activate-account.ts'

export const activationHandlers: EndpointHandler[] = [
  createProcedureHandler(checkActivation, async ({ app }, { query }) => {
    const { passwordHash } = await readActivationCredential(app, query.otk)
    return { body: { code: passwordHash === null ? 'SET_PASSWORD' : 'OK' } as const }
  }),

  createProcedureHandler(activateUser, async ({ app, requestId }, { body }) => {
    await activateAccount(app, { key: body.otk, password: body.password, requestId })
    return { body: { code: 'ACTIVATE_OK' } as const }
  }),
]
