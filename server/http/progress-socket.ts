/**
 * Progress as it happens (M47, D62): a websocket that tells a user how far their own long requests are. The token comes
 * in the first message and never in the address (S-59); whose session ends hears nothing more. An accelerator only: who
 * has no socket polls, and learns the same.
 */
import { setTimeout as wait } from 'node:timers/promises'
import type { WebSocket } from '@fastify/websocket'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { Caller } from '#domain/access.ts'
import { findActiveSessionIds } from '#server/db/accounts/tokens.ts'
import { writeAsSystem } from '#server/db/transaction.ts'
import { canOpenSocket } from '#server/http/cross-site.ts'
import type { HttpContext } from '#server/http/http-context.ts'
import { requireCaller, getSubject, authenticate } from '#server/http/authenticate.ts'
import type { AppContext } from '#server/context/context.ts'
import { logSecurityEvent } from '#server/context/log.ts'
import { createForbiddenProblem, createNotFoundProblem, ProblemError } from '#server/problems/problem-error.ts'
import {
  type JobProgress,
  progressChannel,
  listRunningProgress,
  type UserJobProgress,
} from '#server/use-cases/job-requests.ts'
import { accountsChannel, type ChangedAccount } from '#server/use-cases/accounts/announce-account.ts'
import { canSeeServicesOf, servicesChannel } from '#server/use-cases/hosting/announce.ts'
import { sessionsChannel } from '#server/use-cases/sessions/ended-sessions.ts'

/** Of @fastify/websocket: nothing that is meant for us is longer. */
export const websocketOptions = { options: { maxPayload: 65_536 } }

const progressPath = '/api/m18s/progress'
const limits = { messagesPerSecond: 20, socketsPerUser: 20, unsentBytes: 65_536 }
/** In ms: the first message must come within, and so often sessions are looked up. */
export const socketTimingsMs = { firstMessage: 10_000, checkInterval: 5_000 }
/** Closing codes: the first three of the IANA registry (RFC 6455), the last our 401. */
const closeCodes = { policy: 1008, reconnect: 1012, tryLater: 1013, unauthorized: 4401 } as const

/** A list, or the signed-in user's own rights and names, are no longer what they were. */
interface ChangeMessage {
  changed: 'services' | 'account'
}

interface Listener {
  socket: WebSocket
  caller: Caller
  sessionId: string
  /** What was sent to it, one after the other. */
  sending: Promise<void>
  /** It has answered since it was last asked whether it is there. */
  isAlive: boolean
}

export function serveProgress(fastify: FastifyInstance, { app }: HttpContext): void {
  const listeners = new Set<Listener>()
  const unsubscribeProgress = app.database.listen(progressChannel, (message) => {
    const { companyId, userId, progress } = JSON.parse(message) as UserJobProgress
    for (const listener of listeners)
      if (listener.caller.companyId === companyId && listener.caller.userId === userId) deliver(app, listener, progress)
  })
  const unsubscribeServices = subscribeToServices(app, listeners)
  const unsubscribeAccounts = app.database.listen(accountsChannel, (message) => {
    const { companyId, userId } = JSON.parse(message) as ChangedAccount
    for (const listener of listeners)
      if (listener.caller.companyId === companyId && (userId ?? listener.caller.userId) === listener.caller.userId)
        notifyAccountChange(app, listener)
  })
  const unsubscribeSessions = app.database.listen(sessionsChannel, () => void closeEnded(app, listeners))
  const closeController = new AbortController()
  void checkPeriodically(app, listeners, closeController.signal)
  fastify.addHook('onClose', async () => {
    closeController.abort()
    unsubscribeProgress()
    unsubscribeServices()
    unsubscribeAccounts()
    unsubscribeSessions()
  })

  fastify.route({
    method: 'GET',
    url: progressPath,
    exposeHeadRoute: false,
    // Before the upgrade: a page of another origin gets a plain 403 (S-59).
    onRequest: async (request) => checkOrigin(app, request),
    handler: () => Promise.reject(createNotFoundProblem()),
    wsHandler: (socket, request) => handleConnection(app, listeners, socket, request),
  })
}

/** Many services may change at once, and each change be told by several nodes: listeners hear of it once. In ms. */
export const groupingMs = 500

/** Tells whoever may see services that some have changed, and nothing of which. Answers how to stop. */
function subscribeToServices(app: AppContext, listeners: ReadonlySet<Listener>): () => void {
  let companies = new Set<number>()
  let timer: NodeJS.Timeout | null = null
  const notifyListeners = () => {
    timer = null
    const changedCompanies = companies
    companies = new Set()
    for (const listener of listeners)
      if (canSeeServicesOf(listener.caller, changedCompanies)) deliver(app, listener, { changed: 'services' })
  }
  const unsubscribe = app.database.listen(servicesChannel, (message) => {
    companies.add(Number(message))
    timer ??= setTimeout(notifyListeners, groupingMs)
  })
  return () => {
    unsubscribe()
    if (timer) clearTimeout(timer)
  }
}

/** What it may hear was decided by the rights that it had: it comes again, and is let in with those that it has now. */
function notifyAccountChange(app: AppContext, listener: Listener): void {
  deliver(app, listener, { changed: 'account' })
  listener.sending = listener.sending.then(() => listener.socket.close(closeCodes.reconnect))
}

function checkOrigin({ config }: AppContext, request: FastifyRequest): void {
  if (canOpenSocket(request.headers, config.publicUrl)) return
  logSecurityEvent(request.log, 'cross_site_refused', { route: progressPath })
  throw createForbiddenProblem()
}

function handleConnection(app: AppContext, listeners: Set<Listener>, socket: WebSocket, request: FastifyRequest): void {
  let listener: Listener | null = null
  let hasFirstMessage = false
  const firstMessageTimer = setTimeout(() => socket.close(closeCodes.unauthorized), socketTimingsMs.firstMessage)
  const isOverLimit = countPerSecond()
  let isClosing = false
  const endFlooding = () => {
    isClosing = true
    logSecurityEvent(request.log, 'request_flood', { route: progressPath })
    socket.close(closeCodes.policy)
  }
  // Each ping is answered, and answers that nobody reads stay in memory: such a socket is not closed but cut.
  const countControl = () => {
    if (isClosing) return socket.terminate()
    if (isOverLimit()) endFlooding()
  }
  socket.on('ping', countControl)
  socket.on('pong', countControl)
  socket.on('message', (data, isBinary) => {
    // What was on its way when it was closed still comes in: it is neither read nor written down.
    if (isClosing) return
    if (isOverLimit()) return endFlooding()
    // Only the first message says anything; what a page sends after it is not read.
    if (hasFirstMessage) return
    hasFirstMessage = true
    const { token, account } = isBinary ? emptyFirstMessage : parseFirstMessage(String(data))
    // Known here from the moment on which it is listed: it may be asked whether it is there before it has been told anything.
    const addListener = (newListener: Listener) => {
      listener = newListener
      // It may have gone while its token was looked up.
      if (socket.readyState === socket.OPEN) listeners.add(newListener)
      // What changed while it was not connected it has not heard.
      if (account) send(newListener, { changed: 'account' })
    }
    void admit(app, listeners, socket, token, addListener).then(() => clearTimeout(firstMessageTimer))
  })
  socket.on('pong', () => {
    if (listener) listener.isAlive = true
  })
  socket.on('close', () => {
    clearTimeout(firstMessageTimer)
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
interface FirstMessage {
  token: string | null
  account: boolean
}

const emptyFirstMessage: FirstMessage = { token: null, account: false }

function parseFirstMessage(text: string): FirstMessage {
  try {
    const { token, account } = JSON.parse(text) as { token?: unknown; account?: unknown }
    return { token: typeof token === 'string' ? token : null, account: account === true }
  } catch {
    return emptyFirstMessage
  }
}

/** `addListener`: it is not turned away. */
async function admit(
  app: AppContext,
  listeners: ReadonlySet<Listener>,
  socket: WebSocket,
  token: string | null,
  addListener: (listener: Listener) => void,
): Promise<void> {
  try {
    const principal = await authenticate(app, `Bearer ${token ?? ''}`)
    const caller = requireCaller(principal)
    const ownListeners = [...listeners].filter((listener) => getSubject(listener.caller) === getSubject(caller))
    if (ownListeners.length >= limits.socketsPerUser) {
      socket.close(closeCodes.tryLater)
      return
    }
    const listener = { socket, caller, sessionId: principal.sessionId ?? '', sending: Promise.resolve(), isAlive: true }
    // Heard from here on, then what was before: so nothing falls in between.
    addListener(listener)
    for (const progress of await listRunningProgress(app, caller)) send(listener, progress)
  } catch (error) {
    if (!(error instanceof ProblemError))
      app.log.error({ event: 'websocket_open_failed', err: error }, 'could not open a WebSocket')
    socket.close(error instanceof ProblemError && error.status === 401 ? closeCodes.unauthorized : closeCodes.tryLater)
  }
}

function deliver(app: AppContext, listener: Listener, message: JobProgress | ChangeMessage): void {
  // In their order, and each only to a session that stands at that moment (S-44).
  listener.sending = listener.sending
    .then(async () => {
      if (await isSessionActive(app, listener)) send(listener, message)
      else listener.socket.close(closeCodes.unauthorized)
    })
    .catch((error: unknown) =>
      app.log.warn({ event: 'websocket_send_failed', err: error }, 'could not send progress to a WebSocket'),
    )
}

const isSessionActive = async (app: AppContext, { sessionId }: Listener) =>
  (await findActiveSessions(app, [sessionId])).has(sessionId)

const findActiveSessions = (app: AppContext, ids: readonly string[]) =>
  writeAsSystem(app, (db) => findActiveSessionIds(db, ids, app.clock()))

/** To one that does not read, nothing more: what it missed it learns by polling. */
function send({ socket }: Listener, message: JobProgress | ChangeMessage): void {
  if (socket.readyState !== socket.OPEN || socket.bufferedAmount > limits.unsentBytes) return
  socket.send(JSON.stringify(message))
}

/** One after the other: where the database is slow, a second look would find nobody's answer to the first one's question. */
async function checkPeriodically(
  app: AppContext,
  listeners: ReadonlySet<Listener>,
  signal: AbortSignal,
): Promise<void> {
  const waitForNextCheck = () => wait(socketTimingsMs.checkInterval, true, { signal, ref: false }).catch(() => false)
  while (await waitForNextCheck()) await checkListeners(app, listeners)
}

/** Closes the sockets of ended sessions, also where nothing is to be told, and those whose other end is gone. */
async function checkListeners(app: AppContext, listeners: ReadonlySet<Listener>): Promise<void> {
  await closeEnded(app, listeners)
  for (const listener of listeners)
    if (!listener.isAlive) listener.socket.terminate()
    else pingListener(listener)
}

async function closeEnded(app: AppContext, listeners: ReadonlySet<Listener>): Promise<void> {
  const allListeners = [...listeners]
  if (allListeners.length === 0) return
  try {
    const activeSessionIds = await findActiveSessions(app, [...new Set(allListeners.map(({ sessionId }) => sessionId))])
    for (const { sessionId, socket } of allListeners)
      if (!activeSessionIds.has(sessionId)) socket.close(closeCodes.unauthorized)
  } catch (error) {
    app.log.warn(
      { event: 'websocket_session_check_failed', err: error },
      'could not check the sessions of open WebSockets',
    )
  }
}

function pingListener(listener: Listener): void {
  listener.isAlive = false
  listener.socket.ping()
}
