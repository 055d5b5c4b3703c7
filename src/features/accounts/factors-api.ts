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
  type Method,
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
import type { Result } from '#request/results.ts'
import { idle } from '#state/request-status.ts'
import { signedIn } from '#state/session-slice.ts'
import { languageNow } from '#ui/i18n/i18n.ts'
import type { AppThunk } from '#state/app-thunk.ts'
import type { SecondFactor } from '#state/store.ts'
import { loginAnswered } from '#features/accounts/slice.ts'
import { reached } from '#features/accounts/retry-after.ts'

export type Own = OutputOf<typeof getFactors>
export type Proving = Pick<SecondStep, 'mfa_token' | 'methods' | 'passkey'>
/** One of the methods, by its field's name. */
export type Given = Partial<Record<Method, string>>

/** The second step of the sign-in; without anything given where the factor was set up just now. */
export const enterWith =
  (proof: SecondFactor): AppThunk<Result<unknown>> =>
  async (dispatch, _, { enter }) => {
    const result = await reached(async () => enter({ ...proof, language: languageNow() }))
    if (result.kind === 'fresh') {
      dispatch(loginAnswered(idle))
      dispatch(signedIn(result.output.user))
    }
    return result
  }

export const readOwnFactors =
  (): AppThunk<Result<Own>> =>
  async (_dispatch, _state, { api }) =>
    api.call(getFactors, {})

/** How many second factors a colleague has. */
export const readFactorsOf =
  (id: number): AppThunk<Result<OutputOf<typeof getUserFactors>>> =>
  async (_dispatch, _state, { api }) =>
    api.call(getUserFactors, { params: { id } })

export const begin =
  (): AppThunk<Result<Proving>> =>
  async (_dispatch, _state, { api }) =>
    api.call(beginProof, {})

export const prove =
  (mfa_token: string, given: Given): AppThunk<Result<unknown>> =>
  async (_dispatch, _state, { api }) =>
    api.call(proveSelf, { body: { mfa_token, ...given } })

/** `first`: during the sign-in, by its token alone. */
export interface Setting {
  mfa_token: string
  first: boolean
}

export const setUp =
  ({ mfa_token, first }: Setting, kind: FactorKind): AppThunk<Result<OutputOf<typeof setUpFactor>>> =>
  async (_dispatch, _state, { api }) =>
    api.call(first ? setUpFirstFactor : setUpFactor, { body: { mfa_token, kind } })

export interface Made {
  kind: FactorKind
  name: string
  otp?: string
  attestation?: string
}

export const add =
  ({ mfa_token, first }: Setting, made: Made): AppThunk<Result<OutputOf<typeof addFactor>>> =>
  async (_dispatch, _state, { api }) =>
    api.call(first ? addFirstFactor : addFactor, { body: { mfa_token, ...made } })

export const rename =
  (id: number, name: string): AppThunk<Result<unknown>> =>
  async (_dispatch, _state, { api }) =>
    api.call(renameFactor, { body: { id, name } })

export const remove =
  (mfa_token: string, id: number): AppThunk<Result<unknown>> =>
  async (_dispatch, _state, { api }) =>
    api.call(removeFactor, { body: { mfa_token, id } })

export const renew =
  (mfa_token: string): AppThunk<Result<OutputOf<typeof renewRecoveryCodes>>> =>
  async (_dispatch, _state, { api }) =>
    api.call(renewRecoveryCodes, { body: { mfa_token } })

export const resetColleague =
  (mfa_token: string, id: number): AppThunk<Result<unknown>> =>
  async (_dispatch, _state, { api }) =>
    api.call(resetUserFactors, { params: { id }, body: { mfa_token } })

export const requireOfAll =
  (mfa_token: string, required: boolean): AppThunk<Result<unknown>> =>
  async (_dispatch, _state, { api }) =>
    api.call(requireFactor, { body: { mfa_token, required } })
