/**
 * Adds the session's token to requests: reads it from the cookie and renews it once if it has expired, under a lock that pages and worker
 * share (protocol 28, K-05). Also handles the server's message that a session is over.
 */
import { parseAccessUserId } from '#contract/cookies.ts'
import { headers } from '#contract/headers.ts'
import type { TokenResponse, UnauthorizedDetails } from '#contract/accounts.ts'
import type { AccessRule } from '#domain/access.ts'
import { claimRenewal, storeTokenLifetimes } from '#local/session/token-lifetimes.ts'
import { endSession, openSession, readSession, type Session } from '#local/session/session.ts'
import { resolveUnlessFull } from '#local/storage/storage-errors.ts'
import {
  type ResponseData,
  isSuccess,
  parseJson,
  type RequestData,
  createLocalResponse,
  sendRequest,
  toProblem,
} from '#request/transport/send-request.ts'
import type { PipelinePorts } from '#request/ports.ts'
import { sendOrExplain } from '#request/transport/blocked.ts'
import { basicCredential, readSubject, formatSubject } from '#request/session/subject.ts'

const renewWaitMs = 5_000
/**
 * How long before the token's end it is renewed: `maxMs`, but at most the share `part` of the token's lifetime. Up to half of that is added
 * at random (K-05).
 */
const renewalMargin = { maxMs: 60_000, part: 0.2 }
/** Result of a renewal without a connection: it is unknown whether a token can be had. */
const connectionFailed = Symbol('connection failed')

/** Returns null if the connection failed. `knownSession` is the session if the caller has just read it. */
export async function sendSignedIn(
  ports: PipelinePorts,
  request: RequestData,
  access: AccessRule = 'user',
  knownSession?: Session | null,
): Promise<ResponseData | null> {
  const session = knownSession === undefined ? await readSession(await ports.device()) : knownSession
  if (session?.signedOut) return access === 'anybody' ? await sendRequest(ports, request) : toSignedOutResponse()
  const token = (await ports.tokenAccess.read(session)) ?? (await renewUnlessPublic(ports, session, access))
  if (token === connectionFailed) return null
  if (token === null) return access === 'anybody' ? await sendRequest(ports, request) : toSignedOutResponse()
  const response = await sendWithToken(ports, request, token, session)
  if (!response) return null
  if (response.status === 401) return await handleUnauthorized(ports, request, { token, session, response })
  if (session?.renewFrom !== undefined && session.renewFrom <= ports.clock())
    ports.keepAlive(renewAhead(ports, session, token))
  await adoptSubject(ports, session, { response, token })
  return response
}

/** Sends the request. If the server refuses it because acting for a customer is over, ends that on the device too. */
async function sendWithToken(
  ports: PipelinePorts,
  request: RequestData,
  token: string,
  session: Session | null,
): Promise<ResponseData | null> {
  const response = await sendRequest(ports, withBearer(request, token))
  if (response?.status !== 403 || toProblem(response).code !== 'ACTING_ENDED') return response
  return await leaveCustomer(ports, request, { token, session, response })
}

/**
 * Ends acting for a customer after the consent has ended: the session is its user's own again, and the customer's data is deleted. A request
 * that was made for the user's own session is repeated, because the refused one had no effect.
 */
async function leaveCustomer(
  ports: PipelinePorts,
  request: RequestData,
  { token, session, response }: { token: string; session: Session | null; response: ResponseData },
): Promise<ResponseData> {
  const stop = { method: 'DELETE', path: '/api/m18s/acting', headers: {}, body: null }
  const stopResponse = await sendRequest(ports, withBearer(stop, token))
  if (!stopResponse || !isSuccess(stopResponse)) return response
  await adoptSubject(ports, session, { response: stopResponse, token })
  if (session?.actingUntil !== undefined) return response
  return (await sendRequest(ports, withBearer(request, token))) ?? response
}

/** Like `sendSignedIn`. If a proxy responded although the server can be reached, returns a response with the problem BLOCKED_BY_PROXY. */
export const sendExplained = (
  ports: PipelinePorts,
  request: RequestData,
  access?: AccessRule,
  knownSession?: Session | null,
): Promise<ResponseData | null> =>
  sendOrExplain(ports, request, (observedRequest) => sendSignedIn(ports, observedRequest, access, knownSession))

/**
 * Returns the token for requests that the browser sends itself (an upload in pieces). Renewed if it has expired or is `refusedToken`.
 * Returns null if no user is signed in or the connection failed.
 */
export async function getFreshToken(ports: PipelinePorts, refusedToken: string | null): Promise<string | null> {
  const session = await readSession(await ports.device())
  if (session?.signedOut) return null
  const currentToken = await ports.tokenAccess.read(session)
  const token =
    currentToken !== null && currentToken !== refusedToken ? currentToken : await renew(ports, session, currentToken)
  if (token === connectionFailed) return null
  // A long upload without other requests must keep its session alive like any other call.
  if (token !== null && session?.renewFrom !== undefined && session.renewFrom <= ports.clock())
    ports.keepAlive(renewAhead(ports, session, token))
  return token
}

const withBearer = (request: RequestData, token: string): RequestData => ({
  ...request,
  headers: { ...request.headers, authorization: `Bearer ${token}` },
})

const toSignedOutResponse = () => createLocalResponse(401, { errorCode: 'SIGNED_OUT', errorMessage: '' })

/** Renews a missing token, except for a call that needs no session. */
const renewUnlessPublic = (ports: PipelinePorts, session: Session | null, access: AccessRule) =>
  access === 'anybody' ? null : renew(ports, session, null)

async function handleUnauthorized(
  ports: PipelinePorts,
  request: RequestData,
  refusal: { token: string; session: Session | null; response: ResponseData },
): Promise<ResponseData | null> {
  const { code } = toProblem(refusal.response)
  // A remembered token may be older than the session. Only a refused renewal ends the session.
  if (code === 'TOKENEXPIRED' || (code === 'UNAUTHORIZED' && ports.tokenAccess.isRemembered?.(refusal.token))) {
    const token = await renew(ports, refusal.session, refusal.token)
    if (token === connectionFailed) return null
    return token ? await sendWithToken(ports, request, token, refusal.session) : refusal.response
  }
  if (code !== 'UNAUTHORIZED') return refusal.response
  // Another tab may have renewed the token or signed in meanwhile, so only an old token was refused.
  const newerToken = await ports.tokenAccess.read(refusal.session)
  if (newerToken && newerToken !== refusal.token)
    return await sendWithToken(ports, request, newerToken, refusal.session)
  await endExpiredSession(ports, refusal.session, refusal.response)
  return refusal.response
}

/**
 * Returns a new token, or null if the session is over or belongs to another user. `refusedToken` is the refused value: if the cookie has
 * changed since, another tab has renewed it and nothing is sent.
 */
async function renew(
  ports: PipelinePorts,
  session: Session | null,
  refusedToken: string | null,
): Promise<string | null | typeof connectionFailed> {
  const action = () => renewOnce(ports, session, refusedToken)
  const lockResult = await ports.locks.hold('portal-renew', { waitMs: renewWaitMs, shouldTakeFromFrozen: true }, action)
  // If a slow tab holds the lock too long, the renewal continues without it: the server gives a second caller a token pair too.
  return lockResult ? lockResult.value : await action()
}

/**
 * Renews a token before it expires. It runs in parallel with a call, because the current token is still valid. Only calls start it: without
 * them, a renewal would keep an abandoned screen signed in. One page or worker runs it, once per token.
 */
async function renewAhead(ports: PipelinePorts, session: Session, token: string): Promise<void> {
  if (await claimRenewal(await ports.device(), ports.clock())) await renew(ports, session, token)
}

/** Stores the lifetimes of the new tokens. They are durations measured by this device's clock, so a wrong clock does not matter. */
export async function storeTokenLifetime(ports: PipelinePorts, tokenInfo: TokenResponse): Promise<void> {
  const { access_hash: newestAccess, expires_in: accessSeconds, refresh_expires_in: refreshSeconds } = tokenInfo
  const now = ports.clock()
  const marginMs = Math.min(renewalMargin.maxMs, accessSeconds * 1_000 * renewalMargin.part) * (1 + ports.random() / 2)
  await storeTokenLifetimes(await ports.device(), {
    ...(refreshSeconds ? { until: now + refreshSeconds * 1_000 } : {}),
    ...(accessSeconds ? { renewFrom: now + accessSeconds * 1_000 - marginMs } : {}),
    ...(newestAccess ? { newestAccess } : {}),
  })
}

async function renewOnce(
  ports: PipelinePorts,
  session: Session | null,
  refusedToken: string | null,
): Promise<string | null | typeof connectionFailed> {
  const currentToken = await ports.tokenAccess.read(session)
  if (currentToken && currentToken !== refusedToken) return currentToken
  const storedSession = await readSession(await ports.device())
  if (storedSession?.signedOut) return null
  const response = await sendRequest(ports, buildRenewal(session, storedSession))
  if (!response) return connectionFailed
  const token = isSuccess(response) ? (parseJson(response) as TokenResponse | undefined) : undefined
  if (token?.access_token) {
    ports.tokenAccess.onRenewed(token.access_token)
    await resolveUnlessFull(storeTokenLifetime(ports, token))
    return token.access_token
  }
  if (response.status >= 500 || response.status === 429) return connectionFailed
  await endExpiredSession(ports, session, response)
  return null
}

/**
 * The refresh token is in an HttpOnly cookie; the request names the user to whom it must belong (protocol 28). A browser that was killed
 * may have lost its latest cookies, and proves with `newestAccess` that this device received them. A user who acts for a customer names the
 * own company: the server always accepts it, but the customer only until it has stopped, and the response to that may have been lost.
 */
const buildRenewal = (session: Session | null, storedSession: Session | null): RequestData => ({
  method: 'POST',
  path: '/api/m18s/token',
  headers: {
    authorization: basicCredential,
    'content-type': 'application/x-www-form-urlencoded',
    ...(session ? { [headers.forUser]: formatSubject(session.actingFrom ?? session) } : {}),
    ...(storedSession?.newestAccess ? { [headers.latestAccess]: storedSession.newestAccess } : {}),
  },
  body: 'grant_type=refresh_token',
})

/**
 * Ends the session on this device. If it ended by time, or if the browser deleted the token, no user has ended it, so cached data is sealed
 * for its user, except on a shared device (decision 83).
 */
async function endExpiredSession(ports: PipelinePorts, session: Session | null, response: ResponseData): Promise<void> {
  if (!session) return
  const { why: reason } = (toProblem(response).data ?? {}) as Partial<UnauthorizedDetails>
  const isExpired = reason === 'lapsed' || reason === 'missing'
  if (await endSession(await ports.device(), session.generation, { isExpired })) await ports.tokenAccess.forget()
}

/**
 * Opens a session for the user whom the response names, if the cookie belongs to that user and not to the device's session. This happens if
 * the device's storage was cleared, or if a sign-in in another tab was interrupted.
 */
async function adoptSubject(
  ports: PipelinePorts,
  session: Session | null,
  { response, token }: { response: ResponseData; token: string },
): Promise<void> {
  const subject = readSubject(response.headers.get(headers.subject))
  if (!subject || (session && formatSubject(session) === formatSubject(subject))) return
  const value = (await ports.tokenAccess.read(session)) ?? (ports.tokenAccess.isRemembered?.(token) ? token : null)
  if (!value || parseAccessUserId(value) !== subject.userId) return
  const device = await ports.device()
  const storedSession = await readSession(device)
  if (storedSession?.generation !== session?.generation) return
  const { openSealedCache } = await import('#request/session/open-cache.ts')
  await openSealedCache(ports, device.getDatabase(subject), value)
  const actingUntil = response.headers.get(headers.actingUntil)
  await openSession(device, subject, actingUntil === null ? undefined : Number(actingUntil))
  const { openSeals } = await import('#request/session/open-seals.ts')
  const owner = { db: device.getDatabase(subject), forUser: formatSubject(subject), send: sendSignedIn }
  await resolveUnlessFull(openSeals(ports, owner))
}
