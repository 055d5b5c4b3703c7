/** What stands typed in the sign-up, kept for this tab: it survives a reload and a lost network. Passwords never come here. */
import { type CompanyValues, companyFields } from '#domain/accounts/companies.ts'
import type { RegistrantValues, SignupValues } from '#domain/accounts/signup.ts'

export type Step = 'company' | 'user' | 'sent'

export interface SignupDraft {
  step: Step
  values: SignupValues
}

const name = 'portal.signup'

const noCompany = Object.fromEntries(companyFields.map((field) => [field, ''])) as CompanyValues
const nobody: RegistrantValues = { user_title: '0', user_name: '', user_email: '', user_password: '', confirmPwd: '' }
export const emptySignup: SignupDraft = { step: 'company', values: { ...noCompany, ...nobody } }

/** Storage may be forbidden: then what is typed lasts as long as the page. */
export function keepDraft({ step, values }: SignupDraft): void {
  const { user_password: _password, confirmPwd: _again, ...words } = values
  try {
    sessionStorage.setItem(name, JSON.stringify({ step, values: words }))
  } catch {
    // There is nowhere else to keep it.
  }
}

export function readDraft(): SignupDraft {
  try {
    return draftFrom(JSON.parse(sessionStorage.getItem(name) ?? 'null'))
  } catch {
    return emptySignup
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
