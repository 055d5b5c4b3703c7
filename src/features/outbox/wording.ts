/** A waiting write in words: what is done, which field goes from what to what, what it is held by. */
import type { Problem } from '#contract/problem.ts'
import type { Waiting } from '#local/waiting.ts'
import { useWords } from '#ui/words.ts'

const known = [
  'createUser',
  'updateCompanyUser',
  'deleteUser',
  'sendActivationMail',
  'disableUser',
  'enableUser',
] as const

export function useWhat({ endpoint, makes }: Waiting): string {
  const t = useWords('outbox')
  return t(`what.${known.find((name) => name === endpoint) ?? makes}`)
}

export interface Change {
  field: string
  /** Undefined: the form did not say what it was based on. */
  from: unknown
  to: unknown
}

export const changesIn = ({ asked, base }: Waiting): Change[] =>
  Object.entries((asked.body as object | undefined) ?? {}).map(([field, to]) => ({ field, from: base?.[field], to }))

/** The row as a conflict found it; null: it is gone. */
export function currentIn(problem: Problem | null): Record<string, unknown> | null {
  const { current } = (problem?.data ?? {}) as { current?: Record<string, unknown> }
  return current ?? null
}

export const isSame = (a: unknown, b: unknown) => JSON.stringify(a ?? null) === JSON.stringify(b ?? null)

const titles = ['0', '1', '2'] as const
const columns = ['name', 'email', 'title', 'status'] as const
const flags = ['admin', 'order', 'alert'] as const

/** Names and values as the person knows them from the forms; a field of another noun keeps its own name. */
export function useFieldWords() {
  const t = useWords('outbox')
  const users = useWords('users')
  return {
    field(field: string): string {
      const column = columns.find((one) => one === field)
      const flag = flags.find((one) => one === field)
      return column ? users(`column.${column}`) : flag ? users(`flag.${flag}`) : field
    },
    value(field: string, value: unknown): string {
      const title = field === 'title' ? titles.find((one) => one === String(value)) : undefined
      if (title) return users(`titles.${title}`)
      if (typeof value === 'boolean') return t(value ? 'yes' : 'no')
      return value === null || value === undefined || value === '' ? t('conflict.empty') : String(value)
    },
  }
}

export type WaitsFor = 'earlier' | 'other' | null

/** What a write that may otherwise go is held by: an earlier one of its lane, or the making of what it names. */
export function waitsFor(entry: Waiting, all: readonly Waiting[]): WaitsFor {
  if (entry.state !== 'waiting') return null
  if (entry.dependsOn.some((intent) => all.some((other) => other.intent === intent))) return 'other'
  const first = all.find(({ lane }) => lane === entry.lane)
  return first && first.intent !== entry.intent ? 'earlier' : null
}
