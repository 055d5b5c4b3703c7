/**
 * Issues and checks MFA tokens. A token is valid for some minutes, and only while the account is active and its password unchanged. A
 * sign-in uses it up.
 */
import { createHash, randomBytes } from 'node:crypto'
import type { ProofMethod, SecondStep } from '#contract/factors.ts'
import { PROVIDER } from '#domain/access.ts'
import { type UserCredential, findCredentialByUserId, lockIfPasswordCurrent } from '#server/db/accounts/credentials.ts'
import { countRecoveryCodes, type FactorRecord, listFactors } from '#server/db/accounts/factors.ts'
import type { DatabaseHandle } from '#server/db/database.ts'
import {
  hashMfaToken,
  insertMfaToken,
  type MfaToken,
  lockMfaTokenRow,
  findMfaToken,
} from '#server/db/accounts/mfa-tokens.ts'
import type { AppContext } from '#server/context/context.ts'
import { ProblemError } from '#server/problems/problem-error.ts'
import { createPasskeyChallenge, buildPasskeyRequest } from '#server/use-cases/factors/passkeys.ts'

const minuteMs = 60_000
/**
 * Lifetimes of tokens in ms: for the second step of a sign-in, for the set-up of the first factor (with time to install an app), and for a
 * change of factors.
 */
const lifetimesMs = { step: 5 * minuteMs, enrol: 15 * minuteMs, change: 10 * minuteMs }

const createExpiredError = () => new ProblemError('MFA_EXPIRED')

export type FactorRequirement = 'provider' | 'company' | null

export function getFactorRequirement({
  companyCode,
  demo,
  companyRequiresFactor,
}: Pick<UserCredential, 'companyCode' | 'demo' | 'companyRequiresFactor'>): FactorRequirement {
  if (companyCode === PROVIDER && !demo) return 'provider'
  return companyRequiresFactor ? 'company' : null
}

interface MfaTokenInput {
  credential: UserCredential
  passwordHash: string
  now: number
}

/** Called after a correct password. Returns the step that is still needed, or null if the sign-in is complete. */
export async function requireSecondStep(
  db: DatabaseHandle,
  app: AppContext,
  input: MfaTokenInput,
): Promise<SecondStep | null> {
  const factors = await listFactors(db, input.credential.userId)
  const isEnrolling = factors.length === 0
  if (isEnrolling && getFactorRequirement(input.credential) === null) return null
  const lifeMs = isEnrolling ? lifetimesMs.enrol : lifetimesMs.step
  return { ...(await openMfaToken(db, app, { ...input, factors, lifeMs, sessionId: null })), enrol: isEnrolling }
}

/** Opens a token for a signed-in user, who must prove their identity before a change. */
export async function openFactorChange(
  db: DatabaseHandle,
  app: AppContext,
  input: MfaTokenInput & { sessionId: string },
) {
  const factors = await listFactors(db, input.credential.userId)
  const openedToken = await openMfaToken(db, app, { ...input, factors, lifeMs: lifetimesMs.change })
  return { ...openedToken, methods: ['password' as const, ...openedToken.methods] }
}

async function openMfaToken(
  db: DatabaseHandle,
  app: AppContext,
  { credential, passwordHash, now, factors, lifeMs, sessionId }: MfaTokenInput & MfaTokenOptions,
) {
  const token = randomBytes(32).toString('base64url')
  const challenge = createPasskeyChallenge()
  const { userId, companyId } = credential
  await insertMfaToken(db, {
    hash: hashMfaToken(token),
    user_id: userId,
    company_id: companyId,
    session_id: sessionId,
    password_print: hashPassword(passwordHash),
    challenge,
    pending: null,
    proven: null,
    until: now + lifeMs,
    done: null,
  })
  const methods = getMethods(factors, await countRecoveryCodes(db, userId))
  const passkey = buildPasskeyRequest(app.config, factors, challenge)
  return { mfa_token: token, expires_in: lifeMs / 1000, methods, passkey }
}

interface MfaTokenOptions {
  factors: readonly FactorRecord[]
  lifeMs: number
  sessionId: string | null
}

const getMethods = (factors: readonly FactorRecord[], codeCount: number): ProofMethod[] => [
  ...(factors.some(({ kind }) => kind === 'totp') ? ['otp' as const] : []),
  ...(factors.some(({ kind }) => kind === 'passkey') ? ['assertion' as const] : []),
  ...(factors.length > 0 && codeCount > 0 ? ['recovery_code' as const] : []),
]

const hashPassword = (passwordHash: string) => createHash('sha256').update(passwordHash).digest('hex')

/** The holder of a token: an anonymous caller during a sign-in, or one session of a user. */
export type MfaTokenHolder = { kind: 'anonymous' } | { kind: 'user'; userId: number; sessionId: string | null }

export interface MfaSession {
  mfaToken: MfaToken
  credential: UserCredential
  passwordHash: string
}

const isHeldBy = (mfaToken: MfaToken, holder: MfaTokenHolder) =>
  holder.kind === 'anonymous'
    ? mfaToken.session_id === null
    : mfaToken.user_id === holder.userId && mfaToken.session_id !== null && mfaToken.session_id === holder.sessionId

/** Throws MFA_EXPIRED if the token was used, has expired or belongs to another holder, or if the password has changed since. */
export async function readMfaToken(
  db: DatabaseHandle,
  token: string,
  holder: MfaTokenHolder,
  now: number,
): Promise<MfaSession> {
  return requireSession(db, await findMfaToken(db, token, now), holder)
}

/** Like `readMfaToken`, but locks the rows of the token and the account until the commit. */
export async function lockMfaToken(
  db: DatabaseHandle,
  token: string,
  holder: MfaTokenHolder,
  now: number,
): Promise<MfaSession> {
  const session = await requireSession(db, await lockMfaTokenRow(db, token, now), holder)
  if (!(await lockIfPasswordCurrent(db, session.credential.userId, session.passwordHash))) throw createExpiredError()
  return session
}

async function requireSession(
  db: DatabaseHandle,
  mfaToken: MfaToken | null,
  holder: MfaTokenHolder,
): Promise<MfaSession> {
  if (!mfaToken || !isHeldBy(mfaToken, holder)) throw createExpiredError()
  const credential = await findCredentialByUserId(db, mfaToken.user_id)
  const passwordHash = credential?.passwordHash ?? null
  if (!credential || passwordHash === null || hashPassword(passwordHash) !== mfaToken.password_print)
    throw createExpiredError()
  return { mfaToken, credential, passwordHash }
}
