/** Coming and going: the two acts that change whose device this is. Light: the login page carries this file. */
import type { OutputOf } from '#contract/endpoint.ts'
import { getUser, grantToken, signOut as logout, type TokenInfo } from '#contract/accounts.ts'
import { headers } from '#contract/headers.ts'
import { localProblem } from '#contract/problem.ts'
import type { Language } from '#domain/accounts/users.ts'
import { toWire } from '#contract/http-mapping.ts'
import {
  type ResponseData,
  isGood,
  jsonOf,
  type RequestData,
  sendRequest,
  problemOf,
} from '#request/transport/transport.ts'
import { sendOrExplain } from '#request/transport/blocked.ts'
import type { Ports } from '#request/ports.ts'
import type { Result } from '#request/results.ts'
import { basicCredential, readSubject, subjectOf } from '#request/session/subject.ts'

export interface Credentials {
  company: string
  /** The e-mail. */
  username: string
  password: string
}

/** The language is the one that was chosen: the account's from now on (D68). Null: nobody chose, and the account keeps its own. */
type Given = (Credentials | SecondFactor) & { language: Language | null }

/** The token of a password step that was not enough, and one thing that proves who is there. */
export interface SecondFactor {
  mfa_token: string
  otp?: string
  assertion?: string
  recovery_code?: string
}

export interface SignedIn {
  token: TokenInfo
  user: OutputOf<typeof getUser>
}

/** How long signing out waits for a write that is on its way (protocol 30). */
const drainWaitMs = 3_000
/** And how long a sign-in waits for a sign-out: its answer takes the cookies away, and may come after those of the next user. */
const leavingWaitMs = 10_000
const cookieLock = 'portal-cookies'

/** `fresh` or `problem`, never a rejection; nothing of it is ever queued. A mark left by an offline sign-out falls with it. */
export async function signIn(ports: Ports, given: Given): Promise<Result<SignedIn>> {
  const act = () => enter(ports, given)
  return (
    (await ports.locks.hold(cookieLock, { waitMs: leavingWaitMs, takeFromFrozen: true }, act))?.value ?? (await act())
  )
}

async function enter(ports: Ports, { language, ...given }: Given): Promise<Result<SignedIn>> {
  const send = (request: RequestData) => sendOrExplain(ports, request, (one) => sendRequest(ports, one))
  const granted = await send(grant(formOf(given), language))
  if (!granted) return { kind: 'problem', problem: localProblem('NEEDS_CONNECTION') }
  const token = isGood(granted) ? (jsonOf(granted) as TokenInfo | undefined) : undefined
  if (!token?.access_token) return problemResult(granted)
  ports.access.renewed(token.access_token)
  const answer = await send(ownUser(token.access_token))
  if (!answer) return { kind: 'problem', problem: localProblem('NEEDS_CONNECTION') }
  const user = isGood(answer) ? (jsonOf(answer) as SignedIn['user'] | undefined) : undefined
  if (!user) return problemResult(answer)
  try {
    await settleIn(ports, user, answer, token)
  } catch (error) {
    // A full disk, above all. Whom the device does not know as its user, it does not work for.
    ports.report(error)
    await ports.access.forget()
    return { kind: 'problem', problem: localProblem('STORAGE_FAILED') }
  }
  return { kind: 'fresh', output: { token, user } }
}

const problemResult = (answer: ResponseData): Result<never> => ({ kind: 'problem', problem: problemOf(answer) })

const formOf = (given: Credentials | SecondFactor): Record<string, string> =>
  'mfa_token' in given
    ? { grant_type: 'mfa', ...given }
    : {
        grant_type: 'password',
        scope: 'all',
        username: `${given.company}:${given.username}`,
        password: given.password,
      }

function grant(body: Record<string, string>, language: Language | null): RequestData {
  const wire = toWire(grantToken, { body } as never)
  return {
    ...wire,
    headers: {
      authorization: basicCredential,
      'content-type': wire.contentType ?? '',
      'accept-language': language ?? '*',
    },
  }
}

const ownPath = toWire(getUser, {}).path
const ownUser = (token: string): RequestData => ({
  method: 'GET',
  path: ownPath,
  headers: { authorization: `Bearer ${token}` },
  body: null,
})

/** The device's storage comes only now: before the first sign-in a page does without it. */
async function settleIn(ports: Ports, user: SignedIn['user'], answer: ResponseData, token: TokenInfo): Promise<void> {
  const [
    { openSession },
    { readGate },
    { noteGiven, sendSignedIn },
    { storeReading },
    { openSeals },
    { checkCounts },
    { openSealedCache },
  ] = await Promise.all([
    import('#local/session/session.ts'),
    import('#local/session/session-generation.ts'),
    import('#request/session/auth-fetch.ts'),
    import('#local/lists/response-store.ts'),
    import('#request/session/open-seals.ts'),
    import('#request/session/unsent-count.ts'),
    import('#request/session/open-cache.ts'),
  ])
  const device = await ports.device()
  const subject = readSubject(answer.headers.get(headers.subject)) ?? { companyId: user.company_id, userId: user.id }
  await openSealedCache(ports, device.of(subject), token.access_token)
  await openSession(device, subject)
  await noteGiven(ports, token)
  const generation = await readGate(device.of(subject))
  const asOf = Number(answer.headers.get(headers.asOf) ?? ports.clock())
  if (generation !== null)
    await storeReading(device.of(subject), { path: ownPath, body: answer.text, asOf }, generation)
  // What they left unsent is theirs again.
  await openSeals(ports, { db: device.of(subject), forUser: subjectOf(subject), send: sendSignedIn }, { again: true })
  await checkCounts(ports, subject)
}

/**
 * Works without a network: the mark is set first, rows are wiped, waiting writes are sealed for their owner or, if that
 * is wished, discarded (protocol 30).
 */
export async function signOut(ports: Ports, discard = false): Promise<void> {
  const { markSignedOut, readSession } = await import('#local/session/session.ts')
  const device = await ports.device()
  const session = await readSession(device)
  if (session && discard) {
    await (await import('#local/outbox/user-actions.ts')).discardAll(device.of(session), ports.clock())
    await (await import('#request/session/unsent-count.ts')).storeUnsentCount(ports, session)
  }
  await markSignedOut(device)
  const token = await ports.access.read(session)
  // No further claim passes the closed gate; one that is on its way may still hear its answer.
  if (session) await ports.locks.hold(`drain:${device.of(session).name}`, { waitMs: drainWaitMs }, async () => {})
  await ports.access.forget()
  await finishSignOut(ports, token)
}

/**
 * The chore that an offline sign-out leaves behind: tell the server, by the refresh cookie if nothing else is left. Only
 * its answer takes the mark away (protocol 29); 401 says that there is nothing left to end. True once that is done.
 */
export async function finishSignOut(ports: Ports, token: string | null = null): Promise<boolean> {
  const held = await ports.locks.hold(cookieLock, { waitMs: drainWaitMs, takeFromFrozen: true }, () =>
    tellServer(ports, token),
  )
  return held?.value ?? false
}

async function tellServer(ports: Ports, token: string | null): Promise<boolean> {
  const { endSession, readSession } = await import('#local/session/session.ts')
  const device = await ports.device()
  const session = await readSession(device)
  if (!session?.signedOut) return true
  const answer = await sendRequest(ports, {
    method: logout.method,
    path: logout.path,
    headers: token ? { authorization: `Bearer ${token}` } : {},
    body: null,
  })
  if (!answer || !(isGood(answer) || answer.status === 401)) return false
  await endSession(device, session.generation)
  return true
}
