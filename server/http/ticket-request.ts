import { hashBrowserCookie } from '#server/http/device-cookie.ts'
import type { RequestContext } from '#server/http/route-handler.ts'
import type { TicketRequest } from '#server/use-cases/tickets.ts'

export const createTicketRequest = ({ app, headers, onUndelivered }: RequestContext): TicketRequest => ({
  app,
  browser: hashBrowserCookie(headers, app.config),
  isPrefetch: prefetchHeaders.some((name) => /prefetch|preview|prerender/i.test(String(headers[name] ?? ''))),
  onUndelivered,
})

/** Prefetch headers of Chromium and Firefox; Chromium before 2023; Safari; Firefox before 2023, in this order. */
const prefetchHeaders = ['sec-purpose', 'purpose', 'x-purpose', 'x-moz']
