/**
 * Serves the WebSocket that reports job progress and changes. The token is in the first message and never in the URL (S-59). Clients
 * without a socket poll instead (M47, D62).
 */
import { setTimeout as wait } from 'node:timers/promises'
import type { WebSocket, WebsocketPluginOptions } from '@fastify/websocket'
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

/** Closes all WebSockets, because the server stops. Does not wait for the clients, but cuts their connections after some time. */
export function closeSockets({ websocketServer }: Pick<FastifyInstance, 'websocketServer'>): void {
  const sockets = [...websocketServer.clients]
  for (const socket of sockets) socket.close(closeCodes.goingAway)
  if (sockets.length > 0) setTimeout(() => sockets.forEach((socket) => socket.terminate()), maxCloseMs).unref()
}

/** Maximum size of a message in bytes. Real messages are shorter. */
export const websocketOptions: WebsocketPluginOptions = {
  options: { maxPayload: 65_536 },
  preClose(done) {
    closeSockets(this)
    done()
  },
}

const progressPath = '/api/m18s/progress'
const limits = { messagesPerSecond: 20, socketsPerUser: 20, unsentBytes: 65_536 }
/** Deadline for the first message, and interval of the session checks, in ms. */
export const socketTimingsMs = { firstMessage: 10_000, checkInterval: 5_000 }
/** Time in ms that clients get to close their side when the server stops. A device without a network never does. */
const maxCloseMs = 1000
/** Codes with which sockets are closed. The first four are of the IANA registry (RFC 6455). 4401 corresponds to HTTP 401. */
const closeCodes = { goingAway: 1001, policy: 1008, reconnect: 1012, tryLater: 1013, unauthorized: 4401 } as const

/** Reports that the list of services, or rights or names of the signed-in user, have changed. */
interface ChangeMessage {
  changed: 'services' | 'account'
}

interface Listener {
  socket: WebSocket
  caller: Caller
  sessionId: string
  sending: Promise<void>
  /** True if the client has responded to the last ping. */
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
  const closeEndedSessions = () => void closeEnded(app, listeners)
  const unsubscribeSessions = app.database.listen(sessionsChannel, closeEndedSessions, closeEndedSessions)
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
    // The origin is checked before the upgrade, so that a page of another origin gets a plain 403 (S-59).
    onRequest: async (request) => checkOrigin(app, request),
    handler: () => Promise.reject(createNotFoundProblem()),
    wsHandler: (socket, request) => handleConnection(app, listeners, socket, request),
  })
}

/**
 * Time in ms for which changes are collected: many services may change together, and each node may report them. Clients get one message.
 */
export const groupingMs = 500

/** Notifies users who may see the services of a company, without details. Returns a stop function. */
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
  const addCompanies = (...companyIds: number[]) => {
    for (const companyId of companyIds) companies.add(companyId)
    timer ??= setTimeout(notifyListeners, groupingMs)
  }
  const unsubscribe = app.database.listen(
    servicesChannel,
    (message) => addCompanies(Number(message)),
    () => addCompanies(...[...listeners].map(({ caller }) => caller.companyId)),
  )
  return () => {
    unsubscribe()
    if (timer) clearTimeout(timer)
  }
}

/** Notifies the client and closes the connection. It was admitted with the former rights, so the client must connect again. */
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
    logSecurityEvent(request.log, 'websocket_flood', { route: progressPath })
    socket.close(closeCodes.policy)
  }
  // The server responds to each ping, and responses that the client does not read stay in memory. So a socket that keeps flooding is
  // terminated.
  const countControl = () => {
    if (isClosing) return socket.terminate()
    if (isOverLimit()) endFlooding()
  }
  socket.on('ping', countControl)
  socket.on('pong', countControl)
  socket.on('message', (data, isBinary) => {
    // Messages that still arrive after closing are neither read nor logged.
    if (isClosing) return
    if (isOverLimit()) return endFlooding()
    if (hasFirstMessage) return
    hasFirstMessage = true
    const { token, account } = isBinary ? emptyFirstMessage : parseFirstMessage(String(data))
    // Sets `listener` before adding it to the list: from then on it may be pinged, and the `pong` handler below reads `listener`.
    const addListener = (newListener: Listener) => {
      listener = newListener
      // The socket may have been closed while its token was checked.
      if (socket.readyState === socket.OPEN) listeners.add(newListener)
      // The client has missed changes while it was disconnected.
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

/** `account` is true if the client wants to be notified of changes of the signed-in user. */
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
    // The listener is added before the current progress is read, so that no change in between is missed.
    addListener(listener)
    for (const progress of await listRunningProgress(app, caller)) send(listener, progress)
  } catch (error) {
    if (!(error instanceof ProblemError))
      app.log.error({ event: 'websocket_open_failed', err: error }, 'could not open a WebSocket')
    socket.close(error instanceof ProblemError && error.status === 401 ? closeCodes.unauthorized : closeCodes.tryLater)
  }
}

function deliver(app: AppContext, listener: Listener, message: JobProgress | ChangeMessage): void {
  // Messages are sent in order, and only while the session is active (S-44).
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

/** Sends a message, but not to a client that does not read. Such a client gets the missed information by polling. */
function send({ socket }: Listener, message: JobProgress | ChangeMessage): void {
  if (socket.readyState !== socket.OPEN || socket.bufferedAmount > limits.unsentBytes) return
  socket.send(JSON.stringify(message))
}

/** Runs one check at a time. With a slow database, a second check would otherwise find the first ping without a response. */
async function checkPeriodically(
  app: AppContext,
  listeners: ReadonlySet<Listener>,
  signal: AbortSignal,
): Promise<void> {
  const waitForNextCheck = () => wait(socketTimingsMs.checkInterval, true, { signal, ref: false }).catch(() => false)
  while (await waitForNextCheck()) await checkListeners(app, listeners)
}

/** Closes sockets of ended sessions, even without messages to send, and sockets that no longer respond. */
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
