/** For tests that run the portal as a process of its own: they count the money and turn the calls by HTTP. */
import type { FastifyInstance } from 'fastify'
import { balances, type SandboxBooks } from '#demo/payment-sandbox/payment-store.ts'
import type { Calls } from '#demo/payment-sandbox/webhooks.ts'
import type { SandboxKeys } from '#demo/payment-sandbox/keys.ts'
import type { Moods } from '#demo/payment-sandbox/settings.ts'

interface Parts {
  books: SandboxBooks
  calls: Calls
  moods: Moods
  keys: SandboxKeys
}

/** What may be asked: `{"hold": true}`, `{"send": "evt_..."}`, `{"loseAnswers": 1}`. */
interface Wish {
  hold?: boolean
  send?: string
  drop?: string
  loseAnswers?: number
  fail?: number
}

/** With the secret key of `keys.json`, as a bearer. */
export function serveControl(fastify: FastifyInstance, { books, calls, moods, keys }: Parts): void {
  const isKnown = (authorization: string | undefined) => authorization === `Bearer ${keys.stripe.secretKey}`
  fastify.get('/control', (request, reply) =>
    isKnown(request.headers.authorization)
      ? reply.send({
          balances: balances(books),
          calls: calls.list(),
          intents: books.all('intents'),
          sessions: books.all('sessions'),
          trades: books.all('trades'),
          refunds: books.all('refunds'),
        })
      : reply.code(401).send(),
  )
  fastify.post('/control', async (request, reply) => {
    if (!isKnown(request.headers.authorization)) return reply.code(401).send()
    const wish = JSON.parse(String(request.body)) as Wish
    if (wish.hold === true) calls.hold()
    if (wish.hold === false) calls.release()
    if (wish.drop !== undefined) calls.drop(wish.drop)
    if (wish.loseAnswers !== undefined) moods.loseAnswers = wish.loseAnswers
    if (wish.fail !== undefined) moods.fail = wish.fail
    const status = wish.send === undefined ? null : await calls.send(wish.send)
    return reply.send({ status })
  })
}
