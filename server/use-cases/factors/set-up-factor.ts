/** Sets up a factor in two steps: the first returns a secret or challenge, and the second verifies the new factor. */
import type { FactorKind } from '#contract/factors.ts'
import { cleanText } from '#domain/text.ts'
import { countRecoveryCodes, type FactorRecord, listFactors, insertFactor } from '#server/db/accounts/factors.ts'
import type { DatabaseHandle } from '#server/db/database.ts'
import { updateMfaToken } from '#server/db/accounts/mfa-tokens.ts'
import { writeAsSystem } from '#server/db/transaction.ts'
import type { AppContext } from '#server/context/context.ts'
import { logSecurityEvent } from '#server/context/log.ts'
import { createValidationProblem, ProblemError } from '#server/problems/problem-error.ts'
import { recordFactorChange } from '#server/use-cases/factors/factor-notices.ts'
import { openFactorSecret, sealFactorSecret } from '#server/use-cases/factors/factor-secrets.ts'
import { type FactorRequest, issueRecoveryCodes } from '#server/use-cases/factors/factors.ts'
import { notifyJobs } from '#server/use-cases/job-requests.ts'
import {
  checkPasskeyAttestation,
  buildPasskeyCreation,
  createPasskeyChallenge,
  type NewPasskey,
} from '#server/use-cases/factors/passkeys.ts'
import { type MfaSession, lockMfaToken, readMfaToken } from '#server/use-cases/factors/mfa-token.ts'
import { createTotpSecret, findTotpStep, buildTotpUri } from '#server/use-cases/factors/totp.ts'

const maxFactors = 10

/**
 * Returns the user's factors. Throws MFA_EXPIRED if a signed-in user has not proven their identity, and STATE_CONFLICT for an eleventh
 * factor or, during a sign-in, if the user already has a factor.
 */
async function requireSetUpAllowed(db: DatabaseHandle, { mfaToken, credential }: MfaSession): Promise<FactorRecord[]> {
  const factors = await listFactors(db, credential.userId)
  if (mfaToken.session_id !== null && mfaToken.proven === null) throw new ProblemError('MFA_EXPIRED')
  if (mfaToken.session_id === null && factors.length > 0) throw new ProblemError('STATE_CONFLICT')
  if (factors.length >= maxFactors) throw new ProblemError('STATE_CONFLICT')
  return factors
}

/** Stores the data of the new factor with the MFA token (a secret is encrypted). `finishFactorSetUp` creates the factor. */
export async function beginFactorSetUp(app: AppContext, { token, holder }: FactorRequest, kind: FactorKind) {
  const now = app.clock()
  const secret = createTotpSecret()
  const challenge = createPasskeyChallenge()
  const { credential, factors } = await writeAsSystem(app, async (db) => {
    const session = await lockMfaToken(db, token, holder, now)
    const factors = await requireSetUpAllowed(db, session)
    const sealedSecret = sealFactorSecret(app.config, session.credential.userId, secret)
    await updateMfaToken(db, session.mfaToken, kind === 'totp' ? { pending: sealedSecret } : { challenge })
    return { credential: session.credential, factors }
  })
  if (kind === 'passkey')
    return { totp: null, passkey: { ...(await buildPasskeyCreation(app.config, credential, { factors, challenge })) } }
  return {
    totp: { secret, uri: buildTotpUri(secret, `${credential.email} (${credential.companyCode})`) },
    passkey: null,
  }
}

export interface NewFactorInput {
  kind: FactorKind
  name: string
  otp?: string | undefined
  attestation?: string | undefined
}

type CheckedFactor = Pick<FactorRecord, 'secret' | 'last_step'> & NewPasskey
const emptyFactor: CheckedFactor = {
  secret: null,
  last_step: null,
  credential_id: null,
  public_key: null,
  counter: null,
  transports: null,
}

/** Returns the recovery codes if the user has none yet. Throws MFA_INVALID for a wrong code or passkey. */
export async function finishFactorSetUp(
  app: AppContext,
  { token, holder, requestId }: FactorRequest,
  input: NewFactorInput,
): Promise<string[] | null> {
  const now = app.clock()
  const name = cleanText(input.name)
  if (name === '') throw createValidationProblem([{ field: 'name', code: 'REQUIRED' }])
  const session = await writeAsSystem(app, (db) => readMfaToken(db, token, holder, now))
  const checkedFactor =
    input.kind === 'totp' ? checkSetUpCode(app, session, input.otp, now) : await checkSetUpPasskey(app, session, input)
  if (!checkedFactor) throw new ProblemError('MFA_INVALID')
  const codes = await writeAsSystem(app, async (db) => {
    const lockedSession = await lockMfaToken(db, token, holder, now)
    await requireSetUpAllowed(db, lockedSession)
    const { credential, mfaToken } = lockedSession
    const { userId, companyId } = credential
    const owner = { user_id: userId, company_id: companyId }
    await insertFactor(db, { ...checkedFactor, ...owner, kind: input.kind, name, create_time: now, last_time: null })
    // The new factor was just verified. During a sign-in this is accepted as the second step.
    await updateMfaToken(db, mfaToken, { pending: null, challenge: createPasskeyChallenge(), proven: now })
    const field = input.kind === 'totp' ? 'authenticator app' : 'passkey'
    await recordFactorChange(db, credential, { mail: 'factor-added', field, change: 'added' }, { now, requestId })
    return (await countRecoveryCodes(db, userId)) > 0 ? null : await issueRecoveryCodes(db, credential)
  })
  notifyJobs(app)
  const { userId, companyId } = session.credential
  logSecurityEvent(app.log, 'second_factor_added', { user: userId, tenant: companyId, request: requestId })
  return codes
}

function checkSetUpCode(
  { config }: AppContext,
  { mfaToken, credential }: MfaSession,
  code: string | undefined,
  now: number,
): CheckedFactor | null {
  if (!code) throw createValidationProblem([{ field: 'otp', code: 'REQUIRED' }])
  const secret = mfaToken.pending === null ? null : openFactorSecret(config, credential.userId, mfaToken.pending)
  const timeStep = secret === null ? null : findTotpStep(secret, code, now)
  return timeStep === null ? null : { ...emptyFactor, secret: mfaToken.pending, last_step: timeStep }
}

async function checkSetUpPasskey(
  { config }: AppContext,
  { mfaToken }: MfaSession,
  { attestation }: NewFactorInput,
): Promise<CheckedFactor | null> {
  if (!attestation) throw createValidationProblem([{ field: 'attestation', code: 'REQUIRED' }])
  const passkey = await checkPasskeyAttestation(config, { attestation, challenge: mfaToken.challenge })
  return passkey && { ...emptyFactor, ...passkey }
}
