/** Manages the caller's second factors. A change (except a new name) needs a password or factor that was checked shortly before. */
import type { getFactors } from '#contract/factors.ts'
import { cleanText } from '#domain/text.ts'
import { toTimestamp } from '#domain/time.ts'
import { setFactorRequired } from '#server/db/accounts/companies.ts'
import { findCredentialByUserId } from '#server/db/accounts/credentials.ts'
import {
  countRecoveryCodes,
  deleteFactor,
  type FactorRecord,
  listFactors,
  renameFactor,
  replaceRecoveryCodes,
} from '#server/db/accounts/factors.ts'
import type { DatabaseHandle } from '#server/db/database.ts'
import { updateMfaToken } from '#server/db/accounts/mfa-tokens.ts'
import { writeAsSystem } from '#server/db/transaction.ts'
import { addAuditEntries } from '#server/db/audit/audit-trail.ts'
import type { AppContext, UseCase } from '#server/context/context.ts'
import { logSecurityEvent } from '#server/context/log.ts'
import {
  createValidationProblem,
  createNotFoundProblem,
  ProblemError,
  requireRow,
} from '#server/problems/problem-error.ts'
import { type FactorEvidence, verifyFactor } from '#server/use-cases/factors/verify-factor.ts'
import { recordFactorChange } from '#server/use-cases/factors/factor-notices.ts'
import type { HashingQueuePosition } from '#server/use-cases/hashing-queue.ts'
import { withQueuePosition, unknownCaller } from '#server/use-cases/accounts/password-hash.ts'
import { notifyJobs } from '#server/use-cases/job-requests.ts'
import {
  type MfaSession,
  type MfaTokenHolder,
  lockMfaToken,
  openFactorChange,
  readMfaToken,
  getFactorRequirement,
} from '#server/use-cases/factors/mfa-token.ts'
import { hashRecoveryCode, createRecoveryCodes } from '#server/use-cases/factors/recovery-codes.ts'
import {
  getFactorLimits,
  forgiveGuesses,
  reserveGuess,
  getPasswordLimits,
} from '#server/use-cases/sessions/sign-in-limits.ts'

export const readFactors: UseCase<typeof getFactors> = async ({ db, app, caller }) => {
  const credential = requireRow(await findCredentialByUserId(db, caller.userId))
  const formatTime = (instant: number) => toTimestamp(app.config.timeZone, instant)
  const toFactorRow = ({ id, kind, name, create_time, last_time }: FactorRecord) => ({
    id,
    kind,
    name,
    create_time: formatTime(create_time),
    last_time: last_time === null ? null : formatTime(last_time),
  })
  return {
    body: {
      factors: (await listFactors(db, caller.userId)).map(toFactorRow),
      recovery_codes: await countRecoveryCodes(db, caller.userId),
      required: getFactorRequirement(credential),
      company_required: credential.companyRequiresFactor,
    },
  }
}

export type SignedInHolder = MfaTokenHolder & { kind: 'user' }

export interface FactorRequest {
  holder: MfaTokenHolder
  token: string
  address: string
  requestId: string
}

export async function startFactorChange(app: AppContext, { userId, sessionId }: SignedInHolder) {
  const now = app.clock()
  return writeAsSystem(app, async (db) => {
    const credential = await findCredentialByUserId(db, userId)
    if (!credential?.passwordHash || sessionId === null) throw createNotFoundProblem()
    return openFactorChange(db, app, { credential, passwordHash: credential.passwordHash, now, sessionId })
  })
}

/**
 * Checks the evidence and records in the MFA token that the identity is proven. Throws MFA_INVALID, MFA_EXPIRED or RATE_LIMITED. A stolen
 * access token must not bypass the limit on guesses.
 */
export async function proveIdentity(
  app: AppContext,
  { holder, token, address, requestId }: FactorRequest,
  evidence: FactorEvidence,
) {
  const now = app.clock()
  const session = await writeAsSystem(app, (db) => readMfaToken(db, token, holder, now))
  const { userId, companyCode, companyId, email } = session.credential
  const isPassword = Boolean(evidence.password)
  const isKnown = holder.kind === 'user'
  const guessSource = { address, isKnown }
  const guessLimits = isPassword
    ? getPasswordLimits(companyCode, email, guessSource)
    : getFactorLimits(userId, guessSource)
  const verifyEvidence = async (position: HashingQueuePosition | null) => {
    await reserveGuess(app, guessLimits, now, position)
    return verifyFactor(app, session, evidence, { now, position })
  }
  const verifiedFactor = isPassword
    ? await withQueuePosition(isKnown ? { kind: 'known', userId } : unknownCaller, verifyEvidence)
    : await verifyEvidence(null)
  const isProven = await writeAsSystem(app, async (db) => {
    const lockedSession = await lockMfaToken(db, token, holder, now)
    if (!verifiedFactor || !(await verifiedFactor.consume(db))) return false
    await updateMfaToken(db, lockedSession.mfaToken, { proven: now })
    await forgiveGuesses(db, guessLimits, now)
    if (verifiedFactor.method === 'recovery code') {
      const note = { mail: 'recovery-used', field: 'recovery code', change: 'used' } as const
      await recordFactorChange(db, lockedSession.credential, note, { now, requestId })
    }
    return true
  })
  const eventFields = { user: userId, tenant: companyId, request: requestId }
  logSecurityEvent(app.log, isProven ? 'identity_verified' : 'second_factor_failed', eventFields)
  if (!isProven) throw new ProblemError('MFA_INVALID')
  notifyJobs(app)
}

/** Runs `work` in a transaction. Throws MFA_EXPIRED if the identity was not proven, or too long ago. */
export async function runFactorChange<T>(
  app: AppContext,
  request: FactorRequest,
  work: (db: DatabaseHandle, session: MfaSession) => Promise<T>,
): Promise<T> {
  const now = app.clock()
  const result = await writeAsSystem(app, async (db) => {
    const session = await lockMfaToken(db, request.token, request.holder, now)
    if (session.mfaToken.proven === null) throw new ProblemError('MFA_EXPIRED')
    return work(db, session)
  })
  notifyJobs(app)
  return result
}

/**
 * Throws LAST_FACTOR if the user must have a factor. With the last factor the recovery codes are deleted too, because they can only replace
 * a factor.
 */
export async function deleteOwnFactor(app: AppContext, request: FactorRequest, id: number): Promise<void> {
  const { requestId } = request
  const owner = await runFactorChange(app, request, async (db, session) => {
    const { credential } = session
    const deletedFactor = requireRow(await deleteFactor(db, credential.userId, id))
    if ((await listFactors(db, credential.userId)).length === 0) {
      if (getFactorRequirement(credential) !== null) throw new ProblemError('LAST_FACTOR')
      await replaceRecoveryCodes(db, credential, [])
    }
    const note = { mail: 'factor-removed', field: getAuditField(deletedFactor), change: 'removed' } as const
    await recordFactorChange(db, credential, note, { now: app.clock(), requestId })
    return credential
  })
  const eventFields = { user: owner.userId, tenant: owner.companyId, request: requestId }
  logSecurityEvent(app.log, 'second_factor_removed', eventFields)
}

/** A name gives no access, so a new name needs no verification and causes no mail. */
export async function renameOwnFactor(
  app: AppContext,
  { holder: { userId }, requestId }: RenameRequest,
  { id, name: typedName }: RenameInput,
) {
  const name = cleanText(typedName)
  if (name === '') throw createValidationProblem([{ field: 'name', code: 'REQUIRED' }])
  await writeAsSystem(app, async (db) => {
    const credential = await findCredentialByUserId(db, userId)
    const factor = await renameFactor(db, userId, id, name)
    if (!credential || !factor) throw createNotFoundProblem()
    const note = { mail: null, field: getAuditField(factor), change: 'renamed' } as const
    await recordFactorChange(db, credential, note, { now: app.clock(), requestId })
  })
}
interface RenameRequest {
  holder: SignedInHolder
  requestId: string
}
interface RenameInput {
  id: number
  name: string
}

const getAuditField = ({ kind }: FactorRecord) => (kind === 'totp' ? 'authenticator app' : 'passkey')

/** Throws STATE_CONFLICT for a user without a factor, because recovery codes can only replace a factor. */
export async function issueNewRecoveryCodes(app: AppContext, request: FactorRequest): Promise<string[]> {
  const { requestId } = request
  return runFactorChange(app, request, async (db, { credential }) => {
    if ((await listFactors(db, credential.userId)).length === 0) throw new ProblemError('STATE_CONFLICT')
    const codes = await issueRecoveryCodes(db, credential)
    const note = { mail: 'recovery-renewed', field: 'recovery codes', change: 'renewed' } as const
    await recordFactorChange(db, credential, note, { now: app.clock(), requestId })
    logSecurityEvent(app.log, 'recovery_codes_renewed', { user: credential.userId, request: requestId })
    return codes
  })
}

/** Returns ten new codes and deletes the former ones. Only hashes of the codes are stored. */
export async function issueRecoveryCodes(
  db: DatabaseHandle,
  user: { userId: number; companyId: number },
): Promise<string[]> {
  const codes = createRecoveryCodes()
  const hashes = codes.map((code) => hashRecoveryCode(user.userId, code))
  await replaceRecoveryCodes(db, user, hashes)
  return codes
}

/**
 * Sets whether users of the company must have a second factor. A user without one must set it up at the next sign-in. Existing sessions
 * stay active.
 */
export async function setCompanyRequirement(
  app: AppContext,
  request: FactorRequest,
  isRequired: boolean,
): Promise<void> {
  const { requestId } = request
  await runFactorChange(app, request, async (db, { credential }) => {
    const { userId, companyId, companyName } = credential
    if (!(await setFactorRequired(db, companyId, isRequired))) return
    await addAuditEntries(db, { companyId, userId, now: app.clock(), status: 0, intent: null, requestId }, [
      {
        code: 'company',
        operation: 'update',
        info: { CompanyName: companyName, Field: 'second factor', Change: isRequired ? 'required' : 'optional' },
      },
    ])
    const eventFields = { user: userId, tenant: companyId, required: String(isRequired), request: requestId }
    logSecurityEvent(app.log, 'second_factor_required', eventFields)
  })
}
