/** Links of mails, before there is a session. */
import { activateUser, checkActivation } from '#contract/public.ts'
import { procedureHandler, type Handler } from '#server/http/route-handler.ts'
import { activateAccount, whoActivates } from '#server/use-cases/accounts/activate-account.ts'

export const activation: Handler[] = [
  procedureHandler(checkActivation, async ({ app }, { query }) => {
    const { passwordHash } = await whoActivates(app, query.otk)
    return { body: { code: passwordHash === null ? 'SET_PASSWORD' : 'OK' } as const }
  }),

  procedureHandler(activateUser, async ({ app, requestId }, { body }) => {
    await activateAccount(app, { key: body.otk, password: body.password, requestId })
    return { body: { code: 'ACTIVATE_OK' } as const }
  }),
]
