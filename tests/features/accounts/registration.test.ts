import { describe, expect, it } from 'vitest'
import type { InputOf, Endpoint, OutputOf } from '#contract/endpoint.ts'
import { createLocalProblem, type Problem } from '#contract/problem.ts'
import { emptySignup } from '#features/accounts/signup-draft.ts'
import { sendResetMail, keyMissing, resetPassword, selectRecoveryStatus } from '#features/accounts/password-recovery.ts'
import { checkCodeTaken, toFieldProblems, register, selectRegistrationStatus } from '#features/accounts/registration.ts'
import type { CallResult } from '#request/call-results.ts'
import { type ThunkExtra, createStore } from '#state/store.ts'
import { noTrails } from '#tests/support/device/no-trails.ts'

/** A store whose server answers as told, and remembers what it was asked. */
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

describe('registering', () => {
  it('sends what is given without its blanks, leaves out what is empty, and the password exactly as typed', async () => {
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

  it('says why it was refused', async () => {
    const { store } = createStoreWithResult(createRefusal('DUP_CODE'))
    expect(await store.dispatch(register(values, 'en'))).toMatchObject({ problem: { code: 'DUP_CODE' } })
    expect(selectRegistrationStatus(store.getState()).kind).toBe('failed')
  })

  it.each([
    [{ kind: 'fresh', output: true } as const, true],
    [{ kind: 'fresh', output: false } as const, false],
    [createRefusal('OFFLINE'), null],
  ])('asks whether a code is taken; %o is %s', async (result, isTaken) => {
    const { store, calls } = createStoreWithResult(result)
    expect(await store.dispatch(checkCodeTaken('nova'))).toBe(isTaken)
    expect(calls).toEqual([['codeExists', { query: { code: 'nova', resource: 'company' } }]])
  })

  it.each([
    ['DUP_CODE', [{ field: 'code', code: 'DUPLICATE' }]],
    ['RESERVED_CODE', [{ field: 'code', code: 'RESERVED' }]],
    ['WEAK_PASSWORD', [{ field: 'user_password', code: 'COMMON_PASSWORD' }]],
    ['SERVER_ERROR', []],
  ])('%s is about its field', (code, fields) => expect(toFieldProblems(createProblem(code))).toEqual(fields))

  it('of several fields each is marked', () => {
    const fields = [{ field: 'tel', code: 'INVALID_TEL' }]
    expect(toFieldProblems(createProblem('VALIDATION_ERROR', fields))).toEqual(fields)
    expect(toFieldProblems(null)).toEqual([])
  })
})

describe('a forgotten password', () => {
  it('is asked about without blanks, and the answer says no more than that it came', async () => {
    const { store, calls } = createStoreWithResult({ kind: 'fresh', output: null })
    await store.dispatch(sendResetMail(' acme ', ' li@acme.example '))
    expect(calls).toEqual([['sendResetMail', { body: { companyCode: 'acme', userEmail: 'li@acme.example' } }]])
    expect(selectRecoveryStatus(store.getState())).toEqual({ kind: 'done' })
  })

  it('is set anew by the key, or the key is none', async () => {
    const { store, calls } = createStoreWithResult(createRefusal('INVALID_RESETPWD_LINK'))
    await store.dispatch(resetPassword('key', ' words '))
    expect(calls).toEqual([['resetPassword', { body: { otk: 'key', pwd: ' words ' } }]])
    expect(selectRecoveryStatus(store.getState())).toMatchObject({ problem: { code: 'INVALID_RESETPWD_LINK' } })
    store.dispatch(keyMissing())
    expect(selectRecoveryStatus(store.getState())).toMatchObject({ problem: { code: 'INVALID_RESETPWD_LINK' } })
  })
})
