import { describe, expect, it } from 'vitest'
import type { InputOf, Endpoint, OutputOf } from '#contract/endpoint.ts'
import { createLocalProblem, type Problem } from '#contract/problem.ts'
import { emptySignup } from '#features/accounts/signup-draft.ts'
import { checkLink, resetPassword, sendResetMail } from '#features/accounts/password-recovery.ts'
import { checkCodeTaken, toFieldProblems, register, selectRegistrationStatus } from '#features/accounts/registration.ts'
import type { CallResult } from '#request/call-results.ts'
import { type ThunkExtra, createStore } from '#state/store.ts'
import { noTrails } from '#tests/support/device/no-trails.ts'

/** Creates a store whose server returns `result` and records its calls. */
function createStoreWithResult(result: CallResult<unknown>) {
  const calls: unknown[] = []
  const extra: ThunkExtra = {
    api: {
      call<E extends Endpoint>(endpoint: E, input: InputOf<E>) {
        calls.push([endpoint.name, input])
        return Promise.resolve(result as CallResult<OutputOf<E>>)
      },
    },
    signIn: () => Promise.resolve({ kind: 'problem', problem: createLocalProblem('OFFLINE') }),
    signOut: () => Promise.resolve(),
    jobActions: { retry: () => Promise.resolve(), dismiss: () => Promise.resolve(), markSeen: () => Promise.resolve() },
    packages: { fetchChangeLog: () => Promise.reject(), send: () => Promise.reject(), forget: () => Promise.reject() },
    loadTrailActions: noTrails,
  }
  return { store: createStore(extra), calls }
}

const createProblem = (code: string, data: unknown = null): Problem => ({
  status: 400,
  code,
  message: '',
  data,
  requestId: null,
})
const createRefusal = (code: string): CallResult<unknown> => ({ kind: 'problem', problem: createProblem(code) })

const values = {
  ...emptySignup.values,
  code: ' nova ',
  name: 'Nova',
  country: 'HK',
  tel: '+852-12345678',
  user_title: '1',
  user_name: 'Ana ',
  user_email: ' ana@nova.example',
  user_password: ' secret words ',
  confirmPwd: ' secret words ',
}

describe('the registration', () => {
  it('trims all fields except the password, and omits empty ones', async () => {
    const { store, calls } = createStoreWithResult({ kind: 'fresh', output: { email: 'ana@nova.example' } })
    expect(await store.dispatch(register(values, 'zh'))).toEqual({ email: 'ana@nova.example' })
    const body = {
      code: 'nova',
      name: 'Nova',
      country: 'HK',
      tel: '+852-12345678',
      user_title: 1,
      user_name: 'Ana',
      user_email: 'ana@nova.example',
      user_password: ' secret words ',
      confirmPwd: ' secret words ',
      language: 'zh',
    }
    expect(calls).toEqual([['registerCompany', { body }]])
    expect(selectRegistrationStatus(store.getState())).toEqual({ kind: 'idle' })
  })

  it('stores the problem of a refusal', async () => {
    const { store } = createStoreWithResult(createRefusal('DUP_CODE'))
    expect(await store.dispatch(register(values, 'en'))).toMatchObject({ problem: { code: 'DUP_CODE' } })
    expect(selectRegistrationStatus(store.getState()).kind).toBe('failed')
  })

  it.each([
    [{ kind: 'fresh', output: true } as const, true],
    [{ kind: 'fresh', output: false } as const, false],
    [createRefusal('OFFLINE'), null],
  ])('asks the server whether a code is taken: %o gives %s', async (result, isTaken) => {
    const { store, calls } = createStoreWithResult(result)
    expect(await store.dispatch(checkCodeTaken('nova'))).toBe(isTaken)
    expect(calls).toEqual([['codeExists', { query: { code: 'nova', resource: 'company' } }]])
  })

  it.each([
    ['DUP_CODE', [{ field: 'code', code: 'DUPLICATE' }]],
    ['RESERVED_CODE', [{ field: 'code', code: 'RESERVED' }]],
    ['WEAK_PASSWORD', [{ field: 'user_password', code: 'COMMON_PASSWORD' }]],
    ['SERVER_ERROR', []],
  ])('assigns the problem %s to its field', (code, fields) =>
    expect(toFieldProblems(createProblem(code))).toEqual(fields),
  )

  it('marks each field of a validation error', () => {
    const fields = [{ field: 'tel', code: 'INVALID_TEL' }]
    expect(toFieldProblems(createProblem('VALIDATION_ERROR', fields))).toEqual(fields)
    expect(toFieldProblems(null)).toEqual([])
  })
})

describe('a forgotten password', () => {
  it('requests a mail by trimmed code and e-mail', async () => {
    const { store, calls } = createStoreWithResult({ kind: 'fresh', output: null })
    const input = { companyCode: ' acme ', userEmail: ' li@acme.example ' }
    expect(await store.dispatch(sendResetMail(input))).toEqual({ kind: 'fresh', output: null })
    expect(calls).toEqual([['sendResetMail', { body: { companyCode: 'acme', userEmail: 'li@acme.example' } }]])
  })

  it('is replaced with the key of the link, unless the link is refused', async () => {
    const { store, calls } = createStoreWithResult(createRefusal('INVALID_RESETPWD_LINK'))
    expect(await store.dispatch(resetPassword({ otk: 'key', pwd: ' words ' }))).toMatchObject({
      problem: { code: 'INVALID_RESETPWD_LINK' },
    })
    expect(calls).toEqual([['resetPassword', { body: { otk: 'key', pwd: ' words ' } }]])
  })

  it.each([
    ['INVALID_RESETPWD_LINK', { code: 'INVALID_RESETPWD_LINK' }],
    ['SERVER_ERROR', null],
  ])('has a link whose check returns a problem only if the link is invalid: %s', async (code, problem) => {
    const { store } = createStoreWithResult(createRefusal(code))
    const result = await store.dispatch(checkLink('key'))
    expect(result && { code: result.code }).toEqual(problem)
  })
})
