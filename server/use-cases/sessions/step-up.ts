/** The password once more before what is most dangerous, where the operator turned that on (S-48). */
import type { Endpoint } from '#contract/endpoint.ts'
import { provenSince } from '#server/db/accounts/mfa-tokens.ts'
import { inTransaction } from '#server/db/transaction.ts'
import type { AppContext } from '#server/context/context.ts'
import { type Asking, beginChange, prove, type User } from '#server/use-cases/factors/factors.ts'

/** In ms, from the password to the call. */
export const freshMs = 5 * 60_000

/** Throws MFA_INVALID and RATE_LIMITED, as every guess at a password. */
export async function confirmPassword(
  app: AppContext,
  user: User,
  { address, requestId }: Pick<Asking, 'address' | 'requestId'>,
  password: string,
): Promise<void> {
  const { mfa_token } = await beginChange(app, user)
  await prove(app, { holder: user, token: mfa_token, address, requestId }, { password })
}

/** Whether the password was given lately enough for this call. True where it needs none. */
export async function hasFreshPassword(
  app: AppContext,
  { stepUp }: Endpoint,
  input: unknown,
  sessionId: string | null,
): Promise<boolean> {
  // The endpoint's own function knows its input; here it is only data.
  const mayNeed = stepUp === 'row' || stepUp?.(input as never)
  if (!app.config.stepUp || !mayNeed) return true
  if (sessionId === null) return false
  const since = app.clock() - freshMs
  return await inTransaction(app, { role: 'portal_system' }, (db) => provenSince(db, sessionId, since))
}
