/** Askings that set off before the page that asks: its own, in the very same words, is given their answer, once. */
import type { Endpoint } from '#contract/endpoint.ts'
import type { Api, Result } from '#request/result.ts'

/** So long an answer that came early still speaks for now. */
const freshMs = 1_000

export function withEarly(api: Api): { api: Api; early: Api } {
  const sent = new Map<string, Promise<Result<never>>>()
  const nameOf = (endpoint: Endpoint, asked: unknown) => `${endpoint.name} ${JSON.stringify(asked)}`
  const early: Api = {
    async ask(endpoint, asked) {
      const name = nameOf(endpoint, asked)
      // Whoever takes it asks the same endpoint, so it is that one's answer.
      const answer = api.ask(endpoint, asked) as Promise<Result<never>>
      sent.set(name, answer)
      return await answer.finally(() => setTimeout(() => sent.delete(name), freshMs))
    },
  }
  const late: Api = {
    async ask(endpoint, asked, asking) {
      const name = nameOf(endpoint, asked)
      const answer = asking === undefined ? sent.get(name) : undefined
      sent.delete(name)
      return await (answer ?? api.ask(endpoint, asked, asking))
    },
  }
  return { api: late, early }
}
