/** Runs one task of a sample instance: serves HTTP on a local socket until it receives SIGTERM. */
import { readFileSync } from 'node:fs'
import { openLogWriter } from '#server/drivers/hosting/local/log-writer.ts'
import { cutText } from '#server/drivers/hosting/log-text.ts'
import { createServer, type IncomingMessage, type ServerResponse } from '#server/drivers/hosting/gateway/socket-http.ts'
import { readApps } from '#demo/sample-instance/app-data.ts'
import { renderMessagePage, parseLanguage, createTranslate } from '#demo/sample-instance/pages.ts'
import {
  isOwnForm,
  maxBodyBytes,
  createPageResponse,
  readRequest,
  sendResponse,
} from '#demo/sample-instance/requests.ts'
import { routeRequest, type SampleContext } from '#demo/sample-instance/routes.ts'
import type { TaskArguments } from '#demo/sample-instance/task-arguments.ts'
import { readStandardInput } from '#demo/sample-instance/standard-input.ts'
import { openStore } from '#demo/sample-instance/store.ts'
import { findSession } from '#demo/sample-instance/users.ts'

const endMs = 3000
const megabyte = 1024 * 1024
const maxLoggedPath = 200

/** Serves requests only after `go` on standard input. Before that, the supervisor may have ended without a record of the task. */
export async function serve(argument: string): Promise<void> {
  const taskArguments = JSON.parse(argument) as TaskArguments
  if ((await readStandardInput(16)) !== 'go') return
  const store = openStore(taskArguments.data, Date.now())
  const log = openLogWriter(taskArguments.logs, taskArguments.number)
  const memoryBlocks: Buffer[] = []
  const context: SampleContext = {
    store,
    apps: readApps(taskArguments),
    memory: () => ({
      task: taskArguments.number,
      usedMb: Math.round(process.memoryUsage.rss() / megabyte),
      limitMb: taskArguments.limitMb,
    }),
    // The block is filled, because the system allocates memory only when it is written.
    useMoreMemory: () => void memoryBlocks.push(Buffer.alloc(100 * megabyte, 1)),
    log: log.write,
    clock: Date.now,
  }
  const css = readFileSync(new URL('style.css', import.meta.url), 'utf8')

  const server = createServer((request, response) => {
    const startedAt = performance.now()
    const [path = ''] = (request.url ?? '').split('?')
    // Health checks come from the supervisor directly, not through the gateway.
    if (path === '/health' && request.headers.host === 'socket') return sendHealth(response)
    const requestText = `${request.method} ${cutText(path, maxLoggedPath)}`
    response.on('close', () => {
      const outcome = `${requestText} ${response.statusCode}`
      const text = `${outcome} ${Math.round(performance.now() - startedAt)} ms`
      log.write('info', text, { priority: 'request', repeatKey: outcome })
    })
    if (path === '/style.css')
      return sendResponse(response, { status: 200, body: css, headers: styleHeaders }, request.method === 'HEAD')
    handleRequest(request, response).catch((error: unknown) => {
      log.write('error', `${requestText}: ${error instanceof Error ? error.stack : String(error)}`)
      if (response.headersSent) response.destroy()
      else sendMessage(request, response, 'failed', 500)
    })
  })

  function sendHealth(response: ServerResponse): void {
    // If the database cannot be read, this throws, and the health check fails.
    store.prepare('select count(*) from users').get()
    response.writeHead(200, { 'content-type': 'text/plain' }).end('ok')
  }

  async function handleRequest(request: IncomingMessage, response: ServerResponse): Promise<void> {
    if (request.method === 'POST' && !isOwnForm(request)) return sendMessage(request, response, 'refused', 403)
    if (Number(request.headers['content-length'] ?? 0) > maxBodyBytes)
      return sendMessage(request, response, 'too-large', 413)
    const instanceRequest = await readRequest(request, taskArguments.code, (cookie) =>
      findSession(store, cookie, Date.now()),
    )
    if (!instanceRequest) return sendMessage(request, response, 'not-found', 405)
    sendResponse(response, await routeRequest(instanceRequest, context), request.method === 'HEAD')
  }

  function sendMessage(
    request: IncomingMessage,
    response: ServerResponse,
    textKey: Parameters<typeof renderMessagePage>[1],
    status: number,
  ): void {
    const language = parseLanguage(request.headers['accept-language'])
    const site = request.headers.host?.startsWith('admin.') ? 'admin' : 'www'
    const view = {
      language,
      translate: createTranslate(language),
      code: taskArguments.code,
      site,
      otherSite: '',
      path: '',
      session: null,
    } as const
    sendResponse(response, createPageResponse(renderMessagePage(view, textKey), status), request.method === 'HEAD')
  }

  // The socket is accessible to its owner only, like all files of the portal.
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(taskArguments.socket, resolve)
  })
  log.write('info', `task ${taskArguments.number} started`)

  process.on('SIGTERM', () => {
    log.write('info', `task ${taskArguments.number} ended`)
    // Running requests finish. No new ones arrive, because the gateway no longer routes to this task.
    server.close(() => endProcess())
    server.closeIdleConnections()
    setTimeout(endProcess, endMs).unref()
  })

  function endProcess(): void {
    // Closing the log also writes how often the last entry was repeated.
    log.close()
    process.exit(0)
  }
}

const styleHeaders = { 'content-type': 'text/css; charset=utf-8', 'cache-control': 'max-age=300' }
