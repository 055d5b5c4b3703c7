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
import {
  createProcedureHandler,
  type EndpointHandler,
  createUseCaseHandler,
  type RequestContext,
} from '#server/http/route-handler.ts'
import { finishFactorSetUp, beginFactorSetUp } from '#server/use-cases/factors/set-up-factor.ts'
import {
  type FactorRequest,
  startFactorChange,
  readFactors,
  proveIdentity,
  deleteOwnFactor,
  renameOwnFactor,
  issueNewRecoveryCodes,
  setCompanyRequirement,
  type SignedInHolder,
} from '#server/use-cases/factors/factors.ts'
import { readColleagueFactors, resetColleagueFactors } from '#server/use-cases/factors/reset-factors.ts'
import { confirmStepUp as confirmWithPassword } from '#server/use-cases/sessions/step-up.ts'

const getFactorUser = ({ principal }: RequestContext): SignedInHolder => ({
  kind: 'user',
  userId: requireCaller(principal).userId,
  sessionId: principal.sessionId,
})
const toUserRequest = (context: RequestContext, token: string): FactorRequest => ({
  ...context,
  holder: getFactorUser(context),
  token,
})
const toAnonymousRequest = (context: RequestContext, token: string): FactorRequest => ({
  ...context,
  holder: { kind: 'anonymous' },
  token,
})

export const factorHandlers: EndpointHandler[] = [
  createUseCaseHandler(getFactors, readFactors),

  createProcedureHandler(beginProof, async (context) => ({
    body: await startFactorChange(context.app, getFactorUser(context)),
  })),

  createProcedureHandler(proveSelf, async (context, { body: { mfa_token, ...proof } }) => {
    await proveIdentity(context.app, toUserRequest(context, mfa_token), proof)
    return { body: null }
  }),

  createProcedureHandler(confirmPassword, async (context, { body }) => {
    await confirmWithPassword(context.app, getFactorUser(context), context, body.password)
    return { body: null }
  }),

  createProcedureHandler(setUpFactor, async (context, { body }) => ({
    body: await beginFactorSetUp(context.app, toUserRequest(context, body.mfa_token), body.kind),
  })),

  createProcedureHandler(addFactor, async (context, { body }) => ({
    body: { recovery_codes: await finishFactorSetUp(context.app, toUserRequest(context, body.mfa_token), body) },
  })),

  createProcedureHandler(removeFactor, async (context, { body }) => {
    await deleteOwnFactor(context.app, toUserRequest(context, body.mfa_token), body.id)
    return { body: null }
  }),

  createProcedureHandler(renameFactor, async (context, { body }) => {
    await renameOwnFactor(context.app, { holder: getFactorUser(context), requestId: context.requestId }, body)
    return { body: null }
  }),

  createProcedureHandler(renewRecoveryCodes, async (context, { body }) => ({
    body: { recovery_codes: await issueNewRecoveryCodes(context.app, toUserRequest(context, body.mfa_token)) },
  })),

  createProcedureHandler(requireFactor, async (context, { body }) => {
    await setCompanyRequirement(context.app, toUserRequest(context, body.mfa_token), body.required)
    return { body: null }
  }),

  createUseCaseHandler(getUserFactors, readColleagueFactors),

  createProcedureHandler(resetUserFactors, async (context, { params: { id }, body }) => {
    await resetColleagueFactors(context.app, toUserRequest(context, body.mfa_token), {
      caller: requireCaller(context.principal),
      id,
    })
    return { body: null }
  }),

  createProcedureHandler(setUpFirstFactor, async (context, { body }) => ({
    body: await beginFactorSetUp(context.app, toAnonymousRequest(context, body.mfa_token), body.kind),
  })),

  createProcedureHandler(addFirstFactor, async (context, { body }) => ({
    body: { recovery_codes: await finishFactorSetUp(context.app, toAnonymousRequest(context, body.mfa_token), body) },
  })),
]
