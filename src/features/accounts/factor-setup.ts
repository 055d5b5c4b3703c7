import { addFactor, addFirstFactor, setUpFactor, setUpFirstFactor } from '#contract/factors.ts'
import type { OutputOf } from '#contract/endpoint.ts'
import type { CallResult } from '#request/call-results.ts'
import { type AppThunk, callEndpoint } from '#state/app-thunk.ts'
import { createPasskey } from '#features/accounts/passkeys.ts'

/** `isFirst`: the first factor is set up during the sign-in. There is no session yet, so the calls only need the token. */
export interface FactorSetup {
  mfa_token: string
  isFirst: boolean
}

export const getSetupEndpoints = (isFirst: boolean) =>
  isFirst ? { begin: setUpFirstFactor, add: addFirstFactor } : { begin: setUpFactor, add: addFactor }

/** `refused`: the user closed the dialog, or it timed out. `known`: this device already has a passkey. */
type PasskeySetupResult = OutputOf<typeof addFactor> | { failure: 'refused' | 'known' }

export const addPasskey =
  ({ mfa_token, isFirst }: FactorSetup, name: string): AppThunk<CallResult<PasskeySetupResult>> =>
  async (dispatch) => {
    const { begin, add } = getSetupEndpoints(isFirst)
    const setupResult = await dispatch(callEndpoint(begin, { body: { mfa_token, kind: 'passkey' } }))
    if (setupResult.kind === 'problem') return setupResult
    const passkey = await createPasskey((setupResult.kind === 'fresh' && setupResult.output.passkey) || {})
    if (passkey.kind !== 'answered') return { kind: 'fresh', output: { failure: passkey.kind } }
    return await dispatch(
      callEndpoint(add, { body: { mfa_token, kind: 'passkey', name, attestation: passkey.response } }),
    )
  }
