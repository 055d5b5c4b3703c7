/** The second step of a sign-in: a code, a passkey or a recovery code, under the `mfa_token` of the password step (S-29, S-31). */
import { askMail } from '#server/use-cases/mail/request-mail.ts'
import { countMail, failuresOf } from '#server/db/accounts/sign-in-attempts.ts'
import type { Credential } from '#server/db/accounts/credentials.ts'
import { updateMfaToken } from '#server/db/accounts/mfa-tokens.ts'
import { inTransaction } from '#server/db/transaction.ts'
import type { AppContext } from '#server/context/context.ts'
import { securityEvent } from '#server/context/log.ts'
import { ProblemError } from '#server/problems/problem-error.ts'
import { isOwnDevice } from '#server/use-cases/sessions/new-device-mail.ts'
import { type Evidence, type VerifiedFactor, verify } from '#server/use-cases/factors/verify-factor.ts'
import { noteFactor } from '#server/use-cases/factors/factor-notices.ts'
import { notifyJobs } from '#server/use-cases/job-requests.ts'
import { type Held, lockMfaToken, readMfaToken } from '#server/use-cases/factors/mfa-token.ts'
import { comeIn, type Device, type Granted, welcome } from '#server/use-cases/sessions/sign-in.ts'
import {
  factorTriedBy,
  forgive,
  freeGuesses,
  passkeyTriedBy,
  reserve,
  type Tried,
} from '#server/use-cases/sessions/sign-in-limits.ts'

const system = { role: 'portal_system' } as const
const stranger = { kind: 'stranger' } as const
const recoveryUsed = { mail: 'recovery-used', field: 'recovery code', change: 'used' } as const

interface Asked {
  token: string
  given: Evidence
  older: string | null
}

/**
 * Throws MFA_EXPIRED where the password step is over, used up or of a password that was changed since; MFA_INVALID for what
 * does not fit or was used before; RATE_LIMITED.
 */
export async function signInBySecondFactor(app: AppContext, asked: Asked, device: Device): Promise<Granted> {
  const now = app.clock()
  const { before, isKnown } = await inTransaction(app, system, async (db) => {
    const before = await readMfaToken(db, asked.token, stranger, now)
    return { before, isKnown: await isOwnDevice(db, before.who.userId, device.cookie) }
  })
  const triedBy = asked.given.assertion ? passkeyTriedBy : factorTriedBy
  const tried = triedBy(before.who.userId, { address: device.address, isKnown })
  const weighed = await weighGiven(app, before, { asked, tried, device, now })
  const come = await inTransaction(app, system, async (db) => {
    const held = await lockMfaToken(db, asked.token, stranger, now)
    if (weighed && !(await weighed.take(db))) return null
    await updateMfaToken(db, held.proof, { done: now })
    if (weighed) await forgive(db, tried, now)
    // It may be a thief who found the sheet: its owner is told.
    if (weighed?.by === 'recovery code')
      await noteFactor(db, held.who, recoveryUsed, { now, requestId: device.requestId })
    const factor = weighed?.by ?? 'set up'
    return comeIn(db, app, held.who, { older: asked.older, device, now, factor })
  })
  const about = { user: before.who.userId, tenant: before.who.companyId, request: device.requestId }
  if (!come) throw refused(app, about)
  if (weighed?.by === 'recovery code') {
    notifyJobs(app)
    securityEvent(app.log, 'recovery code used', about)
  }
  return welcome(app, before.who, come, device)
}

interface Trying {
  asked: Asked
  tried: Tried
  device: Device
  now: number
}

/** Counted before it is looked at. Null: the first factor was set up under this very token, which proves as much. */
async function weighGiven(
  app: AppContext,
  held: Held,
  { asked, tried, device, now }: Trying,
): Promise<VerifiedFactor | null> {
  const about = { user: held.who.userId, tenant: held.who.companyId, request: device.requestId }
  const isGiven = Object.values(asked.given).some(Boolean)
  if (!isGiven && held.proof.proven !== null) return null
  try {
    await reserve(app, tried, now, null)
  } catch (error) {
    securityEvent(app.log, 'second factor throttled', about)
    throw error
  }
  const weighed = await verify(app, held, { ...asked.given, password: undefined }, { now, place: null })
  if (!weighed) {
    await tellOfGuesses(app, held.who, tried, now)
    throw refused(app, about)
  }
  return weighed
}

/** Once an hour: whoever comes this far has the password, so its owner should have another one (S-38). */
async function tellOfGuesses(app: AppContext, { userId, companyId }: Credential, tried: Tried, now: number) {
  const isTold = await inTransaction(app, system, async (db) => {
    if ((await failuresOf(db, tried.account.subject)) < freeGuesses) return false
    const counted = { subject: `mail of guesses to ${userId}`, most: 1, spanMs: 3_600_000, now }
    if ((await countMail(db, counted)) !== null) return false
    await askMail(db, { companyId, now }, { mail: 'factor-guessed', userId })
    return true
  })
  if (isTold) notifyJobs(app)
}

function refused(app: AppContext, about: Record<string, string | number>): ProblemError {
  securityEvent(app.log, 'second factor failed', about)
  return new ProblemError('MFA_INVALID')
}
