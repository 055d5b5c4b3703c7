/**
 * Limits connections, and requests by address. They are counted before routing, logging and reading, so that refusing is cheap. Signed-in
 * users have further limits (decision 70).
 */
import { randomUUID } from 'node:crypto'
import { createServer, type IncomingMessage, type Server, type ServerOptions, type ServerResponse } from 'node:http'
import * as z from 'zod/mini'
import type { Language } from '#domain/accounts/users.ts'
import { headers } from '#contract/headers.ts'
import { key as keyShape } from '#contract/values.ts'
import { getAddressGroup, getClientAddress } from '#server/shares/client-address.ts'
import { html } from '#server/text/html.ts'
import { buildErrorBody, parseLanguage } from '#server/problems/problem-body.ts'
import { dataPolicy } from '#server/http/security-headers.ts'
import { createConnectionLimits } from '#server/shares/connection-limits.ts'
import { createDelayedRefusals } from '#server/shares/delayed-refusals.ts'
import { createRequestShare, scaleShare, type ShareLimits } from '#server/shares/request-shares.ts'

export interface FloodLimits {
  address: ShareLimits
  connections: number
  connectionsPerAddress: number
  connectionsPerSecond: ShareLimits
  /** Delay in ms before an address that has used up its share is refused, and maximum number of refusals that wait behind a proxy. */
  refusalMs: number
  refusalsBehindProxy: number
}

/** Default limits. They allow for an office whose users share one address, and for pages that load some fifty files. */
export const defaultFloodLimits: FloodLimits = {
  address: { maxConcurrent: 128, perSecond: 100, burst: 400 },
  connections: 10_000,
  connectionsPerAddress: 512,
  connectionsPerSecond: { maxConcurrent: Infinity, perSecond: 100, burst: 400 },
  refusalMs: 1000,
  refusalsBehindProxy: 200,
}

const retryAfterSeconds = 5

type RequestHandler = (request: IncomingMessage, response: ServerResponse) => void

/** Returns a server that passes requests within these limits to `handle`. */
export function createLimitedServer(
  handle: RequestHandler,
  options: ServerOptions,
  limits: FloodLimits,
  { trustProxy, requestFactor }: { trustProxy: number; requestFactor: number },
): Server {
  const isDirect = trustProxy === 0
  const addresses = createRequestShare(scaleShare(limits.address, requestFactor))
  const connections = createConnectionLimits({
    connections: limits.connections,
    connectionsPerAddress: isDirect ? limits.connectionsPerAddress * requestFactor : null,
    connectionsPerSecond: scaleShare(limits.connectionsPerSecond, requestFactor),
  })
  const refuseLater = createDelayedRefusals({
    delayMs: limits.refusalMs,
    maxWaiting: isDirect ? null : limits.refusalsBehindProxy,
  })
  const server = createServer(options, (request, response) => {
    if (!connections.isAlone(request, response)) return
    const address = getAddressGroup(getClientAddress(request, trustProxy))
    if (!addresses.claim(address)) return refuseLater(response, () => refuse(request, response))
    response.on('close', () => addresses.release(address))
    handle(request, response)
  })
  connections.limit(server)
  return server
}

/**
 * Refuses a request. The response has request id and idempotency key: without them a device takes it for the response of a proxy (decision
 * 74).
 */
function refuse(request: IncomingMessage, response: ServerResponse): void {
  const language = parseLanguage(request.headers['accept-language'])
  const problem = buildErrorBody('RATE_LIMITED', { retry_after: retryAfterSeconds }, language)
  // True if a browser opens a page.
  const isPage = (request.headers.accept ?? '').includes('text/html')
  const body = isPage ? renderPage(problem.errorMessage, language) : JSON.stringify(problem)
  const { success: hasKey, data: key } = z.safeParse(keyShape, request.headers[headers.key])
  response.writeHead(429, {
    'content-type': `${isPage ? 'text/html' : 'application/json'}; charset=utf-8`,
    'content-length': String(Buffer.byteLength(body)),
    'retry-after': String(retryAfterSeconds),
    'cache-control': 'no-store',
    'x-content-type-options': 'nosniff',
    'content-security-policy': dataPolicy,
    [headers.requestId]: randomUUID(),
    ...(hasKey ? { [headers.key]: key } : {}),
    connection: 'close',
  })
  response.end(request.method === 'HEAD' ? '' : body)
}

const renderPage = (text: string, language: Language): string =>
  html`<!doctype html>
<html lang="${language === 'zh' ? 'zh-Hans' : 'en'}">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1"><meta name="color-scheme" content="light dark"><meta http-equiv="refresh" content="${retryAfterSeconds}"><title>429</title></head>
<body><h1>429</h1><p>${text}</p></body>
</html>
`.html
