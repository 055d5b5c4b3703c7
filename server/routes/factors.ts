/** The second factor: of who is signed in, and the first one of who is about to be. */
import {
  addFactor,
  addFirstFactor,
  beginProof,
  confirmPassword,
  getFactors,
  getUserFactors,
  proveSelf,
  removeFactor,
  renameFactor,
  renewRecoveryCodes,
  requireFactor,
  resetUserFactors,
  setUpFactor,
  setUpFirstFactor,
} from '#contract/factors.ts'
import { requireCaller } from '#server/http/authenticate.ts'
import { procedureHandler, type Handler, useCaseHandler, type RequestContext } from '#server/http/route-handler.ts'
import { add, setUp } from '#server/use-cases/factors/set-up-factor.ts'
import {
  type Asking,
  beginChange,
  factors as read,
  prove,
  remove,
  rename,
  renewCodes,
  requireOfCompany,
  type User,
} from '#server/use-cases/factors/factors.ts'
import { factorsOfColleague, resetColleague } from '#server/use-cases/factors/reset-factors.ts'
import { confirmPassword as giveAgain } from '#server/use-cases/sessions/step-up.ts'

const userOf = ({ principal }: RequestContext): User => ({
  kind: 'user',
  userId: requireCaller(principal).userId,
  sessionId: principal.sessionId,
})
const byUser = (visit: RequestContext, token: string): Asking => ({ ...visit, holder: userOf(visit), token })
const byStranger = (visit: RequestContext, token: string): Asking => ({ ...visit, holder: { kind: 'stranger' }, token })

export const factors: Handler[] = [
  useCaseHandler(getFactors, read),

  procedureHandler(beginProof, async (visit) => ({ body: await beginChange(visit.app, userOf(visit)) })),

  procedureHandler(proveSelf, async (visit, { body: { mfa_token, ...given } }) => {
    await prove(visit.app, byUser(visit, mfa_token), given)
    return { body: null }
  }),

  procedureHandler(confirmPassword, async (visit, { body }) => {
    await giveAgain(visit.app, userOf(visit), visit, body.password)
    return { body: null }
  }),

  procedureHandler(setUpFactor, async (visit, { body }) => ({
    body: await setUp(visit.app, byUser(visit, body.mfa_token), body.kind),
  })),

  procedureHandler(addFactor, async (visit, { body }) => ({
    body: { recovery_codes: await add(visit.app, byUser(visit, body.mfa_token), body) },
  })),

  procedureHandler(removeFactor, async (visit, { body }) => {
    await remove(visit.app, byUser(visit, body.mfa_token), body.id)
    return { body: null }
  }),

  procedureHandler(renameFactor, async (visit, { body }) => {
    await rename(visit.app, { holder: userOf(visit), requestId: visit.requestId }, body)
    return { body: null }
  }),

  procedureHandler(renewRecoveryCodes, async (visit, { body }) => ({
    body: { recovery_codes: await renewCodes(visit.app, byUser(visit, body.mfa_token)) },
  })),

  procedureHandler(requireFactor, async (visit, { body }) => {
    await requireOfCompany(visit.app, byUser(visit, body.mfa_token), body.required)
    return { body: null }
  }),

  useCaseHandler(getUserFactors, factorsOfColleague),

  procedureHandler(resetUserFactors, async (visit, { params: { id }, body }) => {
    await resetColleague(visit.app, byUser(visit, body.mfa_token), { caller: requireCaller(visit.principal), id })
    return { body: null }
  }),

  procedureHandler(setUpFirstFactor, async (visit, { body }) => ({
    body: await setUp(visit.app, byStranger(visit, body.mfa_token), body.kind),
  })),

  procedureHandler(addFirstFactor, async (visit, { body }) => ({
    body: { recovery_codes: await add(visit.app, byStranger(visit, body.mfa_token), body) },
  })),
]
