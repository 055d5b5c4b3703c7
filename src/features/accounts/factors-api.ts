/**
 * The second factor's asking. Nothing of it goes through the store: what is given here is secret, and what is shown is shown
 * once. Every answer comes back to the form that asked.
 */
import {
  addFactor,
  addFirstFactor,
  beginProof,
  type FactorKind,
  getFactors,
  getUserFactors,
  type ProofMethod,
  proveSelf,
  removeFactor,
  renameFactor,
  renewRecoveryCodes,
  requireFactor,
  resetUserFactors,
  type SecondStep,
  setUpFactor,
  setUpFirstFactor,
} from '#contract/factors.ts'
import type { OutputOf } from '#contract/endpoint.ts'
import type { CallResult } from '#request/call-results.ts'
import { idleStatus } from '#state/request-status.ts'
import { signedIn } from '#state/session-slice.ts'
import { getLanguage } from '#ui/i18n/messages.ts'
import type { AppThunk } from '#state/app-thunk.ts'
import type { LoginSecondFactor } from '#state/store.ts'
import { loginAnswered } from '#features/accounts/slice.ts'
import { catchUnreachable } from '#features/accounts/retry-after.ts'

export type OwnFactors = OutputOf<typeof getFactors>
export type IdentityChallenge = Pick<SecondStep, 'mfa_token' | 'methods' | 'passkey'>
/** One of the methods, by its field's name. */
export type IdentityProof = Partial<Record<ProofMethod, string>>

/** The second step of the sign-in; without anything given where the factor was set up just now. */
export const signInWithFactor =
  (proof: LoginSecondFactor): AppThunk<CallResult<unknown>> =>
  async (dispatch, _, { signIn: enter }) => {
    const result = await catchUnreachable(async () => enter({ ...proof, language: getLanguage() }))
    if (result.kind === 'fresh') {
      dispatch(loginAnswered(idleStatus))
      dispatch(signedIn(result.output.user))
    }
    return result
  }

export const readOwnFactors =
  (): AppThunk<CallResult<OwnFactors>> =>
  async (_dispatch, _state, { api }) =>
    api.call(getFactors, {})

/** How many second factors a colleague has. */
export const readUserFactors =
  (id: number): AppThunk<CallResult<OutputOf<typeof getUserFactors>>> =>
  async (_dispatch, _state, { api }) =>
    api.call(getUserFactors, { params: { id } })

export const startProof =
  (): AppThunk<CallResult<IdentityChallenge>> =>
  async (_dispatch, _state, { api }) =>
    api.call(beginProof, {})

export const sendProof =
  (mfa_token: string, proof: IdentityProof): AppThunk<CallResult<unknown>> =>
  async (_dispatch, _state, { api }) =>
    api.call(proveSelf, { body: { mfa_token, ...proof } })

/** `isFirst`: during the sign-in, by its token alone. */
export interface FactorSetup {
  mfa_token: string
  isFirst: boolean
}

export const startFactorSetup =
  ({ mfa_token, isFirst }: FactorSetup, kind: FactorKind): AppThunk<CallResult<OutputOf<typeof setUpFactor>>> =>
  async (_dispatch, _state, { api }) =>
    api.call(isFirst ? setUpFirstFactor : setUpFactor, { body: { mfa_token, kind } })

export interface NewFactor {
  kind: FactorKind
  name: string
  otp?: string
  attestation?: string
}

export const saveFactor =
  ({ mfa_token, isFirst }: FactorSetup, newFactor: NewFactor): AppThunk<CallResult<OutputOf<typeof addFactor>>> =>
  async (_dispatch, _state, { api }) =>
    api.call(isFirst ? addFirstFactor : addFactor, { body: { mfa_token, ...newFactor } })

export const changeFactorName =
  (id: number, name: string): AppThunk<CallResult<unknown>> =>
  async (_dispatch, _state, { api }) =>
    api.call(renameFactor, { body: { id, name } })

export const deleteFactor =
  (mfa_token: string, id: number): AppThunk<CallResult<unknown>> =>
  async (_dispatch, _state, { api }) =>
    api.call(removeFactor, { body: { mfa_token, id } })

export const createRecoveryCodes =
  (mfa_token: string): AppThunk<CallResult<OutputOf<typeof renewRecoveryCodes>>> =>
  async (_dispatch, _state, { api }) =>
    api.call(renewRecoveryCodes, { body: { mfa_token } })

export const resetColleagueFactors =
  (mfa_token: string, id: number): AppThunk<CallResult<unknown>> =>
  async (_dispatch, _state, { api }) =>
    api.call(resetUserFactors, { params: { id }, body: { mfa_token } })

export const requireForCompany =
  (mfa_token: string, isRequired: boolean): AppThunk<CallResult<unknown>> =>
  async (_dispatch, _state, { api }) =>
    api.call(requireFactor, { body: { mfa_token, required: isRequired } })
