import { hashBrowserCookie } from '#server/http/device-cookie.ts'
import type { RequestContext } from '#server/http/route-handler.ts'
import type { TicketRequest } from '#server/use-cases/tickets.ts'

export const createTicketRequest = ({ app, headers, onUndelivered }: RequestContext): TicketRequest => ({
  app,
  browser: hashBrowserCookie(headers, app.config),
  isPrefetch: prefetchHeaders.some((name) => /prefetch|preview|prerender/i.test(String(headers[name] ?? ''))),
  onUndelivered,
})

/** Headers of prefetch requests: of Chromium and Firefox, of Chromium before 2023, of Safari, and of Firefox before 2023. */
const prefetchHeaders = ['sec-purpose', 'purpose', 'x-purpose', 'x-moz']
