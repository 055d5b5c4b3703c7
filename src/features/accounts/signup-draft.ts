/** What stands typed in the sign-up, kept for this tab: it survives a reload and a lost network. Passwords never come here. */
import { type CompanyValues, companyFields } from '#domain/accounts/company-fields.ts'
import type { RegistrantValues, SignupValues } from '#domain/accounts/signup.ts'

export type SignupStep = 'company' | 'user' | 'sent'

export interface SignupDraft {
  step: SignupStep
  values: SignupValues
}

const storageKey = 'portal.signup'
const earlierStorageKey = 'portal.signup.earlier'

const emptyCompany = Object.fromEntries(companyFields.map((field) => [field, ''])) as CompanyValues
const emptyRegistrant: RegistrantValues = {
  user_title: '0',
  user_name: '',
  user_email: '',
  user_password: '',
  confirmPwd: '',
}
export const emptySignup: SignupDraft = { step: 'company', values: { ...emptyCompany, ...emptyRegistrant } }

/** Storage may be forbidden: then what is typed lasts as long as the page. */
export const storeDraft = (draft: SignupDraft): void => writeDraft(storageKey, draft)

/** A draft that this tab kept on an earlier day. */
export interface EarlierSignup {
  draft: SignupDraft
  /** When it was kept, epoch ms; 0: not known. */
  storedAt: number
}

/** What was typed today comes back by itself; what is from an earlier day is put aside, and offered. */
export function readDrafts(now = Date.now()): { draft: SignupDraft; earlierDraft: EarlierSignup | null } {
  const storedSignup = readDraft(storageKey)
  const isToday =
    storedSignup !== null && new Date(storedSignup.storedAt).toDateString() === new Date(now).toDateString()
  if (storedSignup && !isToday) {
    storeDraft(emptySignup)
    if (isTyped(storedSignup.draft)) writeDraft(earlierStorageKey, storedSignup.draft, storedSignup.storedAt)
  }
  return {
    draft: storedSignup && isToday ? storedSignup.draft : emptySignup,
    earlierDraft: readDraft(earlierStorageKey),
  }
}

/** Null forgets it. */
export function storeEarlierDraft(draft: SignupDraft | null): void {
  if (draft) return writeDraft(earlierStorageKey, draft)
  try {
    sessionStorage.removeItem(earlierStorageKey)
  } catch {
    // Nothing can be kept, so nothing is.
  }
}

/** Whether anything was typed that somebody would miss. */
export const isTyped = ({ step, values }: SignupDraft): boolean =>
  step !== 'sent' &&
  Object.entries(values).some(([field, value]) => value !== emptySignup.values[field as keyof SignupValues])

function writeDraft(key: string, { step, values }: SignupDraft, savedAt = Date.now()): void {
  const { user_password: _password, confirmPwd: _again, ...texts } = values
  try {
    sessionStorage.setItem(key, JSON.stringify({ step, values: texts, at: savedAt }))
  } catch {
    // There is nowhere else to keep it.
  }
}

function readDraft(key: string): EarlierSignup | null {
  try {
    const storedValue = JSON.parse(sessionStorage.getItem(key) ?? 'null') as { at?: unknown } | null
    return (
      storedValue && {
        draft: parseDraft(storedValue),
        storedAt: typeof storedValue.at === 'number' ? storedValue.at : 0,
      }
    )
  } catch {
    return null
  }
}

/** What an earlier build left may have other fields. */
export function parseDraft(storedValue: unknown): SignupDraft {
  const { step, values } = (storedValue ?? {}) as { step?: unknown; values?: Record<string, unknown> }
  const knownFields = Object.keys(emptySignup.values).filter((field) => typeof values?.[field] === 'string')
  const texts = Object.fromEntries(knownFields.map((field) => [field, values?.[field]]))
  return {
    step: step === 'user' || step === 'sent' ? step : 'company',
    values: { ...emptySignup.values, ...texts, user_password: '', confirmPwd: '' },
  }
}
