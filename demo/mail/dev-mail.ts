/** `/dev/mail`: whoever tries the portal reads the mails that it would send. */
import { readFile } from 'node:fs/promises'
import type { FastifyInstance, FastifyReply } from 'fastify'
import type { AppContext } from '#server/context/context.ts'
import { notFound } from '#server/problems/problem-error.ts'
import { mailBox, mailNamed } from '#demo/mail/mailbox.ts'

// A mail brings its styles in its tags, and nothing else of it is taken: no script, no picture, no form.
const policy =
  "default-src 'none'; style-src 'self' 'unsafe-inline'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

export function serveDevMail(fastify: FastifyInstance, app: AppContext): void {
  const { timeZone } = app.config
  const send = async (reply: FastifyReply, name: string | null) => {
    const { page } = await import('#demo/mail/page.ts')
    const opened = name === null ? null : await mailNamed(app, name)
    if (name !== null && !opened) throw notFound()
    return reply
      .header('content-security-policy', policy)
      .header('cache-control', 'no-store')
      .type('text/html; charset=utf-8')
      .send(page(await mailBox(app), opened, { name, timeZone }))
  }
  fastify.get('/dev/mail', (_, reply) => send(reply, null))
  fastify.get<{ Params: { name: string } }>('/dev/mail/:name', (request, reply) => send(reply, request.params.name))
  fastify.get('/dev/mail.css', async (_, reply) =>
    reply.type('text/css; charset=utf-8').send(await readFile(new URL('dev-mail.css', import.meta.url), 'utf8')),
  )
}
