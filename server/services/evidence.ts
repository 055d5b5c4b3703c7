/**
 * What is given to prove oneself. Looked at outside a transaction, because it takes long or needs the browser's words checked;
 * taken inside one, by a statement of which only one of two at once succeeds.
 */
import { factorsOf, spendRecoveryCode, takeCounter, takeStep } from '#server/db/factors.ts'
import { inScope } from '#server/db/scope.ts'
import type { Handle, House } from '#server/house.ts'
import { invalid } from '#server/problem.ts'
import { openSecret } from '#server/services/factor-secrets.ts'
import { verifyPassword } from '#server/services/hashing.ts'
import { checkAssertion } from '#server/services/passkeys.ts'
import type { Held } from '#server/services/proofs.ts'
import { hashRecoveryCode } from '#server/services/recovery-codes.ts'
import { stepOf } from '#server/services/totp.ts'

export type Evidence = { [M in 'password' | 'otp' | 'assertion' | 'recovery_code']?: string | undefined }

export interface Weighed {
  by: 'password' | 'totp' | 'passkey' | 'recovery code'
  /** Whether it was good, and is used up now. */
  take(db: Handle): Promise<boolean>
}

/** Null: it is wrong. Throws VALIDATION_ERROR where nothing is given. */
export async function weigh(house: House, held: Held, given: Evidence, now: number): Promise<Weighed | null> {
  const { userId } = held.who
  if (given.recovery_code) {
    const hash = hashRecoveryCode(userId, given.recovery_code)
    return { by: 'recovery code', take: (db) => spendRecoveryCode(db, userId, hash, now) }
  }
  if (given.otp) return weighCode(house, userId, given.otp, now)
  if (given.assertion) return weighAssertion(house, held, given.assertion, now)
  if (!given.password) throw invalid([{ field: 'otp', code: 'REQUIRED' }])
  const fits = await verifyPassword(held.passwordHash, given.password, house.config.argon2)
  // That it is still the password is asked with the proof's own lock.
  return fits ? { by: 'password', take: async () => true } : null
}

const readFactors = (house: House, userId: number) =>
  inScope(house, { role: 'portal_system' }, (db) => factorsOf(db, userId))

async function weighCode(house: House, userId: number, code: string, now: number): Promise<Weighed | null> {
  for (const factor of await readFactors(house, userId)) {
    const secret = factor.secret === null ? null : openSecret(house.config, userId, factor.secret)
    const step = secret === null ? null : stepOf(secret, code, now)
    if (step !== null) return { by: 'totp', take: (db) => takeStep(db, factor.id, step, now) }
  }
  return null
}

async function weighAssertion(house: House, held: Held, assertion: string, now: number): Promise<Weighed | null> {
  const factors = await readFactors(house, held.who.userId)
  const { challenge } = held.proof
  const signed = await checkAssertion(house.config, factors, { assertion, challenge })
  return signed && { by: 'passkey', take: (db) => takeCounter(db, signed.factorId, signed.counter, now) }
}
