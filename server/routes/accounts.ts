/** The own account. */
import { changePassword, deleteSealKeys, getSettings, getUser, updateOwnUser } from '#contract/accounts.ts'
import type { HttpContext } from '#server/http/context.ts'
import { requireCaller } from '#server/http/authenticate.ts'
import { procedureHandler, type Handler, useCaseHandler } from '#server/http/route-handler.ts'
import { changeOwn, settings, user } from '#server/use-cases/accounts/own-account.ts'
import { forgetSealKeys } from '#server/use-cases/sessions/seal-key.ts'
import { changeOwnPassword } from '#server/use-cases/accounts/change-password.ts'

export const accounts = ({ build }: Pick<HttpContext, 'build'>): Handler[] => [
  useCaseHandler(getUser, user),
  procedureHandler(deleteSealKeys, async ({ app, principal }, { query }) => {
    await forgetSealKeys(app, requireCaller(principal), query.ids)
    return { body: null }
  }),
  useCaseHandler(updateOwnUser, changeOwn),
  useCaseHandler(getSettings, settings(build.build)),
  procedureHandler(changePassword, async ({ app, principal, address, requestId }, { body }) => {
    const { orgPwd: original, newPwd: chosen } = body
    const asked = { original, chosen, sessionId: principal.sessionId, address, requestId }
    await changeOwnPassword(app, requireCaller(principal), asked)
    return { body: null }
  }),
]
