/**
 * Progress as it happens (M47, D62): a websocket that tells a user how far their own long requests are. The token comes
 * in the first message and never in the address (S-59); whose session ends hears nothing more. An accelerator only: who
 * has no socket polls, and learns the same.
 */
import { setTimeout as wait } from 'node:timers/promises'
import type { WebSocket } from '@fastify/websocket'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { Caller } from '#domain/access.ts'
import { livingSessions } from '#server/db/accounts/tokens.ts'
import { inTransaction } from '#server/db/transaction.ts'
import { maySocketOpen } from '#server/http/cross-site.ts'
import type { HttpContext } from '#server/http/context.ts'
import { requireCaller, subjectOf, principalOf } from '#server/http/authenticate.ts'
import type { AppContext } from '#server/context/context.ts'
import { securityEvent } from '#server/context/log.ts'
import { forbidden, notFound, ProblemError } from '#server/problems/problem-error.ts'
import { type Progress, progressChannel, progressNow, type ProgressOf } from '#server/use-cases/job-requests.ts'
import { accountsChannel, type ChangedAccount } from '#server/use-cases/accounts/announce-account.ts'
import { hearsOf, servicesChannel } from '#server/use-cases/hosting/announce.ts'
import { sessionsChannel } from '#server/use-cases/sessions/ended-sessions.ts'

/** Of @fastify/websocket: nothing that is meant for us is longer. */
export const websocketOptions = { options: { maxPayload: 65_536 } }

const path = '/api/m18s/progress'
const limits = { messagesPerSecond: 20, socketsPerUser: 20, unsentBytes: 65_536 }
/** In ms: the first message must come within, and so often sessions are looked up. */
export const times = { firstMessage: 10_000, look: 5_000 }
/** Closing codes: the first three of the IANA registry (RFC 6455), the last our 401. */
const because = { policy: 1008, comeAgain: 1012, tryLater: 1013, unauthorized: 4401 } as const

/** A list, or the signed-in user's own rights and names, are no longer what they were. */
interface Changed {
  changed: 'services' | 'account'
}

interface Listener {
  socket: WebSocket
  caller: Caller
  sessionId: string
  /** What was sent to it, one after the other. */
  sent: Promise<void>
  /** It has answered since it was last asked whether it is there. */
  answers: boolean
}

export function serveProgress(fastify: FastifyInstance, { app }: HttpContext): void {
  const listeners = new Set<Listener>()
  const unhear = app.database.listen(progressChannel, (message) => {
    const { companyId, userId, progress } = JSON.parse(message) as ProgressOf
    for (const listener of listeners)
      if (listener.caller.companyId === companyId && listener.caller.userId === userId) deliver(app, listener, progress)
  })
  const unhearServices = hearServices(app, listeners)
  const unhearAccounts = app.database.listen(accountsChannel, (message) => {
    const { companyId, userId } = JSON.parse(message) as ChangedAccount
    for (const listener of listeners)
      if (listener.caller.companyId === companyId && (userId ?? listener.caller.userId) === listener.caller.userId)
        tellAccount(app, listener)
  })
  const unhearEnds = app.database.listen(sessionsChannel, () => void closeEnded(app, listeners))
  const closing = new AbortController()
  void lookOften(app, listeners, closing.signal)
  fastify.addHook('onClose', async () => {
    closing.abort()
    unhear()
    unhearServices()
    unhearAccounts()
    unhearEnds()
  })

  fastify.route({
    method: 'GET',
    url: path,
    exposeHeadRoute: false,
    // Before the upgrade: a page of another origin gets a plain 403 (S-59).
    onRequest: async (request) => checkOrigin(app, request),
    handler: () => Promise.reject(notFound()),
    wsHandler: (socket, request) => meet(app, listeners, socket, request),
  })
}

/** Many services may change at once, and each change be told by several nodes: listeners hear of it once. In ms. */
export const gatherMs = 500

/** Tells whoever may see services that some have changed, and nothing of which. Answers how to stop. */
function hearServices(app: AppContext, listeners: ReadonlySet<Listener>): () => void {
  let companies = new Set<number>()
  let timer: NodeJS.Timeout | null = null
  const tell = () => {
    timer = null
    const changed = companies
    companies = new Set()
    for (const listener of listeners)
      if (hearsOf(listener.caller, changed)) deliver(app, listener, { changed: 'services' })
  }
  const unhear = app.database.listen(servicesChannel, (message) => {
    companies.add(Number(message))
    timer ??= setTimeout(tell, gatherMs)
  })
  return () => {
    unhear()
    if (timer) clearTimeout(timer)
  }
}

/** What it may hear was decided by the rights that it had: it comes again, and is let in with those that it has now. */
function tellAccount(app: AppContext, listener: Listener): void {
  deliver(app, listener, { changed: 'account' })
  listener.sent = listener.sent.then(() => listener.socket.close(because.comeAgain))
}

function checkOrigin({ config }: AppContext, request: FastifyRequest): void {
  if (maySocketOpen(request.headers, config.publicUrl)) return
  securityEvent(request.log, 'cross-site refused', { route: path })
  throw forbidden()
}

function meet(app: AppContext, listeners: Set<Listener>, socket: WebSocket, request: FastifyRequest): void {
  let listener: Listener | null = null
  let isKnown = false
  const late = setTimeout(() => socket.close(because.unauthorized), times.firstMessage)
  const isFlood = countPerSecond()
  let isClosing = false
  const endFlood = () => {
    isClosing = true
    securityEvent(request.log, 'flood', { route: path })
    socket.close(because.policy)
  }
  // Each ping is answered, and answers that nobody reads stay in memory: such a socket is not closed but cut.
  const countControl = () => {
    if (isClosing) return socket.terminate()
    if (isFlood()) endFlood()
  }
  socket.on('ping', countControl)
  socket.on('pong', countControl)
  socket.on('message', (data, isBinary) => {
    // What was on its way when it was closed still comes in: it is neither read nor written down.
    if (isClosing) return
    if (isFlood()) return endFlood()
    // Only the first message says anything; what a page sends after it is not read.
    if (isKnown) return
    isKnown = true
    const { token, account } = isBinary ? noWords : firstWords(String(data))
    // Known here from the moment on which it is listed: it may be asked whether it is there before it has been told anything.
    const join = (one: Listener) => {
      listener = one
      // It may have gone while its token was looked up.
      if (socket.readyState === socket.OPEN) listeners.add(one)
      // What changed while it was not connected it has not heard.
      if (account) send(one, { changed: 'account' })
    }
    void admit(app, listeners, socket, token, join).then(() => clearTimeout(late))
  })
  socket.on('pong', () => {
    if (listener) listener.answers = true
  })
  socket.on('close', () => {
    clearTimeout(late)
    if (listener) listeners.delete(listener)
  })
  socket.on('error', () => socket.terminate())
}

function countPerSecond(): () => boolean {
  let since = 0
  let count = 0
  return () => {
    const now = performance.now()
    if (now - since > 1000) [since, count] = [now, 0]
    count += 1
    return count > limits.messagesPerSecond
  }
}

/** `account`: it wants to read the signed-in user as soon as it hears of changes. */
interface FirstWords {
  token: string | null
  account: boolean
}

const noWords: FirstWords = { token: null, account: false }

function firstWords(text: string): FirstWords {
  try {
    const { token, account } = JSON.parse(text) as { token?: unknown; account?: unknown }
    return { token: typeof token === 'string' ? token : null, account: account === true }
  } catch {
    return noWords
  }
}

/** `join`: it is not turned away. */
async function admit(
  app: AppContext,
  listeners: ReadonlySet<Listener>,
  socket: WebSocket,
  token: string | null,
  join: (listener: Listener) => void,
): Promise<void> {
  try {
    const principal = await principalOf(app, `Bearer ${token ?? ''}`)
    const caller = requireCaller(principal)
    const own = [...listeners].filter((one) => subjectOf(one.caller) === subjectOf(caller))
    if (own.length >= limits.socketsPerUser) {
      socket.close(because.tryLater)
      return
    }
    const listener = { socket, caller, sessionId: principal.sessionId ?? '', sent: Promise.resolve(), answers: true }
    // Heard from here on, then what was before: so nothing falls in between.
    join(listener)
    for (const progress of await progressNow(app, caller)) send(listener, progress)
  } catch (error) {
    if (!(error instanceof ProblemError)) app.log.error({ err: error }, 'a websocket could not be let in')
    socket.close(error instanceof ProblemError && error.status === 401 ? because.unauthorized : because.tryLater)
  }
}

function deliver(app: AppContext, listener: Listener, told: Progress | Changed): void {
  // In their order, and each only to a session that stands at that moment (S-44).
  listener.sent = listener.sent
    .then(async () => {
      if (await isLiving(app, listener)) send(listener, told)
      else listener.socket.close(because.unauthorized)
    })
    .catch((error: unknown) => app.log.warn({ err: error }, 'progress could not be told'))
}

const isLiving = async (app: AppContext, { sessionId }: Listener) => (await living(app, [sessionId])).has(sessionId)

const living = (app: AppContext, ids: readonly string[]) =>
  inTransaction(app, { role: 'portal_system' }, (db) => livingSessions(db, ids, app.clock()))

/** To one that does not read, nothing more: what it missed it learns by polling. */
function send({ socket }: Listener, told: Progress | Changed): void {
  if (socket.readyState !== socket.OPEN || socket.bufferedAmount > limits.unsentBytes) return
  socket.send(JSON.stringify(told))
}

/** One after the other: where the database is slow, a second look would find nobody's answer to the first one's question. */
async function lookOften(app: AppContext, listeners: ReadonlySet<Listener>, closing: AbortSignal): Promise<void> {
  const rest = () => wait(times.look, true, { signal: closing, ref: false }).catch(() => false)
  while (await rest()) await look(app, listeners)
}

/** Closes the sockets of ended sessions, also where nothing is to be told, and those whose other end is gone. */
async function look(app: AppContext, listeners: ReadonlySet<Listener>): Promise<void> {
  await closeEnded(app, listeners)
  for (const listener of listeners)
    if (!listener.answers) listener.socket.terminate()
    else ask(listener)
}

async function closeEnded(app: AppContext, listeners: ReadonlySet<Listener>): Promise<void> {
  const all = [...listeners]
  if (all.length === 0) return
  try {
    const alive = await living(app, [...new Set(all.map(({ sessionId }) => sessionId))])
    for (const { sessionId, socket } of all) if (!alive.has(sessionId)) socket.close(because.unauthorized)
  } catch (error) {
    app.log.warn({ err: error }, 'the sessions of websockets could not be looked up')
  }
}

function ask(listener: Listener): void {
  listener.answers = false
  listener.socket.ping()
}
