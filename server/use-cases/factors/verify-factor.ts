/**
 * What is given to prove oneself. Looked at outside a transaction, because it takes long or needs the browser's words checked;
 * taken inside one, by a statement of which only one of two at once succeeds.
 */
import { factorsOf, spendRecoveryCode, takeCounter, takeStep } from '#server/db/accounts/factors.ts'
import type { Handle } from '#server/db/handle.ts'
import { inTransaction } from '#server/db/transaction.ts'
import type { AppContext } from '#server/context/context.ts'
import { invalid } from '#server/problems/problem-error.ts'
import { openSecret } from '#server/use-cases/factors/factor-secrets.ts'
import type { Place } from '#server/use-cases/hashing-queue.ts'
import { verifyPassword } from '#server/use-cases/accounts/password-hash.ts'
import { checkAssertion } from '#server/use-cases/factors/passkeys.ts'
import type { Held } from '#server/use-cases/factors/mfa-token.ts'
import { hashRecoveryCode } from '#server/use-cases/factors/recovery-codes.ts'
import { stepOf } from '#server/use-cases/factors/totp.ts'

export type Evidence = { [M in 'password' | 'otp' | 'assertion' | 'recovery_code']?: string | undefined }

export interface VerifiedFactor {
  by: 'password' | 'totp' | 'passkey' | 'recovery code'
  /** Whether it was good, and is used up now. */
  take(db: Handle): Promise<boolean>
}

/** Null: it is wrong. Throws VALIDATION_ERROR where nothing is given. `place`: a password is looked at only in one. */
export async function verify(
  app: AppContext,
  held: Held,
  given: Evidence,
  { now, place }: { now: number; place: Place | null },
): Promise<VerifiedFactor | null> {
  const { userId } = held.who
  if (given.recovery_code) {
    const hash = hashRecoveryCode(userId, given.recovery_code)
    return { by: 'recovery code', take: (db) => spendRecoveryCode(db, userId, hash, now) }
  }
  if (given.otp) return weighCode(app, userId, given.otp, now)
  if (given.assertion) return weighAssertion(app, held, given.assertion, now)
  if (!given.password || !place) throw invalid([{ field: 'otp', code: 'REQUIRED' }])
  const fits = await verifyPassword(held.passwordHash, given.password, { cost: app.config.argon2, place })
  // That it is still the password is asked with the proof's own lock.
  return fits ? { by: 'password', take: async () => true } : null
}

const readFactors = (app: AppContext, userId: number) =>
  inTransaction(app, { role: 'portal_system' }, (db) => factorsOf(db, userId))

async function weighCode(app: AppContext, userId: number, code: string, now: number): Promise<VerifiedFactor | null> {
  for (const factor of await readFactors(app, userId)) {
    const secret = factor.secret === null ? null : openSecret(app.config, userId, factor.secret)
    const step = secret === null ? null : stepOf(secret, code, now)
    if (step !== null) return { by: 'totp', take: (db) => takeStep(db, factor.id, step, now) }
  }
  return null
}

async function weighAssertion(
  app: AppContext,
  held: Held,
  assertion: string,
  now: number,
): Promise<VerifiedFactor | null> {
  const factors = await readFactors(app, held.who.userId)
  const { challenge } = held.proof
  const signed = await checkAssertion(app.config, factors, { assertion, challenge })
  return signed && { by: 'passkey', take: (db) => takeCounter(db, signed.factorId, signed.counter, now) }
}
