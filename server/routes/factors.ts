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
import { callerOf } from '#server/http/session.ts'
import { conduct, type Handler, handle, type Visit } from '#server/routes/handlers.ts'
import { add, setUp } from '#server/services/factor-setup.ts'
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
} from '#server/services/factors.ts'
import { factorsOfColleague, resetColleague } from '#server/services/lost-factors.ts'
import { confirmPassword as giveAgain } from '#server/services/step-up.ts'

const userOf = ({ visitor }: Visit): User => ({
  is: 'user',
  userId: callerOf(visitor).userId,
  sessionId: visitor.sessionId,
})
const byUser = (visit: Visit, token: string): Asking => ({ ...visit, holder: userOf(visit), token })
const byStranger = (visit: Visit, token: string): Asking => ({ ...visit, holder: { is: 'stranger' }, token })

export const factors: Handler[] = [
  handle(getFactors, read),

  conduct(beginProof, async (visit) => ({ body: await beginChange(visit.house, userOf(visit)) })),

  conduct(proveSelf, async (visit, { body: { mfa_token, ...given } }) => {
    await prove(visit.house, byUser(visit, mfa_token), given)
    return { body: null }
  }),

  conduct(confirmPassword, async (visit, { body }) => {
    await giveAgain(visit.house, userOf(visit), visit, body.password)
    return { body: null }
  }),

  conduct(setUpFactor, async (visit, { body }) => ({
    body: await setUp(visit.house, byUser(visit, body.mfa_token), body.kind),
  })),

  conduct(addFactor, async (visit, { body }) => ({
    body: { recovery_codes: await add(visit.house, byUser(visit, body.mfa_token), body) },
  })),

  conduct(removeFactor, async (visit, { body }) => {
    await remove(visit.house, byUser(visit, body.mfa_token), body.id)
    return { body: null }
  }),

  conduct(renameFactor, async (visit, { body }) => {
    await rename(visit.house, { holder: userOf(visit), requestId: visit.requestId }, body)
    return { body: null }
  }),

  conduct(renewRecoveryCodes, async (visit, { body }) => ({
    body: { recovery_codes: await renewCodes(visit.house, byUser(visit, body.mfa_token)) },
  })),

  conduct(requireFactor, async (visit, { body }) => {
    await requireOfCompany(visit.house, byUser(visit, body.mfa_token), body.required)
    return { body: null }
  }),

  handle(getUserFactors, factorsOfColleague),

  conduct(resetUserFactors, async (visit, { params: { id }, body }) => {
    await resetColleague(visit.house, byUser(visit, body.mfa_token), { caller: callerOf(visit.visitor), id })
    return { body: null }
  }),

  conduct(setUpFirstFactor, async (visit, { body }) => ({
    body: await setUp(visit.house, byStranger(visit, body.mfa_token), body.kind),
  })),

  conduct(addFirstFactor, async (visit, { body }) => ({
    body: { recovery_codes: await add(visit.house, byStranger(visit, body.mfa_token), body) },
  })),
]
