/** Serves the pages of the sample instance. Both modes use it: behind the socket of the local driver, and in a container. */
import { readFileSync } from 'node:fs'
import type { LogWriter } from '#server/drivers/hosting/local/log-writer.ts'
import { cutText } from '#server/drivers/hosting/log-text.ts'
import type { IncomingMessage, ServerResponse } from '#server/drivers/hosting/gateway/socket-http.ts'
import { renderMessagePage, parseLanguage, createTranslate } from '#demo/sample-instance/erp/pages.ts'
import {
  isOwnForm,
  maxBodyBytes,
  createPageResponse,
  readRequest,
  sendResponse,
  type InstanceSites,
} from '#demo/sample-instance/erp/requests.ts'
import { routeRequest, type SampleContext } from '#demo/sample-instance/erp/routes.ts'
import { findSession } from '#demo/sample-instance/erp/users.ts'

const maxLoggedPath = 200

export interface PageServerOptions {
  code: string
  sites: InstanceSites
  log: LogWriter['write']
  /** Runs `work` with the current data. */
  useContext<T>(work: (context: SampleContext) => Promise<T>): Promise<T>
}

export type RequestHandler = (request: IncomingMessage, response: ServerResponse) => void

export function createPageServer({ code, sites, log, useContext }: PageServerOptions): RequestHandler {
  const css = readFileSync(new URL('style.css', import.meta.url), 'utf8')

  async function handleRequest(request: IncomingMessage, response: ServerResponse): Promise<void> {
    if (request.method === 'POST' && !isOwnForm(request)) return sendMessage(request, response, 'refused', 403)
    if (Number(request.headers['content-length'] ?? 0) > maxBodyBytes)
      return sendMessage(request, response, 'too-large', 413)
    await useContext(async (context) => {
      const instanceRequest = await readRequest(request, { code, sites }, (cookie) =>
        findSession(context.store, cookie, context.clock()),
      )
      if (!instanceRequest) return sendMessage(request, response, 'not-found', 405)
      sendResponse(response, await routeRequest(instanceRequest, context), request.method === 'HEAD')
    })
  }

  function sendMessage(
    request: IncomingMessage,
    response: ServerResponse,
    textKey: Parameters<typeof renderMessagePage>[1],
    status: number,
  ): void {
    const language = parseLanguage(request.headers['accept-language'])
    const view = {
      language,
      translate: createTranslate(language),
      code,
      site: sites.getSite(request.headers.host ?? ''),
      otherSite: '',
      path: '',
      session: null,
    } as const
    sendResponse(response, createPageResponse(renderMessagePage(view, textKey), status), request.method === 'HEAD')
  }

  return (request, response) => {
    const [path = ''] = (request.url ?? '').split('?')
    const requestText = `${request.method} ${cutText(path, maxLoggedPath)}`
    logResponse(response, requestText, log)
    if (path === '/style.css')
      return sendResponse(response, { status: 200, body: css, headers: styleHeaders }, request.method === 'HEAD')
    handleRequest(request, response).catch((error: unknown) => {
      log('error', `${requestText}: ${error instanceof Error ? error.stack : String(error)}`)
      if (response.headersSent) response.destroy()
      else sendMessage(request, response, 'failed', 500)
    })
  }
}

/** Logs the request when its response has ended. */
export function logResponse(response: ServerResponse, requestText: string, log: LogWriter['write']): void {
  const startedAt = performance.now()
  response.on('close', () => {
    const outcome = `${requestText} ${response.statusCode}`
    const text = `${outcome} ${Math.round(performance.now() - startedAt)} ms`
    log('info', text, { priority: 'request', repeatKey: outcome })
  })
}

const styleHeaders = { 'content-type': 'text/css; charset=utf-8', 'cache-control': 'max-age=300' }
