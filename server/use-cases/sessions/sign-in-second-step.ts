/** Runs the second step of a sign-in, with the `mfa_token` of the password step (S-29, S-31). */
import { requestMail } from '#server/use-cases/mail/request-mail.ts'
import { countMail, countFailures } from '#server/db/accounts/sign-in-attempts.ts'
import type { UserCredential } from '#server/db/accounts/credentials.ts'
import { updateMfaToken } from '#server/db/accounts/mfa-tokens.ts'
import { writeAsSystem } from '#server/db/transaction.ts'
import type { AppContext } from '#server/context/context.ts'
import { logSecurityEvent } from '#server/context/log.ts'
import { ProblemError } from '#server/problems/problem-error.ts'
import { isOwnDevice } from '#server/use-cases/sessions/new-device-mail.ts'
import { type FactorEvidence, type VerifiedFactor, verifyFactor } from '#server/use-cases/factors/verify-factor.ts'
import { recordFactorChange } from '#server/use-cases/factors/factor-notices.ts'
import { notifyJobs } from '#server/use-cases/job-requests.ts'
import { type MfaSession, lockMfaToken, readMfaToken } from '#server/use-cases/factors/mfa-token.ts'
import {
  beginSession,
  type SignInClientDevice,
  type SessionGrant,
  finishSignIn,
} from '#server/use-cases/sessions/sign-in.ts'
import {
  getFactorLimits,
  forgiveGuesses,
  freeGuesses,
  getPasskeyLimits,
  reserveGuess,
  type GuessLimits,
} from '#server/use-cases/sessions/sign-in-limits.ts'

const anonymousHolder = { kind: 'anonymous' } as const
const recoveryUsedNote = { mail: 'recovery-used', field: 'recovery code', change: 'used' } as const

interface SecondStepInput {
  token: string
  evidence: FactorEvidence
  olderRefreshToken: string | null
}

/** Throws MFA_EXPIRED, MFA_INVALID for wrong or used evidence, and RATE_LIMITED. */
export async function signInBySecondFactor(
  app: AppContext,
  input: SecondStepInput,
  device: SignInClientDevice,
): Promise<SessionGrant> {
  const now = app.clock()
  const { session, isKnown } = await writeAsSystem(app, async (db) => {
    const mfaSession = await readMfaToken(db, input.token, anonymousHolder, now)
    return { session: mfaSession, isKnown: await isOwnDevice(db, mfaSession.credential.userId, device.cookie) }
  })
  const getLimits = input.evidence.assertion ? getPasskeyLimits : getFactorLimits
  const guessLimits = getLimits(session.credential.userId, { address: device.address, isKnown })
  const verifiedFactor = await verifyEvidence(app, session, { input, guessLimits, device, now })
  const startedSession = await writeAsSystem(app, async (db) => {
    const lockedSession = await lockMfaToken(db, input.token, anonymousHolder, now)
    if (verifiedFactor && !(await verifiedFactor.consume(db))) return null
    await updateMfaToken(db, lockedSession.mfaToken, { done: now })
    if (verifiedFactor) await forgiveGuesses(db, guessLimits, now)
    // A thief may have found the recovery codes, so the owner gets a mail.
    if (verifiedFactor?.method === 'recovery code')
      await recordFactorChange(db, lockedSession.credential, recoveryUsedNote, { now, requestId: device.requestId })
    const factor = verifiedFactor?.method ?? 'set up'
    return beginSession(db, app, lockedSession.credential, {
      olderRefreshToken: input.olderRefreshToken,
      device,
      now,
      factor,
    })
  })
  const eventFields = {
    user: session.credential.userId,
    tenant: session.credential.companyId,
    request: device.requestId,
  }
  if (!startedSession) throw createRefusal(app, eventFields)
  if (verifiedFactor?.method === 'recovery code') {
    notifyJobs(app)
    logSecurityEvent(app.log, 'recovery_code_used', eventFields)
  }
  return finishSignIn(app, session.credential, startedSession, device)
}

interface VerifyContext {
  input: SecondStepInput
  guessLimits: GuessLimits
  device: SignInClientDevice
  now: number
}

/** Counts the guess before it is checked. Returns null if the first factor was set up with this token, which is proof enough. */
async function verifyEvidence(
  app: AppContext,
  session: MfaSession,
  { input, guessLimits, device, now }: VerifyContext,
): Promise<VerifiedFactor | null> {
  const eventFields = {
    user: session.credential.userId,
    tenant: session.credential.companyId,
    request: device.requestId,
  }
  const hasEvidence = Object.values(input.evidence).some(Boolean)
  if (!hasEvidence && session.mfaToken.proven !== null) return null
  try {
    await reserveGuess(app, guessLimits, now, null)
  } catch (error) {
    logSecurityEvent(app.log, 'second_factor_throttled', eventFields)
    throw error
  }
  const verifiedFactor = await verifyFactor(
    app,
    session,
    { ...input.evidence, password: undefined },
    { now, position: null },
  )
  if (!verifiedFactor) {
    await mailGuesses(app, session.credential, guessLimits, now)
    throw createRefusal(app, eventFields)
  }
  return verifiedFactor
}

/**
 * Mails the user after several wrong guesses, at most once an hour. The guesser has the correct password, so the user should change it
 * (S-38).
 */
async function mailGuesses(
  app: AppContext,
  { userId, companyId }: UserCredential,
  guessLimits: GuessLimits,
  now: number,
) {
  const isMailRequested = await writeAsSystem(app, async (db) => {
    if ((await countFailures(db, guessLimits.account.subject)) < freeGuesses) return false
    const limit = { subject: `mail of guesses to ${userId}`, maxMails: 1, windowMs: 3_600_000, now }
    if ((await countMail(db, limit)) !== null) return false
    await requestMail(db, { companyId, now }, { mail: 'factor-guessed', userId })
    return true
  })
  if (isMailRequested) notifyJobs(app)
}

function createRefusal(app: AppContext, eventFields: Record<string, string | number>): ProblemError {
  logSecurityEvent(app.log, 'second_factor_failed', eventFields)
  return new ProblemError('MFA_INVALID')
}
