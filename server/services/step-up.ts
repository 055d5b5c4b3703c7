/** The password once more before what is most dangerous, where the operator turned that on (S-48). */
import type { Endpoint } from '#contract/endpoint.ts'
import { provenSince } from '#server/db/proofs.ts'
import { inScope } from '#server/db/scope.ts'
import type { House } from '#server/house.ts'
import { type Asking, beginChange, prove, type User } from '#server/services/factors.ts'

/** In ms, from the password to the call. */
export const freshMs = 5 * 60_000

/** Throws MFA_INVALID and RATE_LIMITED, as every guess at a password. */
export async function confirmPassword(
  house: House,
  user: User,
  { address, requestId }: Pick<Asking, 'address' | 'requestId'>,
  password: string,
): Promise<void> {
  const { mfa_token } = await beginChange(house, user)
  await prove(house, { holder: user, token: mfa_token, address, requestId }, { password })
}

/** Whether this call has to wait for the password. */
export async function needsPassword(
  house: House,
  { stepUp }: Endpoint,
  input: unknown,
  sessionId: string | null,
): Promise<boolean> {
  // The endpoint's own function knows its input; here it is only data.
  if (!house.config.stepUp || !stepUp?.(input as never)) return false
  if (sessionId === null) return true
  const since = house.clock() - freshMs
  return !(await inScope(house, { role: 'portal_system' }, (db) => provenSince(db, sessionId, since)))
}
