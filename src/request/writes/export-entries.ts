import type { Intent } from '#contract/endpoint.ts'
import type { UserDatabase } from '#local/storage/database.ts'

export const toText = (value: unknown) => (typeof value === 'string' ? value : null)

/** Exports no protocol keys, no data of other users, no file contents. `onlyIntent` selects one write. */
export async function exportEntries(
  db: UserDatabase,
  now: number,
  build: string,
  onlyIntent?: Intent,
): Promise<string> {
  const allEntries = await db.outbox.orderBy('seq').toArray()
  const entries = onlyIntent === undefined ? allEntries : allEntries.filter(({ intent }) => intent === onlyIntent)
  const writes = entries.map(
    ({ intent, endpoint, table, target, action, input, base, state, attempts, since, problem }) => ({
      intent,
      endpoint,
      table,
      target,
      action,
      input: withoutSecrets(input),
      base: withoutSecrets(base),
      state,
      attempts,
      since: new Date(since).toISOString(),
      problem: problem && { status: problem.status, code: problem.code, requestId: problem.requestId },
    }),
  )
  return JSON.stringify({ exported: new Date(now).toISOString(), build, writes }, null, 2)
}

const secretPattern = /pass(word)?|pwd|secret|token|key$/i

/** Secrets are never queued. A field with such a name is left out anyway. */
function withoutSecrets(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutSecrets)
  if (typeof value !== 'object' || value === null) return value
  const remainingFields = Object.entries(value).filter(([name]) => !secretPattern.test(name))
  return Object.fromEntries(remainingFields.map(([name, fieldValue]) => [name, withoutSecrets(fieldValue)]))
}
