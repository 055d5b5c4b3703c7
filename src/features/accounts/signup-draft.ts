/** Typed values of the sign-up, stored in this tab so that they survive a reload. Passwords are never stored. */
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
  user_title: '',
  user_name: '',
  user_email: '',
  user_password: '',
  confirmPwd: '',
}
export const emptySignup: SignupDraft = { step: 'company', values: { ...emptyCompany, ...emptyRegistrant } }

/** Stores the typed values. If the browser forbids storage, they are lost on a reload. */
export const storeDraft = (draft: SignupDraft): void => writeDraft(storageKey, draft)

export interface EarlierSignup {
  draft: SignupDraft
  /** Time when the draft was stored, epoch ms; 0 if unknown. */
  storedAt: number
}

/** Restores values that were stored today. A draft of an earlier day is stored separately and offered to the user. */
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

export function storeEarlierDraft(draft: SignupDraft | null): void {
  if (draft) return writeDraft(earlierStorageKey, draft)
  try {
    sessionStorage.removeItem(earlierStorageKey)
  } catch {
    // If the browser forbids storage, no draft was stored.
  }
}

export const isTyped = ({ step, values }: SignupDraft): boolean =>
  step !== 'sent' &&
  Object.entries(values).some(([field, value]) => value !== emptySignup.values[field as keyof SignupValues])

function writeDraft(key: string, { step, values }: SignupDraft, savedAt = Date.now()): void {
  const { user_password: _password, confirmPwd: _again, ...texts } = values
  try {
    sessionStorage.setItem(key, JSON.stringify({ step, values: texts, at: savedAt }))
  } catch {
    // If the browser forbids storage, the draft is only in memory.
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

/** Reads a stored draft. Fields that this build does not have are dropped, missing fields are empty. */
export function parseDraft(storedValue: unknown): SignupDraft {
  const { step, values } = (storedValue ?? {}) as { step?: unknown; values?: Record<string, unknown> }
  const knownFields = Object.keys(emptySignup.values).filter((field) => typeof values?.[field] === 'string')
  const texts = Object.fromEntries(knownFields.map((field) => [field, values?.[field]]))
  return {
    step: step === 'user' || step === 'sent' ? step : 'company',
    values: { ...emptySignup.values, ...texts, user_password: '', confirmPwd: '' },
  }
}
