/** Signs in and out. Kept small, because the login page loads this file. */
import type { OutputOf } from '#contract/endpoint.ts'
import { getUser, grantToken, signOut as logout, type TokenResponse } from '#contract/accounts.ts'
import { headers } from '#contract/headers.ts'
import { createLocalProblem } from '#contract/problem.ts'
import type { Language } from '#domain/accounts/users.ts'
import { toHttpRequest } from '#contract/http-mapping.ts'
import {
  type ResponseData,
  isSuccess,
  parseJson,
  type RequestData,
  sendRequest,
  toProblem,
  readAsOf,
} from '#request/transport/send-request.ts'
import { sendOrExplain } from '#request/transport/blocked.ts'
import type { PipelinePorts } from '#request/ports.ts'
import type { CallResult } from '#request/call-results.ts'
import { basicCredential, readSubject, formatSubject } from '#request/session/subject.ts'

export interface PasswordCredentials {
  company: string
  /** The e-mail address. */
  username: string
  password: string
}

/** Credentials and the language that the account should get (D68). The language is null if the user has not chosen one. */
type SignInInput = (PasswordCredentials | SignInSecondFactor) & { language: Language | null }

/** The token of a password step that was not sufficient, and one proof of identity. */
export interface SignInSecondFactor {
  mfa_token: string
  otp?: string
  assertion?: string
  recovery_code?: string
}

export interface SignInResult {
  token: TokenResponse
  user: OutputOf<typeof getUser>
}

/** Maximum time that a sign-out waits for a write in progress, in ms (protocol 30). */
const sendingWaitMs = 3_000
/** Maximum time that a sign-in waits for a sign-out, in ms. The response of a late sign-out would delete the cookies of the next user. */
const signOutWaitMs = 10_000
const cookieLock = 'portal-cookies'

/** Returns `fresh` or `problem` and never rejects. Nothing is queued. Clears the mark of an offline sign-out. */
export async function signIn(ports: PipelinePorts, input: SignInInput): Promise<CallResult<SignInResult>> {
  const action = () => requestSignIn(ports, input)
  return (
    (await ports.locks.hold(cookieLock, { waitMs: signOutWaitMs, shouldTakeFromFrozen: true }, action))?.value ??
    (await action())
  )
}

async function requestSignIn(
  ports: PipelinePorts,
  { language, ...input }: SignInInput,
): Promise<CallResult<SignInResult>> {
  const send = (request: RequestData) =>
    sendOrExplain(ports, request, (observedRequest) => sendRequest(ports, observedRequest))
  const tokenResponse = await send(buildTokenRequest(toTokenForm(input), language))
  if (!tokenResponse) return { kind: 'problem', problem: createLocalProblem('NEEDS_CONNECTION') }
  const token = isSuccess(tokenResponse) ? (parseJson(tokenResponse) as TokenResponse | undefined) : undefined
  if (!token?.access_token) return toProblemResult(tokenResponse)
  ports.tokenAccess.onRenewed(token.access_token)
  const response = await send(buildUserRequest(token.access_token))
  if (!response) return { kind: 'problem', problem: createLocalProblem('NEEDS_CONNECTION') }
  const user = isSuccess(response) ? (parseJson(response) as SignInResult['user'] | undefined) : undefined
  if (!user) return toProblemResult(response)
  try {
    await storeSession(ports, user, response, token)
  } catch (error) {
    // Usually a full disk. Without a stored session the device must not work for the user.
    ports.report(error)
    await ports.tokenAccess.forget()
    return { kind: 'problem', problem: createLocalProblem('STORAGE_FAILED') }
  }
  return { kind: 'fresh', output: { token, user } }
}

const toProblemResult = (response: ResponseData): CallResult<never> => ({
  kind: 'problem',
  problem: toProblem(response),
})

const toTokenForm = (input: PasswordCredentials | SignInSecondFactor): Record<string, string> =>
  'mfa_token' in input
    ? { grant_type: 'mfa', ...input }
    : {
        grant_type: 'password',
        scope: 'all',
        username: `${input.company}:${input.username}`,
        password: input.password,
      }

function buildTokenRequest(body: Record<string, string>, language: Language | null): RequestData {
  const wire = toHttpRequest(grantToken, { body } as never)
  return {
    ...wire,
    headers: {
      authorization: basicCredential,
      'content-type': wire.contentType ?? '',
      'accept-language': language ?? '*',
    },
  }
}

const userPath = toHttpRequest(getUser, {}).path
const buildUserRequest = (token: string): RequestData => ({
  method: 'GET',
  path: userPath,
  headers: { authorization: `Bearer ${token}` },
  body: null,
})

/** The device's storage is loaded only here, because a page does not need it before the first sign-in. */
async function storeSession(
  ports: PipelinePorts,
  user: SignInResult['user'],
  response: ResponseData,
  token: TokenResponse,
): Promise<void> {
  const [
    { openSession },
    { readSessionGeneration },
    { storeTokenLifetime, sendSignedIn },
    { storeResponse },
    { openSeals },
    { checkCounts },
    { openSealedCache },
  ] = await Promise.all([
    import('#local/session/session.ts'),
    import('#local/session/session-generation.ts'),
    import('#request/session/send-signed-in.ts'),
    import('#local/lists/response-store.ts'),
    import('#request/session/open-seals.ts'),
    import('#request/session/unsent-count.ts'),
    import('#request/session/open-cache.ts'),
  ])
  const device = await ports.device()
  const subject = readSubject(response.headers.get(headers.subject)) ?? { companyId: user.company_id, userId: user.id }
  await openSealedCache(ports, device.getDatabase(subject), token.access_token)
  await openSession(device, subject)
  await storeTokenLifetime(ports, token)
  const generation = await readSessionGeneration(device.getDatabase(subject))
  const asOf = readAsOf(response, ports.clock())
  if (generation !== null)
    await storeResponse(device.getDatabase(subject), { path: userPath, body: response.text, asOf }, generation)
  await openSeals(
    ports,
    { db: device.getDatabase(subject), forUser: formatSubject(subject), send: sendSignedIn },
    { retryFailed: true },
  )
  await checkCounts(ports, subject)
}

/**
 * Signs out, also offline. Waiting writes are sealed or, with `shouldDiscard`, deleted (protocol 30). The device is marked as signed out
 * before any request is sent.
 */
export async function signOut(ports: PipelinePorts, shouldDiscard = false): Promise<void> {
  const { markSignedOut, readSession } = await import('#local/session/session.ts')
  const device = await ports.device()
  const session = await readSession(device)
  if (session && shouldDiscard) {
    await (await import('#local/outbox/entry-actions.ts')).discardAllEntries(device.getDatabase(session), ports.clock())
    await (await import('#request/session/unsent-count.ts')).storeUnsentCount(ports, session)
  }
  await markSignedOut(device)
  const token = await ports.tokenAccess.read(session)
  // After the mark no further write is claimed. This lock waits until a write in progress has its response.
  if (session)
    await ports.locks.hold(`drain:${device.getDatabase(session).name}`, { waitMs: sendingWaitMs }, async () => {})
  await ports.tokenAccess.forget()
  await finishSignOut(ports, token)
}

/**
 * Completes a sign-out on the server. Without a token the refresh cookie identifies the session. The mark is removed only after a response
 * of the server (protocol 29); a 401 means that the session is already over. Returns true if the sign-out is complete.
 */
export async function finishSignOut(ports: PipelinePorts, token: string | null = null): Promise<boolean> {
  const lockResult = await ports.locks.hold(cookieLock, { waitMs: sendingWaitMs, shouldTakeFromFrozen: true }, () =>
    endServerSession(ports, token),
  )
  return lockResult?.value ?? false
}

async function endServerSession(ports: PipelinePorts, token: string | null): Promise<boolean> {
  const { endSession, readSession } = await import('#local/session/session.ts')
  const device = await ports.device()
  const session = await readSession(device)
  if (!session?.signedOut) return true
  const response = await sendRequest(ports, {
    method: logout.method,
    path: logout.path,
    headers: token ? { authorization: `Bearer ${token}` } : {},
    body: null,
  })
  if (!response || !(isSuccess(response) || response.status === 401)) return false
  await endSession(device, session.generation)
  return true
}
