/** Registering a company: where the asking stands. What is typed stays in its form and never comes here. */
import { type PayloadAction, createSlice } from '@reduxjs/toolkit'
import { fieldProblems, localProblem, type Problem } from '#contract/problem.ts'
import type { FieldProblem } from '#domain/checks/field-checks.ts'
import { type Country, countries } from '#domain/accounts/companies.ts'
import type { SignupValues } from '#domain/accounts/signup.ts'
import type { Language, Title } from '#domain/accounts/users.ts'
import { type Status, idle } from '#state/request-status.ts'
import type { AppThunk } from '#state/app-thunk.ts'
import { root } from '#state/store.ts'
import { reached } from '#features/accounts/retry-after.ts'

const registering = createSlice({
  name: 'registering',
  initialState: { status: idle } as { status: Status },
  reducers: {
    statusChanged: (_, { payload }: PayloadAction<Status>) => ({ status: payload }),
  },
})

const own = registering.injectInto(root)
export const selectRegistering = (state: object): Status => own.selectSlice(state).status
const { statusChanged } = registering.actions
const calls = () => import('#contract/public.ts')
/** What sends the form is fetched while it is typed: by then the network may be gone. */
export const signupOpened = (): AppThunk<void> => async (dispatch) => {
  dispatch(statusChanged(idle))
  await calls().catch(() => undefined)
}

/** Null: it cannot be known now. Then the server says it with the form. */
export const askTaken =
  (code: string): AppThunk<boolean | null> =>
  async (_dispatch, _, { api }) => {
    const { codeExists } = await import('#contract/accounts.ts')
    const result = await api.call(codeExists, { query: { code, resource: 'company' } })
    return result.kind === 'fresh' ? result.output : null
  }

/** Where the activation mail went, or why it did not. */
export const register =
  (values: SignupValues, language: Language): AppThunk<{ email: string } | { problem: Problem }> =>
  async (dispatch, _, { api }) => {
    dispatch(statusChanged({ kind: 'sending' }))
    const result = await reached(async () =>
      api.call((await calls()).registerCompany, { body: bodyOf(values, language) }),
    )
    if (result.kind === 'fresh') {
      dispatch(statusChanged(idle))
      return result.output
    }
    // A secret is neither queued nor kept, so what is not fresh is a problem.
    const problem = result.kind === 'problem' ? result.problem : localProblem('NEEDS_CONNECTION')
    dispatch(statusChanged({ kind: 'failed', problem }))
    return { problem }
  }

/** Blanks around a value come from pasting; a password is taken exactly as typed. What is empty is left out. */
function bodyOf(values: SignupValues, language: Language) {
  const { user_password, confirmPwd, user_title, country, ...words } = values
  const trimmed = Object.entries(words).map(([field, value]): [string, string] => [field, value.trim()])
  const given = Object.fromEntries(trimmed.filter(([, value]) => value !== '')) as typeof words
  return {
    ...given,
    ...(isCountry(country) ? { country } : {}),
    user_title: Number(user_title) as Title,
    user_password,
    confirmPwd,
    language,
  }
}

const isCountry = (code: string): code is Country => (countries as readonly string[]).includes(code)

/** The fields a refusal is about, as the form marks them. */
export function refusedFields(problem: Problem | null): FieldProblem[] {
  if (problem?.code === 'DUP_CODE') return [{ field: 'code', code: 'DUPLICATE' }]
  if (problem?.code === 'RESERVED_CODE') return [{ field: 'code', code: 'RESERVED' }]
  if (problem?.code === 'WEAK_PASSWORD') return [{ field: 'user_password', code: 'COMMON_PASSWORD' }]
  return problem ? fieldProblems(problem) : []
}
