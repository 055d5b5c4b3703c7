/**
 * Verifies a password, factor or recovery code outside of a transaction, because this is slow. `consume` then runs in a transaction. If two
 * requests use the same code at the same time, it returns true for only one of them.
 */
import { listFactors, spendRecoveryCode, claimCounter, claimStep } from '#server/db/accounts/factors.ts'
import type { DatabaseHandle } from '#server/db/database.ts'
import { writeAsSystem } from '#server/db/transaction.ts'
import type { AppContext } from '#server/context/context.ts'
import { createValidationProblem } from '#server/problems/problem-error.ts'
import { openFactorSecret } from '#server/use-cases/factors/factor-secrets.ts'
import type { HashingQueuePosition } from '#server/use-cases/hashing-queue.ts'
import { verifyPassword } from '#server/use-cases/accounts/password-hash.ts'
import { checkPasskeyAssertion } from '#server/use-cases/factors/passkeys.ts'
import type { MfaSession } from '#server/use-cases/factors/mfa-token.ts'
import { hashRecoveryCode } from '#server/use-cases/factors/recovery-codes.ts'
import { findTotpStep } from '#server/use-cases/factors/totp.ts'

export type FactorEvidence = { [M in 'password' | 'otp' | 'assertion' | 'recovery_code']?: string | undefined }

export interface VerifiedFactor {
  method: 'password' | 'totp' | 'passkey' | 'recovery code'
  consume(db: DatabaseHandle): Promise<boolean>
}

/**
 * Returns null for wrong evidence, except for a wrong recovery code, which only `consume` finds. Throws VALIDATION_ERROR if there is no
 * evidence, or no `position` for a password.
 */
export async function verifyFactor(
  app: AppContext,
  session: MfaSession,
  evidence: FactorEvidence,
  { now, position }: { now: number; position: HashingQueuePosition | null },
): Promise<VerifiedFactor | null> {
  const { userId } = session.credential
  if (evidence.recovery_code) {
    const hash = hashRecoveryCode(userId, evidence.recovery_code)
    return { method: 'recovery code', consume: (db) => spendRecoveryCode(db, userId, hash, now) }
  }
  if (evidence.otp) return verifyCode(app, userId, evidence.otp, now)
  if (evidence.assertion) return verifyAssertion(app, session, evidence.assertion, now)
  if (!evidence.password || !position) throw createValidationProblem([{ field: 'otp', code: 'REQUIRED' }])
  const isMatch = await verifyPassword(session.passwordHash, evidence.password, { cost: app.config.argon2, position })
  // Whether the password is still the current one is checked when the MFA token is locked.
  return isMatch ? { method: 'password', consume: async () => true } : null
}

const readFactors = (app: AppContext, userId: number) => writeAsSystem(app, (db) => listFactors(db, userId))

async function verifyCode(app: AppContext, userId: number, code: string, now: number): Promise<VerifiedFactor | null> {
  for (const factor of await readFactors(app, userId)) {
    const secret = factor.secret === null ? null : openFactorSecret(app.config, userId, factor.secret)
    const timeStep = secret === null ? null : findTotpStep(secret, code, now)
    if (timeStep !== null) return { method: 'totp', consume: (db) => claimStep(db, factor.id, timeStep, now) }
  }
  return null
}

async function verifyAssertion(
  app: AppContext,
  session: MfaSession,
  assertion: string,
  now: number,
): Promise<VerifiedFactor | null> {
  const factors = await readFactors(app, session.credential.userId)
  const { challenge } = session.mfaToken
  const signature = await checkPasskeyAssertion(app.config, factors, { assertion, challenge })
  return (
    signature && { method: 'passkey', consume: (db) => claimCounter(db, signature.factorId, signature.counter, now) }
  )
}
