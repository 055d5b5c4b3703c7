/** Words for a problem, in the reader's language (portal 8). */
import type { FieldProblem } from '#domain/checks/field-checks.ts'
import type { OrderProblem } from '#domain/checks/order-checks.ts'
import { type Language, languages } from '#domain/accounts/users.ts'
import { getMessageKey, type ProblemCode, problemStatus } from '#contract/problem.ts'
import { priceFaultInWord } from '#domain/checks/price-file-checks.ts'
import { faultInWord } from '#domain/catalogue/mapp.ts'
import { translator } from '#server/text/i18n.ts'
import enApps from '#locales/en/apps.json' with { type: 'json' }
import enFields from '#locales/en/fields.json' with { type: 'json' }
import enOrderFields from '#locales/en/order-fields.json' with { type: 'json' }
import enPrices from '#locales/en/prices.json' with { type: 'json' }
import en from '#locales/en/problem.json' with { type: 'json' }
import enServices from '#locales/en/services.json' with { type: 'json' }
import zhApps from '#locales/zh/apps.json' with { type: 'json' }
import zhFields from '#locales/zh/fields.json' with { type: 'json' }
import zhOrderFields from '#locales/zh/order-fields.json' with { type: 'json' }
import zhPrices from '#locales/zh/prices.json' with { type: 'json' }
import zh from '#locales/zh/problem.json' with { type: 'json' }
import zhServices from '#locales/zh/services.json' with { type: 'json' }

type Words = Record<string, string>
const words: Record<Language, Words> = { en, zh }
const fieldWords: Record<Language, Words> = {
  en: { ...enFields, ...enOrderFields },
  zh: { ...zhFields, ...zhOrderFields },
}

const lockedWords = { en: enServices.locked, zh: zhServices.locked }
const appWords = { en: enApps, zh: zhApps }
const priceWords = { en: enPrices, zh: zhPrices }

export interface ErrorBody {
  errorCode: ProblemCode
  errorMessage: string
  data: unknown
}

const fill = (said: string, values: Record<string, unknown>) =>
  said.replace(/\{\{(\w+)\}\}/g, (_, name: string) => String(values[name] ?? ''))

/** The one error shape of every answer. `{{name}}` in the words is filled from the problem's data. */
export function errorBody(code: ProblemCode, data: unknown, language: Language): ErrorBody {
  const values = withWords(typeof data === 'object' && data !== null ? (data as Record<string, unknown>) : {}, language)
  const key = getMessageKey(code, data)
  const errorMessage = fill(words[language][key] ?? words.en[key] ?? code, values)
  return { errorCode: code, errorMessage, data: code === 'VALIDATION_ERROR' ? inWords(data, language) : (data ?? null) }
}

/** As `problemWords` of the page says who is doing what. */
function withWords(values: Record<string, unknown>, language: Language): Record<string, unknown> {
  const locked: Words = lockedWords[language]
  const action = locked[String(values['action'])]
  return {
    ...values,
    ...(action === undefined ? {} : { action }),
    ...(values['user'] === null ? { user: locked['somebody'] } : {}),
  }
}

/** Field problems carry their own sentence, for clients that have no words for the code. */
function inWords(data: unknown, language: Language): unknown {
  if (!Array.isArray(data)) return data ?? null
  return (data as (FieldProblem | OrderProblem)[]).map((problem) => ({
    ...problem,
    message:
      priceFileText(problem, language) ??
      fill(fieldWords[language][problem.code] ?? problem.code, {
        ...problem,
        code: problem.code === 'BAD_PACKAGE' ? faultText(problem.named, language) : (problem.named ?? problem.field),
      }),
  }))
}

/** What is wrong with the file of a price list, as its page says it; null: it is about something else. */
function priceFileText({ code, named }: FieldProblem | OrderProblem, language: Language): string | null {
  const fault = code === 'BAD_ARCHIVE' ? priceFaultInWord(named ?? '') : null
  return fault && translator(priceWords, language)(`fault.${fault.code}`, { named: fault.named ?? '' })
}

/** What is wrong with a package, as a page says it by `fault.<code>`. */
function faultText(word: string | undefined, language: Language): string {
  const fault = faultInWord(word ?? '')
  return fault ? translator(appWords, language)(`fault.${fault.code}`, { named: fault.named ?? '' }) : ''
}

/** The token call says the same in OAuth's words beside ours (portal 8). */
export const tokenErrorBody = (code: ProblemCode, data: unknown, language: Language) => {
  const { errorMessage, ...said } = errorBody(code, data, language)
  return { error: oauthName(code), error_description: errorMessage, ...said, errorMessage }
}

function oauthName(code: ProblemCode): string {
  if (code === 'invalid_client' || code === 'invalid_grant') return code
  if (code === 'NOT_SUPPORT') return 'unsupported_grant_type'
  if (code === 'RATE_LIMITED' || problemStatus[code] >= 500) return 'temporarily_unavailable'
  return problemStatus[code] === 401 || problemStatus[code] === 409 ? 'invalid_grant' : 'invalid_request'
}

/** English, unless the header asks for another language of ours (D68). */
export const languageOf = (acceptLanguage: string | undefined): Language => languageAsked(acceptLanguage) ?? 'en'

/** The first language of the header that we speak; null: none. */
export function languageAsked(acceptLanguage: string | undefined): Language | null {
  const wanted = (acceptLanguage ?? '').slice(0, 200).toLowerCase().split(',')
  for (const part of wanted) {
    const found = languages.find((language) => part.trim().startsWith(language))
    if (found) return found
  }
  return null
}
