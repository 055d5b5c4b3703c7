/** Requires the password again before the most dangerous actions, if the operator enabled that (S-48). */
import type { Endpoint } from '#contract/endpoint.ts'
import { hasProofSince } from '#server/db/accounts/mfa-tokens.ts'
import { writeAsSystem } from '#server/db/transaction.ts'
import type { AppContext } from '#server/context/context.ts'
import {
  type FactorRequest,
  startFactorChange,
  proveIdentity,
  type SignedInHolder,
} from '#server/use-cases/factors/factors.ts'

/** Maximum time from the password to the call, in ms. */
export const stepUpLifetimeMs = 5 * 60_000

/** Checks the password and records that for the session. Throws MFA_INVALID and RATE_LIMITED, as for every guess at a password. */
export async function confirmStepUp(
  app: AppContext,
  user: SignedInHolder,
  { address, requestId }: Pick<FactorRequest, 'address' | 'requestId'>,
  password: string,
): Promise<void> {
  const { mfa_token } = await startFactorChange(app, user)
  await proveIdentity(app, { holder: user, token: mfa_token, address, requestId }, { password })
}

/**
 * Whether the user has proven their identity recently enough for this call, with the password or a factor. True if the call does not need
 * it.
 */
export async function hasStepUp(
  app: AppContext,
  { stepUp }: Endpoint,
  input: unknown,
  sessionId: string | null,
): Promise<boolean> {
  // The endpoint's own function knows the type of its input; here it is untyped, hence the cast.
  const canNeed = stepUp === 'row' || stepUp?.(input as never)
  if (!app.config.stepUp || !canNeed) return true
  if (sessionId === null) return false
  const since = app.clock() - stepUpLifetimeMs
  return await writeAsSystem(app, (db) => hasProofSince(db, sessionId, since))
}
