/** The own account. */
import { changePassword, getSettings, getUser, updateOwnUser } from '#contract/accounts.ts'
import type { Premises } from '#server/http/premises.ts'
import { callerOf } from '#server/http/session.ts'
import { conduct, type Handler, handle } from '#server/routes/handlers.ts'
import { changeOwn, settings, user } from '#server/services/accounts.ts'
import { changeOwnPassword } from '#server/services/password-change.ts'

export const accounts = ({ build }: Pick<Premises, 'build'>): Handler[] => [
  handle(getUser, user),
  handle(updateOwnUser, changeOwn),
  handle(getSettings, settings(build.build)),
  conduct(changePassword, async ({ house, visitor, address, requestId }, { body }) => {
    const { orgPwd: original, newPwd: chosen } = body
    const asked = { original, chosen, sessionId: visitor.sessionId, address, requestId }
    await changeOwnPassword(house, callerOf(visitor), asked)
    return { body: null }
  }),
]
