/**
 * The step that signs requests in: the bearer from the cookie, renewed once where it has run out, under a lock that
 * pages and worker share (protocol 28, K-05). It also hears when the server says that a session is over.
 */
import { userOfAccess } from '#contract/cookies.ts'
import { headers } from '#contract/headers.ts'
import type { TokenInfo, UnauthorizedData } from '#contract/accounts.ts'
import type { Who } from '#domain/access.ts'
import { claimRenewal, noteToken } from '#local/session/token-lifetimes.ts'
import { endSession, openSession, readSession, type Session } from '#local/session/session.ts'
import { unlessFull } from '#local/storage/storage-errors.ts'
import {
  type ResponseData,
  isGood,
  jsonOf,
  type RequestData,
  localResponse,
  sendRequest,
  problemOf,
} from '#request/transport/transport.ts'
import type { Ports } from '#request/ports.ts'
import { basicCredential, readSubject, subjectOf } from '#request/session/subject.ts'

const renewWaitMs = 5_000
/** So long before its end a token is renewed, up to half as much again by chance, never more than a part of its life (K-05). */
const ahead = { maxMs: 60_000, part: 0.2 }
/** Nobody can say now whether there is a token. */
const lineDown = Symbol('the line is down')

/** Sends it with the session's token. Null: the line failed. `known`: the session, where it was read just now. */
export async function sendSignedIn(
  ports: Ports,
  letter: RequestData,
  who: Who = 'user',
  known?: Session | null,
): Promise<ResponseData | null> {
  const session = known === undefined ? await readSession(await ports.device()) : known
  if (session?.signedOut) return who === 'anybody' ? await sendRequest(ports, letter) : signedOutAnswer()
  const token = (await ports.access.read(session)) ?? (await renewUnlessOpen(ports, session, who))
  if (token === lineDown) return null
  if (token === null) return who === 'anybody' ? await sendRequest(ports, letter) : signedOutAnswer()
  const answer = await sendRequest(ports, withBearer(letter, token))
  if (!answer) return null
  if (answer.status === 401) return await afterUnauthorized(ports, letter, { token, session, answer })
  if (session?.renewFrom !== undefined && session.renewFrom <= ports.clock())
    ports.lasting(renewAhead(ports, session, token))
  await adopt(ports, session, { answer, token })
  return answer
}

/**
 * The bearer for what the browser itself sends (an upload in pieces), renewed where it has run out or is `refused`. Null: nobody is
 * signed in, or the line failed.
 */
export async function freshToken(ports: Ports, refused: string | null): Promise<string | null> {
  const session = await readSession(await ports.device())
  if (session?.signedOut) return null
  const there = await ports.access.read(session)
  const token = there !== null && there !== refused ? there : await renew(ports, session, there)
  if (token === lineDown) return null
  // What takes minutes and asks for nothing else keeps its session as any other call does.
  if (token !== null && session?.renewFrom !== undefined && session.renewFrom <= ports.clock())
    ports.lasting(renewAhead(ports, session, token))
  return token
}

const withBearer = (letter: RequestData, token: string): RequestData => ({
  ...letter,
  headers: { ...letter.headers, authorization: `Bearer ${token}` },
})

const signedOutAnswer = () => localResponse(401, { errorCode: 'SIGNED_OUT', errorMessage: '' })

/** A call that anybody may make is not worth a renewal. */
const renewUnlessOpen = (ports: Ports, session: Session | null, who: Who) =>
  who === 'anybody' ? null : renew(ports, session, null)

async function afterUnauthorized(
  ports: Ports,
  letter: RequestData,
  was: { token: string; session: Session | null; answer: ResponseData },
): Promise<ResponseData | null> {
  const { code } = problemOf(was.answer)
  // One that is only remembered may be older than the session: the refusal of a renewal ends it, and nothing less.
  if (code === 'TOKENEXPIRED' || (code === 'UNAUTHORIZED' && ports.access.isRemembered?.(was.token))) {
    const token = await renew(ports, was.session, was.token)
    if (token === lineDown) return null
    return token ? await sendRequest(ports, withBearer(letter, token)) : was.answer
  }
  if (code !== 'UNAUTHORIZED') return was.answer
  // Another tab may have renewed or signed in meanwhile: then it was only an old token that was refused.
  const newer = await ports.access.read(was.session)
  if (newer && newer !== was.token) return await sendRequest(ports, withBearer(letter, newer))
  await leave(ports, was.session, was.answer)
  return was.answer
}

/**
 * A new token; null: the session is over, or belongs to somebody else. `seen` is the value
 * that did not do: if the cookie has changed since, somebody was faster and nothing is asked.
 */
async function renew(
  ports: Ports,
  session: Session | null,
  seen: string | null,
): Promise<string | null | typeof lineDown> {
  const act = () => renewOnce(ports, session, seen)
  const held = await ports.locks.hold('portal-renew', { waitMs: renewWaitMs, takeFromFrozen: true }, act)
  // A tab that is too slow keeps its lock: then without it, because the server gives a second asker a pair as well.
  return held ? held.value : await act()
}

/**
 * Beside a call and never before it: the present token still does. Set off by calls alone, because a token that is renewed
 * while nobody asks for anything would keep a forgotten screen signed in. By one of all pages and workers, once a token.
 */
async function renewAhead(ports: Ports, session: Session, token: string): Promise<void> {
  if (await claimRenewal(await ports.device(), ports.clock())) await renew(ports, session, token)
}

/** Notes how long what the server gave is good for. Durations, by this device's clock: what hour it is does not matter. */
export async function noteGiven(ports: Ports, given: TokenInfo): Promise<void> {
  const { access_hash: newestAccess, expires_in: life, refresh_expires_in: whole } = given
  const now = ports.clock()
  const early = Math.min(ahead.maxMs, life * 1_000 * ahead.part) * (1 + ports.chance() / 2)
  await noteToken(await ports.device(), {
    ...(whole ? { until: now + whole * 1_000 } : {}),
    ...(life ? { renewFrom: now + life * 1_000 - early } : {}),
    ...(newestAccess ? { newestAccess } : {}),
  })
}

async function renewOnce(
  ports: Ports,
  session: Session | null,
  seen: string | null,
): Promise<string | null | typeof lineDown> {
  const there = await ports.access.read(session)
  if (there && there !== seen) return there
  const now = await readSession(await ports.device())
  if (now?.signedOut) return null
  const answer = await sendRequest(ports, renewal(session, now))
  if (!answer) return lineDown
  const token = isGood(answer) ? (jsonOf(answer) as TokenInfo | undefined) : undefined
  if (token?.access_token) {
    ports.access.renewed(token.access_token)
    await unlessFull(noteGiven(ports, token))
    return token.access_token
  }
  if (answer.status >= 500 || answer.status === 429) return lineDown
  await leave(ports, session, answer)
  return null
}

/**
 * The refresh token travels as its HttpOnly cookie; the user it must belong to is stated (protocol 28). A browser that was killed
 * may have lost its newest cookies, and shows with `newestAccess` that they were given to this device.
 */
const renewal = (session: Session | null, stored: Session | null): RequestData => ({
  method: 'POST',
  path: '/api/m18s/token',
  headers: {
    authorization: basicCredential,
    'content-type': 'application/x-www-form-urlencoded',
    ...(session ? { [headers.forUser]: subjectOf(session) } : {}),
    ...(stored?.newestAccess ? { [headers.newestAccess]: stored.newestAccess } : {}),
  },
  body: 'grant_type=refresh_token',
})

/** Nobody ended it where its time is over, or the browser dropped the token: what is cached stays for its user (decision 83). */
async function leave(ports: Ports, session: Session | null, answer: ResponseData): Promise<void> {
  if (!session) return
  const { why } = (problemOf(answer).data ?? {}) as Partial<UnauthorizedData>
  const lapsed = why === 'lapsed' || why === 'missing'
  if (await endSession(await ports.device(), session.generation, { lapsed })) await ports.access.forget()
}

/**
 * The cookie belongs to somebody this device does not know as its user (its storage was cleared, or another tab's
 * sign-in was cut short): the answer says whose it is, and the device follows.
 */
async function adopt(
  ports: Ports,
  session: Session | null,
  { answer, token }: { answer: ResponseData; token: string },
): Promise<void> {
  const subject = readSubject(answer.headers.get(headers.subject))
  if (!subject || (session && subjectOf(session) === subjectOf(subject))) return
  const value = (await ports.access.read(session)) ?? (ports.access.isRemembered?.(token) ? token : null)
  if (!value || userOfAccess(value) !== subject.userId) return
  const device = await ports.device()
  const now = await readSession(device)
  if (now?.generation !== session?.generation) return
  const { openSealedCache } = await import('#request/session/open-cache.ts')
  await openSealedCache(ports, device.of(subject), value)
  await openSession(device, subject)
  const { openSeals } = await import('#request/session/open-seals.ts')
  const whose = { db: device.of(subject), forUser: subjectOf(subject), send: sendSignedIn }
  // What they left unsent is theirs again.
  await unlessFull(openSeals(ports, whose))
}
