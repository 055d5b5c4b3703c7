import {
  changePassword,
  deleteSealKeys,
  getSettings,
  getSetup,
  getUser,
  hideSetup,
  updateOwnUser,
} from '#contract/accounts.ts'
import type { HttpContext } from '#server/http/http-context.ts'
import { requireCaller } from '#server/http/authenticate.ts'
import { createProcedureHandler, type EndpointHandler, createUseCaseHandler } from '#server/http/route-handler.ts'
import { changeOwnUser, createSettingsUseCase, readUser } from '#server/use-cases/accounts/own-account.ts'
import { readSetup, storeSetupHidden } from '#server/use-cases/accounts/setup.ts'
import { forgetSealKeys } from '#server/use-cases/sessions/seal-key.ts'
import { changeOwnPassword } from '#server/use-cases/accounts/change-password.ts'

export const createAccountHandlers = ({ build }: Pick<HttpContext, 'build'>): EndpointHandler[] => [
  createUseCaseHandler(getUser, readUser),
  createProcedureHandler(deleteSealKeys, async ({ app, principal }, { query }) => {
    await forgetSealKeys(app, requireCaller(principal), query.ids)
    return { body: null }
  }),
  createUseCaseHandler(updateOwnUser, changeOwnUser),
  createUseCaseHandler(getSettings, createSettingsUseCase(build.build)),
  createProcedureHandler(getSetup, async ({ app, principal }) => ({
    body: await readSetup(app, requireCaller(principal)),
  })),
  createUseCaseHandler(hideSetup, storeSetupHidden),
  createProcedureHandler(changePassword, async ({ app, principal, address, requestId }, { body }) => {
    const { orgPwd: oldPassword, newPwd: newPassword } = body
    const change = { originalPassword: oldPassword, newPassword, sessionId: principal.sessionId, address, requestId }
    await changeOwnPassword(app, requireCaller(principal), change)
    return { body: null }
  }),
]
