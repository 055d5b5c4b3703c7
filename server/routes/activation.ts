/** Links of mails, before there is a session. */
import { activateUser, checkActivation } from '#contract/visitors.ts'
import { conduct, type Handler } from '#server/routes/handlers.ts'
import { activateAccount, whoActivates } from '#server/services/activation.ts'

export const activation: Handler[] = [
  conduct(checkActivation, async ({ house }, { query }) => {
    const { passwordHash } = await whoActivates(house, query.otk)
    return { body: { code: passwordHash === null ? 'SET_PASSWORD' : 'OK' } as const }
  }),

  conduct(activateUser, async ({ house, requestId }, { body }) => {
    await activateAccount(house, { key: body.otk, password: body.password, requestId })
    return { body: { code: 'ACTIVATE_OK' } as const }
  }),
]
