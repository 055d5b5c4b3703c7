/** One task of a sample instance: HTTP on a socket of this machine, until it is told to end. */
import { readFileSync } from 'node:fs'
import { cutText, openLogWriter } from '#server/drivers/hosting/local/log-writer.ts'
import { createServer, type IncomingMessage, type ServerResponse } from '#server/drivers/hosting/local/socket-http.ts'
import { readApps } from '#demo/sample-instance/app-data.ts'
import { messagePage, languageOf, sayIn } from '#demo/sample-instance/pages.ts'
import { isOwnForm, maxBody, page, readRequest, send } from '#demo/sample-instance/requests.ts'
import { answer, type Parts } from '#demo/sample-instance/routes.ts'
import type { TaskSetting } from '#demo/sample-instance/setting.ts'
import { readStandardInput } from '#demo/sample-instance/standard-input.ts'
import { openStore } from '#demo/sample-instance/store.ts'
import { sessionOf } from '#demo/sample-instance/users.ts'

const endMs = 3000
const megabyte = 1024 * 1024
const maxLoggedPath = 200

/** Begins when it is told `go`: until then its supervisor may end without knowing of it. */
export async function serve(argument: string): Promise<void> {
  const setting = JSON.parse(argument) as TaskSetting
  if ((await readStandardInput(16)) !== 'go') return
  const store = openStore(setting.data, Date.now())
  const log = openLogWriter(setting.logs, setting.number)
  const held: Buffer[] = []
  const parts: Parts = {
    store,
    apps: readApps(setting),
    memory: () => ({
      task: setting.number,
      usedMb: Math.round(process.memoryUsage.rss() / megabyte),
      limitMb: setting.limitMb,
    }),
    // Written to: the system gives memory when it is touched.
    useMoreMemory: () => void held.push(Buffer.alloc(100 * megabyte, 1)),
    log: log.write,
    clock: Date.now,
  }
  const style = readFileSync(new URL('style.css', import.meta.url), 'utf8')

  const server = createServer((request, response) => {
    const from = performance.now()
    const [path = ''] = (request.url ?? '').split('?')
    // Of its supervisor, who asks past the gateway.
    if (path === '/health' && request.headers.host === 'socket') return healthy(response)
    const requestText = `${request.method} ${cutText(path, maxLoggedPath)}`
    response.on('close', () => {
      const outcome = `${requestText} ${response.statusCode}`
      const text = `${outcome} ${Math.round(performance.now() - from)} ms`
      log.write('info', text, { priority: 'request', repeatKey: outcome })
    })
    if (path === '/style.css')
      return send(response, { status: 200, body: style, headers: styleHeaders }, request.method === 'HEAD')
    handle(request, response).catch((error: unknown) => {
      log.write('error', `${requestText}: ${error instanceof Error ? error.stack : String(error)}`)
      if (response.headersSent) response.destroy()
      else sendMessage(request, response, 'failed', 500)
    })
  })

  function healthy(response: ServerResponse): void {
    // Throws where the data cannot be read: that is no health.
    store.prepare('select count(*) from users').get()
    response.writeHead(200, { 'content-type': 'text/plain' }).end('ok')
  }

  async function handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    if (request.method === 'POST' && !isOwnForm(request)) return sendMessage(request, response, 'refused', 403)
    if (Number(request.headers['content-length'] ?? 0) > maxBody)
      return sendMessage(request, response, 'too-large', 413)
    const asked = await readRequest(request, setting.code, (cookie) => sessionOf(store, cookie, Date.now()))
    if (!asked) return sendMessage(request, response, 'not-found', 405)
    send(response, await answer(asked, parts), request.method === 'HEAD')
  }

  function sendMessage(
    request: IncomingMessage,
    response: ServerResponse,
    word: Parameters<typeof messagePage>[1],
    status: number,
  ): void {
    const language = languageOf(request.headers['accept-language'])
    const site = request.headers.host?.startsWith('admin.') ? 'admin' : 'www'
    const shown = {
      language,
      say: sayIn(language),
      code: setting.code,
      site,
      otherSite: '',
      path: '',
      session: null,
    } as const
    send(response, page(messagePage(shown, word), status), request.method === 'HEAD')
  }

  // Its owner's alone, as all files that we make.
  await new Promise<void>((listening, failed) => {
    server.once('error', failed)
    server.listen(setting.socket, listening)
  })
  log.write('info', `task ${setting.number} begins`)

  process.on('SIGTERM', () => {
    log.write('info', `task ${setting.number} ends`)
    // Requests at work finish; no new one comes, because the gateway knows.
    server.close(() => end())
    server.closeIdleConnections()
    setTimeout(end, endMs).unref()
  })

  function end(): void {
    // Writes how often the last line was repeated.
    log.close()
    process.exit(0)
  }
}

const styleHeaders = { 'content-type': 'text/css; charset=utf-8', 'cache-control': 'max-age=300' }
