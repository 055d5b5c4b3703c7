/** Handles requests with an unknown host name. Usually PUBLIC_URL is wrong, or a proxy replaces the Host header. */
import type { FastifyReply, FastifyRequest } from 'fastify'
import { html } from '#server/text/html.ts'
import { createPageTranslator, renderPublicPage, wantsPage } from '#server/http/public-page.ts'
import type { AppContext } from '#server/context/context.ts'
import { logSecurityEvent } from '#server/context/log.ts'
import { parseLanguage } from '#server/problems/problem-body.ts'
import { ProblemError } from '#server/problems/problem-error.ts'

const windowMs = 3_600_000
const maxLoggedHosts = 10
/** Maximum length of a host name in logs and pages. Longer names are cut. */
const maxHostLength = 100

/** Refuses requests with a wrong Host header. Each name is logged once per hour, and at most ten names per hour. */
export function createHostRefusal({ config, clock }: AppContext) {
  let windowStart = Number.NEGATIVE_INFINITY
  const loggedHosts = new Set<string>()

  function shouldLog(host: string): boolean {
    if (clock() - windowStart >= windowMs) {
      windowStart = clock()
      loggedHosts.clear()
    }
    if (loggedHosts.has(host) || loggedHosts.size >= maxLoggedHosts) return false
    loggedHosts.add(host)
    return true
  }

  /** Sends a page to a browser that opens a page. Throws WRONG_HOST for other requests. */
  return (request: FastifyRequest, reply: FastifyReply): FastifyReply => {
    const host = (request.headers.host ?? '').slice(0, maxHostLength)
    if (shouldLog(host))
      logSecurityEvent(request.log, 'host_refused', {
        host,
        publicUrl: config.publicUrl,
        advice: 'set PUBLIC_URL to the address that people use, or let the proxy pass on the Host header',
        route: request.routeOptions.url ?? null,
      })
    if (!wantsPage(request)) throw new ProblemError('WRONG_HOST')
    const language = parseLanguage(request.headers['accept-language'])
    const translate = createPageTranslator(language)
    const page = renderPublicPage({
      language,
      title: translate('wrongHost.title'),
      body: html`<p>${translate('wrongHost.host', { host })}</p>
<p>${translate('wrongHost.visitor')}</p>
<p class="note">${translate('wrongHost.operator')}</p>`,
    })
    return reply.code(403).headers(page.headers).send(page.body)
  }
}
