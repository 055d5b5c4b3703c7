/** Builds the message of a problem in the reader's language (portal 8). */
import type { FieldProblem } from '#domain/checks/field-checks.ts'
import type { OrderProblem } from '#domain/checks/order-checks.ts'
import { type Language, languages } from '#domain/accounts/users.ts'
import { getMessageKey, type ProblemCode, problemStatus } from '#contract/problem.ts'
import { parsePriceFault } from '#domain/checks/price-file-checks.ts'
import { parseMappFault } from '#domain/catalogue/mapp.ts'
import { parseStatementFault } from '#domain/checks/statement-faults.ts'
import { createTranslator } from '#server/text/translator.ts'
import enApps from '#locales/en/apps.json' with { type: 'json' }
import enFields from '#locales/en/fields.json' with { type: 'json' }
import enOrderFields from '#locales/en/order-fields.json' with { type: 'json' }
import enPrices from '#locales/en/prices.json' with { type: 'json' }
import en from '#locales/en/problem.json' with { type: 'json' }
import enServices from '#locales/en/services.json' with { type: 'json' }
import enStatements from '#locales/en/statements.json' with { type: 'json' }
import zhApps from '#locales/zh/apps.json' with { type: 'json' }
import zhFields from '#locales/zh/fields.json' with { type: 'json' }
import zhOrderFields from '#locales/zh/order-fields.json' with { type: 'json' }
import zhPrices from '#locales/zh/prices.json' with { type: 'json' }
import zh from '#locales/zh/problem.json' with { type: 'json' }
import zhServices from '#locales/zh/services.json' with { type: 'json' }
import zhStatements from '#locales/zh/statements.json' with { type: 'json' }

type MessageTexts = Record<string, string>
const messages: Record<Language, MessageTexts> = { en, zh }
const fieldMessages: Record<Language, MessageTexts> = {
  en: { ...enFields, ...enOrderFields },
  zh: { ...zhFields, ...zhOrderFields },
}

const lockedMessages = { en: enServices.locked, zh: zhServices.locked }
const appMessages = { en: enApps, zh: zhApps }
const priceMessages = { en: enPrices, zh: zhPrices }
const statementMessages = { en: enStatements, zh: zhStatements }

export interface ErrorBody {
  errorCode: ProblemCode
  errorMessage: string
  data: unknown
}

const interpolate = (text: string, values: Record<string, unknown>) =>
  text.replace(/\{\{(\w+)\}\}/g, (_, name: string) => String(values[name] ?? ''))

/**
 * Builds the body of an error response, which has the same format for all calls. `{{name}}` in a message is replaced by the problem's data.
 */
export function buildErrorBody(code: ProblemCode, data: unknown, language: Language): ErrorBody {
  const values = translateValues(
    typeof data === 'object' && data !== null ? (data as Record<string, unknown>) : {},
    language,
  )
  const key = getMessageKey(code, data)
  const errorMessage = interpolate(messages[language][key] ?? messages.en[key] ?? code, values)
  return {
    errorCode: code,
    errorMessage,
    data: code === 'VALIDATION_ERROR' ? translateProblems(data, language) : (data ?? null),
  }
}

/** Translates the action and user of a lock, as `formatProblem` of the page does. */
function translateValues(values: Record<string, unknown>, language: Language): Record<string, unknown> {
  const locked: MessageTexts = lockedMessages[language]
  const action = locked[String(values['action'])]
  return {
    ...values,
    ...(action === undefined ? {} : { action }),
    ...(values['user'] === null ? { user: locked['somebody'] } : {}),
  }
}

/** What the message names if the whole body is missing or wrong. */
const wholeBody = 'body'

/** Adds a message to each field problem, for clients that do not know the code. */
function translateProblems(data: unknown, language: Language): unknown {
  if (!Array.isArray(data)) return data ?? null
  return (data as (FieldProblem | OrderProblem)[]).map((problem) => ({
    ...problem,
    message:
      getPriceFileMessage(problem, language) ??
      interpolate(fieldMessages[language][problem.code] ?? problem.code, {
        ...problem,
        field: problem.field || wholeBody,
        code: getSubject(problem, language),
      }),
  }))
}

/** Returns the message of a fault in a price list file, as the page of price lists shows it. Returns null for another problem. */
function getPriceFileMessage({ code, named: value }: FieldProblem | OrderProblem, language: Language): string | null {
  const fault = code === 'BAD_ARCHIVE' ? parsePriceFault(value ?? '') : null
  return fault && createTranslator(priceMessages, language)(`fault.${fault.code}`, { named: fault.subject ?? '' })
}

/** Returns what the message is about: the text of a fault in a file, or the value or field. */
function getSubject({ code, named: value, field }: FieldProblem | OrderProblem, language: Language): string {
  if (code === 'BAD_PACKAGE') return getFaultMessage(value, language)
  if (code !== 'BAD_STATEMENT') return value ?? field
  const fault = parseStatementFault(value ?? '')
  if (!fault) return ''
  const values = { line: String(fault.line ?? ''), column: fault.column ?? '' }
  return createTranslator(statementMessages, language)(`fault.${fault.code}`, values)
}

function getFaultMessage(faultCode: string | undefined, language: Language): string {
  const fault = parseMappFault(faultCode ?? '')
  return fault ? createTranslator(appMessages, language)(`fault.${fault.code}`, { named: fault.named ?? '' }) : ''
}

/** Builds the error body of the token call, which also has the fields of OAuth (portal 8). */
export const buildTokenErrorBody = (code: ProblemCode, data: unknown, language: Language) => {
  const { errorMessage, ...otherFields } = buildErrorBody(code, data, language)
  return { error: getOauthError(code), error_description: errorMessage, ...otherFields, errorMessage }
}

function getOauthError(code: ProblemCode): string {
  if (code === 'invalid_client' || code === 'invalid_grant') return code
  if (code === 'NOT_SUPPORT') return 'unsupported_grant_type'
  if (code === 'RATE_LIMITED' || problemStatus[code] >= 500) return 'temporarily_unavailable'
  return problemStatus[code] === 401 || problemStatus[code] === 409 ? 'invalid_grant' : 'invalid_request'
}

/** Returns English unless the header accepts another supported language (D68). */
export const parseLanguage = (acceptLanguage: string | undefined): Language =>
  findAcceptedLanguage(acceptLanguage) ?? 'en'

export function findAcceptedLanguage(acceptLanguage: string | undefined): Language | null {
  const languageRanges = (acceptLanguage ?? '').slice(0, 200).toLowerCase().split(',')
  for (const range of languageRanges) {
    const match = languages.find((language) => range.trim().startsWith(language))
    if (match) return match
  }
  return null
}
