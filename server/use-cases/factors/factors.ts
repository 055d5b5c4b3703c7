/** The own second factors: seen, removed, required. What changes them needs a password or a factor given just before. */
import type { getFactors } from '#contract/factors.ts'
import { tidyText } from '#domain/text.ts'
import { timestampIn } from '#domain/time.ts'
import { requireFactorOf } from '#server/db/accounts/companies.ts'
import { credentialOf } from '#server/db/accounts/credentials.ts'
import {
  countRecoveryCodes,
  deleteFactor,
  type Factor,
  factorsOf,
  renameFactor,
  replaceRecoveryCodes,
} from '#server/db/accounts/factors.ts'
import type { Handle } from '#server/db/handle.ts'
import { updateMfaToken } from '#server/db/accounts/mfa-tokens.ts'
import { inTransaction } from '#server/db/transaction.ts'
import { addToTrail } from '#server/db/audit/audit-trail.ts'
import type { AppContext, UseCase } from '#server/context/context.ts'
import { securityEvent } from '#server/context/log.ts'
import { invalid, notFound, ProblemError } from '#server/problems/problem-error.ts'
import { type Evidence, verify } from '#server/use-cases/factors/verify-factor.ts'
import { noteFactor } from '#server/use-cases/factors/factor-notices.ts'
import type { Place } from '#server/use-cases/hashing-queue.ts'
import { withPlace, unknownAsker } from '#server/use-cases/accounts/password-hash.ts'
import { notifyJobs } from '#server/use-cases/job-requests.ts'
import {
  type Held,
  type Holder,
  lockMfaToken,
  openChange,
  readMfaToken,
  requirementOf,
} from '#server/use-cases/factors/mfa-token.ts'
import { hashRecoveryCode, newRecoveryCodes } from '#server/use-cases/factors/recovery-codes.ts'
import { factorTriedBy, forgive, reserve, triedBy } from '#server/use-cases/sessions/sign-in-limits.ts'

const system = { role: 'portal_system' } as const

export const factors: UseCase<typeof getFactors> = async ({ db, app, caller }) => {
  const who = await credentialOf(db, caller.userId)
  if (!who) throw notFound()
  const shown = (instant: number) => timestampIn(app.config.timeZone, instant)
  const rowOf = ({ id, kind, name, create_time, last_time }: Factor) => ({
    id,
    kind,
    name,
    create_time: shown(create_time),
    last_time: last_time === null ? null : shown(last_time),
  })
  return {
    body: {
      factors: (await factorsOf(db, caller.userId)).map(rowOf),
      recovery_codes: await countRecoveryCodes(db, caller.userId),
      required: requirementOf(who),
      company_required: who.companyRequiresFactor,
    },
  }
}

export type User = Holder & { kind: 'user' }

/** Who asks, by what they were given when they began. */
export interface Asking {
  holder: Holder
  token: string
  address: string
  requestId: string
}

export async function beginChange(app: AppContext, { userId, sessionId }: User) {
  const now = app.clock()
  return inTransaction(app, system, async (db) => {
    const who = await credentialOf(db, userId)
    if (!who?.passwordHash || sessionId === null) throw notFound()
    return openChange(db, app, { who, passwordHash: who.passwordHash, now, sessionId })
  })
}

/** Throws MFA_INVALID, MFA_EXPIRED and RATE_LIMITED: a stolen access token must not be a way around the limits on guesses. */
export async function prove(app: AppContext, { holder, token, address, requestId }: Asking, given: Evidence) {
  const now = app.clock()
  const before = await inTransaction(app, system, (db) => readMfaToken(db, token, holder, now))
  const { userId, companyCode, companyId, email } = before.who
  const isPassword = Boolean(given.password)
  const isKnown = holder.kind === 'user'
  const from = { address, isKnown }
  const tried = isPassword ? triedBy(companyCode, email, from) : factorTriedBy(userId, from)
  const look = async (place: Place | null) => {
    await reserve(app, tried, now, place)
    return verify(app, before, given, { now, place })
  }
  const weighed = isPassword
    ? await withPlace(isKnown ? { kind: 'known', userId } : unknownAsker, look)
    : await look(null)
  const isGood = await inTransaction(app, system, async (db) => {
    const held = await lockMfaToken(db, token, holder, now)
    if (!weighed || !(await weighed.take(db))) return false
    await updateMfaToken(db, held.proof, { proven: now })
    await forgive(db, tried, now)
    if (weighed.by === 'recovery code') {
      const note = { mail: 'recovery-used', field: 'recovery code', change: 'used' } as const
      await noteFactor(db, held.who, note, { now, requestId })
    }
    return true
  })
  const about = { user: userId, tenant: companyId, request: requestId }
  securityEvent(app.log, isGood ? 'second factor asked' : 'second factor failed', about)
  if (!isGood) throw new ProblemError('MFA_INVALID')
  notifyJobs(app)
}

/** Runs a change under a proof that was proven. Throws MFA_EXPIRED where it was not, or no longer is. */
export async function change<T>(
  app: AppContext,
  asking: Asking,
  work: (db: Handle, held: Held) => Promise<T>,
): Promise<T> {
  const now = app.clock()
  const done = await inTransaction(app, system, async (db) => {
    const held = await lockMfaToken(db, asking.token, asking.holder, now)
    if (held.proof.proven === null) throw new ProblemError('MFA_EXPIRED')
    return work(db, held)
  })
  notifyJobs(app)
  return done
}

/** With the last factor its recovery codes go: there is nothing left that they stand in for. */
export async function remove(app: AppContext, asking: Asking, id: number): Promise<void> {
  const { requestId } = asking
  const who = await change(app, asking, async (db, held) => {
    const { who } = held
    const gone = await deleteFactor(db, who.userId, id)
    if (!gone) throw notFound()
    if ((await factorsOf(db, who.userId)).length === 0) {
      if (requirementOf(who) !== null) throw new ProblemError('LAST_FACTOR')
      await replaceRecoveryCodes(db, who, [])
    }
    const note = { mail: 'factor-removed', field: fieldOf(gone), change: 'removed' } as const
    await noteFactor(db, who, note, { now: app.clock(), requestId })
    return who
  })
  const about = { user: who.userId, tenant: who.companyId, request: requestId }
  securityEvent(app.log, 'second factor removed', about)
}

/** A name opens nothing, so nothing need be proved and no mail tells of it. */
export async function rename(app: AppContext, { holder: { userId }, requestId }: Naming, { id, name: typed }: Named) {
  const name = tidyText(typed)
  if (name === '') throw invalid([{ field: 'name', code: 'REQUIRED' }])
  await inTransaction(app, system, async (db) => {
    const who = await credentialOf(db, userId)
    const factor = await renameFactor(db, userId, id, name)
    if (!who || !factor) throw notFound()
    const note = { mail: null, field: fieldOf(factor), change: 'renamed' } as const
    await noteFactor(db, who, note, { now: app.clock(), requestId })
  })
}
interface Naming {
  holder: User
  requestId: string
}
interface Named {
  id: number
  name: string
}

const fieldOf = ({ kind }: Factor) => (kind === 'totp' ? 'authenticator app' : 'passkey')

/** Throws STATE_CONFLICT for who has no factor: there is nothing that they would stand in for. */
export async function renewCodes(app: AppContext, asking: Asking): Promise<string[]> {
  const { requestId } = asking
  return change(app, asking, async (db, { who }) => {
    if ((await factorsOf(db, who.userId)).length === 0) throw new ProblemError('STATE_CONFLICT')
    const codes = await giveCodes(db, who)
    const note = { mail: 'recovery-renewed', field: 'recovery codes', change: 'renewed' } as const
    await noteFactor(db, who, note, { now: app.clock(), requestId })
    securityEvent(app.log, 'recovery codes renewed', { user: who.userId, request: requestId })
    return codes
  })
}

/** Ten new ones; the former ones end. Only their hashes stay here. */
export async function giveCodes(db: Handle, who: { userId: number; companyId: number }): Promise<string[]> {
  const codes = newRecoveryCodes()
  const hashes = codes.map((code) => hashRecoveryCode(who.userId, code))
  await replaceRecoveryCodes(db, who, hashes)
  return codes
}

/** Whoever has none yet sets one up at the next sign-in; sessions that there are go on. */
export async function requireOfCompany(app: AppContext, asking: Asking, required: boolean): Promise<void> {
  const { requestId } = asking
  await change(app, asking, async (db, { who }) => {
    const { userId, companyId, companyName } = who
    if (!(await requireFactorOf(db, companyId, required))) return
    await addToTrail(db, { companyId, userId, now: app.clock(), status: 0, intent: null, requestId }, [
      {
        code: 'company',
        operation: 'update',
        info: { CompanyName: companyName, Field: 'second factor', Change: required ? 'required' : 'optional' },
      },
    ])
    const about = { user: userId, tenant: companyId, required: String(required), request: requestId }
    securityEvent(app.log, 'second factor required', about)
  })
}
