/** Words for a problem, in the reader's language (portal 8). */
import type { Language } from '#domain/users.ts'
import type { ProblemCode } from '#contract/problem.ts'
import en from '#locales/en/problem.json' with { type: 'json' }
import zh from '#locales/zh/problem.json' with { type: 'json' }

const words: Record<Language, Record<string, string>> = { en, zh }

export interface ErrorBody {
  errorCode: ProblemCode
  errorMessage: string
  data: unknown
}

/** The one error shape of every answer. `{{name}}` in the words is filled from the problem's data. */
export function errorBody(code: ProblemCode, data: unknown, language: Language): ErrorBody {
  const said = words[language][code] ?? words.en[code] ?? code
  const values = typeof data === 'object' && data !== null ? (data as Record<string, unknown>) : {}
  const errorMessage = said.replace(/\{\{(\w+)\}\}/g, (_, name: string) => String(values[name] ?? ''))
  return { errorCode: code, errorMessage, data: data ?? null }
}
