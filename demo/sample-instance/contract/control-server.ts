/** Serves the control endpoint of the instance contract, version 1. */
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import type { LogWriter } from '#server/drivers/hosting/local/log-writer.ts'
import type { IncomingMessage, ServerResponse } from '#server/drivers/hosting/gateway/socket-http.ts'
import { ControlError, toControlError } from '#demo/sample-instance/contract/control-error.ts'
import { formatData, parseData } from '#server/drivers/hosting/data-lines.ts'
import { isSha256 } from '#demo/sample-instance/contract/environment.ts'
import { receivePackage } from '#demo/sample-instance/contract/package-upload.ts'
import { readChunks, readJsonBody, requireUtf8 } from '#demo/sample-instance/contract/read-body.ts'
import { maxPasswordLength } from '#demo/sample-instance/erp/passwords.ts'
import type { InstanceStorage } from '#demo/sample-instance/storage/instance-storage.ts'
import { isSameToken, writePassword } from '#demo/sample-instance/erp/users.ts'

export interface ControlServerOptions {
  token: string
  version: string
  storage: InstanceStorage
  log: LogWriter['write']
}

const maxPasswordBytes = 4096
const maxListBytes = 1_000_000
const maxPackageBytes = 100 * 1024 * 1024
const minPasswordLength = 8
/** Maximum time in ms for a body that is not streamed. */
const bodyMs = 30_000
/** Time in ms without any byte after which a streamed call is closed. Longer than the portal waits for the check of a draft (30 minutes). */
const idleMs = 2_400_000

interface ControlCall extends ControlServerOptions {
  request: IncomingMessage
  response: ServerResponse
  /** Last part of the path that identifies a draft or a package. */
  id: string
}

interface ControlRoute {
  method: string
  path: RegExp
  isStreamed?: true
  handle(call: ControlCall): Promise<void>
}

const routes: readonly ControlRoute[] = [
  { method: 'GET', path: /^$/, handle: sendInfo },
  { method: 'PUT', path: /^\/admin-password$/, handle: setPassword },
  { method: 'GET', path: /^\/data$/, isStreamed: true, handle: sendData },
  { method: 'DELETE', path: /^\/data$/, handle: eraseData },
  { method: 'POST', path: /^\/drafts$/, isStreamed: true, handle: createDraft },
  { method: 'POST', path: /^\/drafts\/([^/]+)\/activate$/, handle: activateDraft },
  { method: 'DELETE', path: /^\/drafts\/([^/]+)$/, handle: removeDraft },
  { method: 'GET', path: /^\/packages$/, handle: listPackages },
  { method: 'POST', path: /^\/packages\/keep$/, handle: keepPackages },
  { method: 'PUT', path: /^\/packages\/([^/]+)$/, isStreamed: true, handle: loadPackage },
]

const prefix = '/control/v1'

export const isControlPath = (path: string): boolean => path === '/control' || path.startsWith('/control/')

/** `path` has no query. Errors of the instance itself are logged; the caller gets one sentence. */
export async function handleControl(
  request: IncomingMessage,
  response: ServerResponse,
  path: string,
  options: ControlServerOptions,
): Promise<void> {
  try {
    const { route, id } = findRoute(request, path, options.token)
    limitTime(request, route)
    await route.handle({ ...options, request, response, id })
  } catch (error) {
    const controlError = toControlError(error)
    if (request.errored || response.destroyed || response.headersSent) {
      options.log('warn', `control request ${request.method} ${path} was cut off`)
      return void response.destroy()
    }
    if (!controlError)
      options.log(
        'error',
        `control request ${request.method} ${path}: ${error instanceof Error ? error.stack : String(error)}`,
      )
    sendJson(response, controlError?.status ?? 500, { error: controlError?.message ?? 'the instance failed' })
  }
}

function findRoute(request: IncomingMessage, path: string, token: string): { route: ControlRoute; id: string } {
  // A gateway must not pass these requests on. If it does, they are refused from any sender.
  if (/^(?:www|admin)\./i.test(request.headers.host ?? '')) throw new ControlError(404, 'there is no such page')
  const [, sentToken = ''] = /^Bearer ([\x21-\x7e]+)$/i.exec(request.headers.authorization ?? '') ?? []
  if (!isSameToken(sentToken, token)) throw new ControlError(401, 'the control token is missing or wrong')
  const isVersion = path === prefix || path.startsWith(`${prefix}/`)
  const matches = isVersion ? routes.filter((route) => route.path.test(path.slice(prefix.length))) : []
  if (matches.length === 0) throw new ControlError(404, 'the control endpoint has no such path')
  const route = matches.find(({ method }) => method === request.method)
  if (!route) throw new ControlError(405, `this path does not support ${request.method}`)
  return { route, id: route.path.exec(path.slice(prefix.length))?.[1] ?? '' }
}

function limitTime(request: IncomingMessage, { isStreamed }: ControlRoute): void {
  if (isStreamed) return void request.socket.setTimeout(idleMs)
  const timer = setTimeout(() => !request.complete && request.destroy(), bodyMs).unref()
  request.on('close', () => clearTimeout(timer))
}

function sendJson(response: ServerResponse, status: number, value: unknown): void {
  const headers = { 'content-type': 'application/json', 'cache-control': 'no-store' }
  response.writeHead(status, headers).end(JSON.stringify(value))
}

const sendDone = (response: ServerResponse): void => void response.writeHead(204, { 'cache-control': 'no-store' }).end()

async function sendInfo({ response, version, storage }: ControlCall): Promise<void> {
  sendJson(response, 200, { contract: 1, name: 'Sample instance', version, storage: storage.kind })
}

async function setPassword({ request, response, storage, log }: ControlCall): Promise<void> {
  const body = await readJsonBody(request, maxPasswordBytes)
  const { password } = ((typeof body === 'object' ? body : null) as { password?: unknown }) ?? {}
  const isAcceptable =
    typeof password === 'string' &&
    password.length >= minPasswordLength &&
    password.length <= maxPasswordLength &&
    password.isWellFormed() &&
    !/\p{Cc}/u.test(password)
  if (!isAcceptable)
    throw new ControlError(400, `the password must have ${minPasswordLength} to ${maxPasswordLength} characters`)
  await storage.useStore((store) => writePassword(store, 'admin', password))
  log('info', 'the password of admin was set')
  sendDone(response)
}

async function sendData({ response, storage }: ControlCall): Promise<void> {
  const lines = formatData(storage.readData())
  try {
    // The first chunk is read before the status is sent, because most errors occur there.
    const firstChunk = await lines.next()
    response.writeHead(200, { 'content-type': 'application/x-ndjson', 'cache-control': 'no-store' })
    async function* allChunks() {
      if (!firstChunk.done) yield firstChunk.value
      yield* lines
    }
    await pipeline(Readable.from(allChunks(), { objectMode: false }), response)
  } finally {
    // If the caller has left, the pipeline has not begun to read the lines, so it does not end them either.
    await lines.return(undefined)
  }
}

async function eraseData({ response, storage, log }: ControlCall): Promise<void> {
  await storage.eraseData()
  log('warn', 'all data was deleted')
  sendDone(response)
}

async function createDraft({ request, response, storage }: ControlCall): Promise<void> {
  const draft = await storage.createDraft(parseData(requireUtf8(readChunks(request, Number.POSITIVE_INFINITY))))
  sendJson(response, 201, { draft })
}

async function activateDraft({ response, storage, id, log }: ControlCall): Promise<void> {
  if (!(await storage.activateDraft(id))) throw new ControlError(404, 'there is no such draft')
  log('warn', 'the data was replaced')
  sendDone(response)
}

async function removeDraft({ response, storage, id }: ControlCall): Promise<void> {
  await storage.removeDraft(id)
  sendDone(response)
}

async function listPackages({ response, storage }: ControlCall): Promise<void> {
  sendJson(response, 200, await storage.packages.list())
}

async function loadPackage({ request, response, storage, id, log }: ControlCall): Promise<void> {
  if (!isSha256(id)) throw new ControlError(422, 'the path must end with a SHA-256 of 64 small hex digits')
  const isLoaded = (await storage.packages.list()).includes(id)
  if (!isLoaded) {
    await receivePackage(storage, id, readChunks(request, maxPackageBytes))
    log('info', `package ${id} was loaded`)
  }
  sendDone(response)
}

async function keepPackages({ request, response, storage }: ControlCall): Promise<void> {
  const sha256s = await readJsonBody(request, maxListBytes)
  if (!Array.isArray(sha256s) || !sha256s.every(isSha256))
    throw new ControlError(400, 'the body must be a list of SHA-256 digests')
  await storage.packages.keep(sha256s)
  sendDone(response)
}
