import { readFile } from 'node:fs/promises'
import type { FastifyInstance, FastifyReply } from 'fastify'
import type { AppContext } from '#server/context/context.ts'
import { createNotFoundProblem } from '#server/problems/problem-error.ts'
import { readMailBox, findMail } from '#demo/mail/mailbox.ts'

// Mails contain their styles inline. Scripts, images and forms of a mail are blocked.
const policy =
  "default-src 'none'; style-src 'self' 'unsafe-inline'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

export function serveDevMail(fastify: FastifyInstance, app: AppContext): void {
  const { timeZone } = app.config
  const sendMailboxPage = async (reply: FastifyReply, name: string | null) => {
    const { renderMailboxPage } = await import('#demo/mail/mailbox-page.ts')
    const openedMail = name === null ? null : await findMail(app, name)
    if (name !== null && !openedMail) throw createNotFoundProblem()
    return reply
      .header('content-security-policy', policy)
      .header('cache-control', 'no-store')
      .type('text/html; charset=utf-8')
      .send(renderMailboxPage(await readMailBox(app), openedMail, { name, timeZone }))
  }
  fastify.get('/dev/mail', (_, reply) => sendMailboxPage(reply, null))
  fastify.get<{ Params: { name: string } }>('/dev/mail/:name', (request, reply) =>
    sendMailboxPage(reply, request.params.name),
  )
  fastify.get<{ Params: { name: string; index: string } }>(
    '/dev/mail/:name/attachment/:index',
    async ({ params: { name, index } }, reply) => {
      const attachment = (await findMail(app, name))?.attachments?.[Number(index)]
      if (!attachment) throw createNotFoundProblem()
      return reply
        .header('cache-control', 'no-store')
        .header('content-disposition', `inline; filename="${attachment.name}"`)
        .type(attachment.type)
        .send(Buffer.from(attachment.base64, 'base64'))
    },
  )
  fastify.get('/dev/mail.css', async (_, reply) =>
    reply.type('text/css; charset=utf-8').send(await readFile(new URL('dev-mail.css', import.meta.url), 'utf8')),
  )
}
