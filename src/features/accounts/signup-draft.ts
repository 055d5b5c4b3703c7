/** What stands typed in the sign-up, kept for this tab: it survives a reload and a lost network. Passwords never come here. */
import { type CompanyValues, companyFields } from '#domain/accounts/companies.ts'
import type { RegistrantValues, SignupValues } from '#domain/accounts/signup.ts'

export type Step = 'company' | 'user' | 'sent'

export interface SignupDraft {
  step: Step
  values: SignupValues
}

const name = 'portal.signup'
const earlierName = 'portal.signup.earlier'

const noCompany = Object.fromEntries(companyFields.map((field) => [field, ''])) as CompanyValues
const nobody: RegistrantValues = { user_title: '0', user_name: '', user_email: '', user_password: '', confirmPwd: '' }
export const emptySignup: SignupDraft = { step: 'company', values: { ...noCompany, ...nobody } }

/** Storage may be forbidden: then what is typed lasts as long as the page. */
export const keepDraft = (draft: SignupDraft): void => write(name, draft)

/** A draft that this tab kept on an earlier day. */
export interface EarlierSignup {
  draft: SignupDraft
  /** When it was kept, epoch ms; 0: not known. */
  at: number
}

/** What was typed today comes back by itself; what is from an earlier day is put aside, and offered. */
export function readDrafts(now = Date.now()): { draft: SignupDraft; earlier: EarlierSignup | null } {
  const found = read(name)
  const isToday = found !== null && new Date(found.at).toDateString() === new Date(now).toDateString()
  if (found && !isToday) {
    keepDraft(emptySignup)
    if (isTyped(found.draft)) write(earlierName, found.draft, found.at)
  }
  return { draft: found && isToday ? found.draft : emptySignup, earlier: read(earlierName) }
}

/** Null forgets it. */
export function putEarlier(draft: SignupDraft | null): void {
  if (draft) return write(earlierName, draft)
  try {
    sessionStorage.removeItem(earlierName)
  } catch {
    // Nothing can be kept, so nothing is.
  }
}

/** Whether anything was typed that somebody would miss. */
export const isTyped = ({ step, values }: SignupDraft): boolean =>
  step !== 'sent' &&
  Object.entries(values).some(([field, value]) => value !== emptySignup.values[field as keyof SignupValues])

function write(key: string, { step, values }: SignupDraft, at = Date.now()): void {
  const { user_password: _password, confirmPwd: _again, ...words } = values
  try {
    sessionStorage.setItem(key, JSON.stringify({ step, values: words, at }))
  } catch {
    // There is nowhere else to keep it.
  }
}

function read(key: string): EarlierSignup | null {
  try {
    const stored = JSON.parse(sessionStorage.getItem(key) ?? 'null') as { at?: unknown } | null
    return stored && { draft: draftFrom(stored), at: typeof stored.at === 'number' ? stored.at : 0 }
  } catch {
    return null
  }
}

/** What an earlier build left may have other fields. */
export function draftFrom(kept: unknown): SignupDraft {
  const { step, values } = (kept ?? {}) as { step?: unknown; values?: Record<string, unknown> }
  const known = Object.keys(emptySignup.values).filter((field) => typeof values?.[field] === 'string')
  const words = Object.fromEntries(known.map((field) => [field, values?.[field]]))
  return {
    step: step === 'user' || step === 'sent' ? step : 'company',
    values: { ...emptySignup.values, ...words, user_password: '', confirmPwd: '' },
  }
}
