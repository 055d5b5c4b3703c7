/**
 * The step that signs requests in: the bearer from the cookie, renewed once where it has run out, under a lock that
 * pages and worker share (protocol 28, K-05). It also hears when the server says that a session is over.
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
/** So long before its end a token is renewed, up to half as much again by chance, never more than a part of its life (K-05). */
const renewalMargin = { maxMs: 60_000, part: 0.2 }
/** Nobody can say now whether there is a token. */
const connectionFailed = Symbol('the line is down')

/** Sends it with the session's token. Null: the line failed. `knownSession`: the session, where it was read just now. */
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
  const response = await sendRequest(ports, withBearer(request, token))
  if (!response) return null
  if (response.status === 401) return await handleUnauthorized(ports, request, { token, session, response })
  if (session?.renewFrom !== undefined && session.renewFrom <= ports.clock())
    ports.keepAlive(renewAhead(ports, session, token))
  await adoptSubject(ports, session, { response, token })
  return response
}

/** The same. Where something in between answered although our server can be reached, the response says so. */
export const sendExplained = (
  ports: PipelinePorts,
  request: RequestData,
  access?: AccessRule,
  knownSession?: Session | null,
): Promise<ResponseData | null> =>
  sendOrExplain(ports, request, (observedRequest) => sendSignedIn(ports, observedRequest, access, knownSession))

/**
 * The bearer for what the browser itself sends (an upload in pieces), renewed where it has run out or is `refusedToken`. Null: nobody is
 * signed in, or the line failed.
 */
export async function getFreshToken(ports: PipelinePorts, refusedToken: string | null): Promise<string | null> {
  const session = await readSession(await ports.device())
  if (session?.signedOut) return null
  const currentToken = await ports.tokenAccess.read(session)
  const token =
    currentToken !== null && currentToken !== refusedToken ? currentToken : await renew(ports, session, currentToken)
  if (token === connectionFailed) return null
  // What takes minutes and asks for nothing else keeps its session as any other call does.
  if (token !== null && session?.renewFrom !== undefined && session.renewFrom <= ports.clock())
    ports.keepAlive(renewAhead(ports, session, token))
  return token
}

const withBearer = (request: RequestData, token: string): RequestData => ({
  ...request,
  headers: { ...request.headers, authorization: `Bearer ${token}` },
})

const toSignedOutResponse = () => createLocalResponse(401, { errorCode: 'SIGNED_OUT', errorMessage: '' })

/** A call that anybody may make is not worth a renewal. */
const renewUnlessPublic = (ports: PipelinePorts, session: Session | null, access: AccessRule) =>
  access === 'anybody' ? null : renew(ports, session, null)

async function handleUnauthorized(
  ports: PipelinePorts,
  request: RequestData,
  refusal: { token: string; session: Session | null; response: ResponseData },
): Promise<ResponseData | null> {
  const { code } = toProblem(refusal.response)
  // One that is only remembered may be older than the session: the refusal of a renewal ends it, and nothing less.
  if (code === 'TOKENEXPIRED' || (code === 'UNAUTHORIZED' && ports.tokenAccess.isRemembered?.(refusal.token))) {
    const token = await renew(ports, refusal.session, refusal.token)
    if (token === connectionFailed) return null
    return token ? await sendRequest(ports, withBearer(request, token)) : refusal.response
  }
  if (code !== 'UNAUTHORIZED') return refusal.response
  // Another tab may have renewed or signed in meanwhile: then it was only an old token that was refused.
  const newerToken = await ports.tokenAccess.read(refusal.session)
  if (newerToken && newerToken !== refusal.token) return await sendRequest(ports, withBearer(request, newerToken))
  await endExpiredSession(ports, refusal.session, refusal.response)
  return refusal.response
}

/**
 * A new token; null: the session is over, or belongs to somebody else. `refusedToken` is the value
 * that did not do: if the cookie has changed since, somebody was faster and nothing is asked.
 */
async function renew(
  ports: PipelinePorts,
  session: Session | null,
  refusedToken: string | null,
): Promise<string | null | typeof connectionFailed> {
  const action = () => renewOnce(ports, session, refusedToken)
  const lockResult = await ports.locks.hold('portal-renew', { waitMs: renewWaitMs, shouldTakeFromFrozen: true }, action)
  // A tab that is too slow keeps its lock: then without it, because the server gives a second asker a pair as well.
  return lockResult ? lockResult.value : await action()
}

/**
 * Beside a call and never before it: the present token still does. Set off by calls alone, because a token that is renewed
 * while nobody asks for anything would keep a forgotten screen signed in. By one of all pages and workers, once a token.
 */
async function renewAhead(ports: PipelinePorts, session: Session, token: string): Promise<void> {
  if (await claimRenewal(await ports.device(), ports.clock())) await renew(ports, session, token)
}

/** Notes how long what the server gave is good for. Durations, by this device's clock: what hour it is does not matter. */
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
 * The refresh token travels as its HttpOnly cookie; the user it must belong to is stated (protocol 28). A browser that was killed
 * may have lost its newest cookies, and shows with `newestAccess` that they were given to this device.
 */
const buildRenewal = (session: Session | null, storedSession: Session | null): RequestData => ({
  method: 'POST',
  path: '/api/m18s/token',
  headers: {
    authorization: basicCredential,
    'content-type': 'application/x-www-form-urlencoded',
    ...(session ? { [headers.forUser]: formatSubject(session) } : {}),
    ...(storedSession?.newestAccess ? { [headers.latestAccess]: storedSession.newestAccess } : {}),
  },
  body: 'grant_type=refresh_token',
})

/** Nobody ended it where its time is over, or the browser dropped the token: what is cached stays for its user (decision 83). */
async function endExpiredSession(ports: PipelinePorts, session: Session | null, response: ResponseData): Promise<void> {
  if (!session) return
  const { why: reason } = (toProblem(response).data ?? {}) as Partial<UnauthorizedDetails>
  const isExpired = reason === 'lapsed' || reason === 'missing'
  if (await endSession(await ports.device(), session.generation, { isExpired })) await ports.tokenAccess.forget()
}

/**
 * The cookie belongs to somebody this device does not know as its user (its storage was cleared, or another tab's
 * sign-in was cut short): the answer says whose it is, and the device follows.
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
  await openSession(device, subject)
  const { openSeals } = await import('#request/session/open-seals.ts')
  const owner = { db: device.getDatabase(subject), forUser: formatSubject(subject), send: sendSignedIn }
  // What they left unsent is theirs again.
  await resolveUnlessFull(openSeals(ports, owner))
}
