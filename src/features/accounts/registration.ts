/** State of the registration of a company. Typed values stay in the form and never enter the store. */
import { type PayloadAction, createSlice } from '@reduxjs/toolkit'
import { getFieldProblems, createLocalProblem, type Problem } from '#contract/problem.ts'
import type { FieldProblem } from '#domain/checks/field-checks.ts'
import { type CountryCode, countries } from '#domain/accounts/company-fields.ts'
import type { SignupValues } from '#domain/accounts/signup.ts'
import type { Language, UserTitle } from '#domain/accounts/users.ts'
import { type RequestStatus, idleStatus } from '#state/request-status.ts'
import type { AppThunk } from '#state/app-thunk.ts'
import { rootReducer } from '#state/store.ts'
import { catchUnreachable } from '#features/accounts/retry-after.ts'

const registrationSlice = createSlice({
  name: 'registering',
  initialState: { status: idleStatus } as { status: RequestStatus },
  reducers: {
    statusChanged: (_, { payload }: PayloadAction<RequestStatus>) => ({ status: payload }),
  },
})

const injectedSlice = registrationSlice.injectInto(rootReducer)
export const selectRegistrationStatus = (state: object): RequestStatus => injectedSlice.selectSlice(state).status
const { statusChanged } = registrationSlice.actions
const loadEndpoints = () => import('#contract/public.ts')
/** Loads the code that sends the form while the user is typing, because the connection may be lost by then. */
export const signupOpened = (): AppThunk<void> => async (dispatch) => {
  dispatch(statusChanged(idleStatus))
  await loadEndpoints().catch(() => undefined)
}

/** Returns whether the company code is taken; null if this cannot be checked now. The server checks it again when the form is sent. */
export const checkCodeTaken =
  (code: string): AppThunk<boolean | null> =>
  async (_dispatch, _, { api }) => {
    const { codeExists } = await import('#contract/accounts.ts')
    const result = await api.call(codeExists, { query: { code, resource: 'company' } })
    return result.kind === 'fresh' ? result.output : null
  }

/** Returns the address that the activation mail was sent to, or the problem. */
export const register =
  (values: SignupValues, language: Language): AppThunk<{ email: string } | { problem: Problem }> =>
  async (dispatch, _, { api }) => {
    dispatch(statusChanged({ kind: 'sending' }))
    const result = await catchUnreachable(async () =>
      api.call((await loadEndpoints()).registerCompany, { body: toRequestBody(values, language) }),
    )
    if (result.kind === 'fresh') {
      dispatch(statusChanged(idleStatus))
      return result.output
    }
    // A call with a secret is neither queued nor cached, so every result that is not fresh is a problem.
    const problem = result.kind === 'problem' ? result.problem : createLocalProblem('NEEDS_CONNECTION')
    dispatch(statusChanged({ kind: 'failed', problem }))
    return { problem }
  }

/** Removes spaces around values, which come from pasting, and leaves out empty values. Passwords are not changed. */
function toRequestBody(values: SignupValues, language: Language) {
  const { user_password, confirmPwd, user_title, country, ...texts } = values
  const trimmedEntries = Object.entries(texts).map(([field, value]): [string, string] => [field, value.trim()])
  const filledTexts = Object.fromEntries(trimmedEntries.filter(([, value]) => value !== '')) as typeof texts
  return {
    ...filledTexts,
    ...(isCountry(country) ? { country } : {}),
    user_title: Number(user_title) as UserTitle,
    user_password,
    confirmPwd,
    language,
  }
}

const isCountry = (code: string): code is CountryCode => (countries as readonly string[]).includes(code)

export function toFieldProblems(problem: Problem | null): FieldProblem[] {
  if (problem?.code === 'DUP_CODE') return [{ field: 'code', code: 'DUPLICATE' }]
  if (problem?.code === 'RESERVED_CODE') return [{ field: 'code', code: 'RESERVED' }]
  if (problem?.code === 'WEAK_PASSWORD') return [{ field: 'user_password', code: 'COMMON_PASSWORD' }]
  return problem ? getFieldProblems(problem) : []
}
