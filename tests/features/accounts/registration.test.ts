import { describe, expect, it } from 'vitest'
import type { InputOf, Endpoint, OutputOf } from '#contract/endpoint.ts'
import { localProblem, type Problem } from '#contract/problem.ts'
import { emptySignup } from '#features/accounts/signup-draft.ts'
import { forget, keyMissing, resetPassword, selectRecovering } from '#features/accounts/password-recovery.ts'
import { askTaken, refusedFields, register, selectRegistering } from '#features/accounts/registration.ts'
import type { Result } from '#request/results.ts'
import { type Extra, makeStore } from '#state/store.ts'
import { noTrails } from '#tests/support/device/no-trails.ts'

/** A store whose server answers as told, and remembers what it was asked. */
function storeThat(answer: Result<unknown>) {
  const heard: unknown[] = []
  const extra: Extra = {
    api: {
      call<E extends Endpoint>(endpoint: E, asked: InputOf<E>) {
        heard.push([endpoint.name, asked])
        return Promise.resolve(answer as Result<OutputOf<E>>)
      },
    },
    enter: () => Promise.resolve({ kind: 'problem', problem: localProblem('OFFLINE') }),
    leave: () => Promise.resolve(),
    jobs: { again: () => Promise.resolve(), dismiss: () => Promise.resolve(), seen: () => Promise.resolve() },
    packages: { changeLog: () => Promise.reject(), send: () => Promise.reject(), forget: () => Promise.reject() },
    trails: noTrails,
  }
  return { store: makeStore(extra), heard }
}

const problem = (code: string, data: unknown = null): Problem => ({
  status: 400,
  code,
  message: '',
  data,
  requestId: null,
})
const refused = (code: string): Result<unknown> => ({ kind: 'problem', problem: problem(code) })

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
    const { store, heard } = storeThat({ kind: 'fresh', output: { email: 'ana@nova.example' } })
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
    expect(heard).toEqual([['registerCompany', { body }]])
    expect(selectRegistering(store.getState())).toEqual({ kind: 'idle' })
  })

  it('says why it was refused', async () => {
    const { store } = storeThat(refused('DUP_CODE'))
    expect(await store.dispatch(register(values, 'en'))).toMatchObject({ problem: { code: 'DUP_CODE' } })
    expect(selectRegistering(store.getState()).kind).toBe('failed')
  })

  it.each([
    [{ kind: 'fresh', output: true } as const, true],
    [{ kind: 'fresh', output: false } as const, false],
    [refused('OFFLINE'), null],
  ])('asks whether a code is taken; %o is %s', async (answer, taken) => {
    const { store, heard } = storeThat(answer)
    expect(await store.dispatch(askTaken('nova'))).toBe(taken)
    expect(heard).toEqual([['codeExists', { query: { code: 'nova', resource: 'company' } }]])
  })

  it.each([
    ['DUP_CODE', [{ field: 'code', code: 'DUPLICATE' }]],
    ['RESERVED_CODE', [{ field: 'code', code: 'RESERVED' }]],
    ['WEAK_PASSWORD', [{ field: 'user_password', code: 'COMMON_PASSWORD' }]],
    ['SERVER_ERROR', []],
  ])('%s is about its field', (code, fields) => expect(refusedFields(problem(code))).toEqual(fields))

  it('of several fields each is marked', () => {
    const fields = [{ field: 'tel', code: 'INVALID_TEL' }]
    expect(refusedFields(problem('VALIDATION_ERROR', fields))).toEqual(fields)
    expect(refusedFields(null)).toEqual([])
  })
})

describe('a forgotten password', () => {
  it('is asked about without blanks, and the answer says no more than that it came', async () => {
    const { store, heard } = storeThat({ kind: 'fresh', output: null })
    await store.dispatch(forget(' acme ', ' li@acme.example '))
    expect(heard).toEqual([['sendResetMail', { body: { companyCode: 'acme', userEmail: 'li@acme.example' } }]])
    expect(selectRecovering(store.getState())).toEqual({ kind: 'done' })
  })

  it('is set anew by the key, or the key is none', async () => {
    const { store, heard } = storeThat(refused('INVALID_RESETPWD_LINK'))
    await store.dispatch(resetPassword('key', ' words '))
    expect(heard).toEqual([['resetPassword', { body: { otk: 'key', pwd: ' words ' } }]])
    expect(selectRecovering(store.getState())).toMatchObject({ problem: { code: 'INVALID_RESETPWD_LINK' } })
    store.dispatch(keyMissing())
    expect(selectRecovering(store.getState())).toMatchObject({ problem: { code: 'INVALID_RESETPWD_LINK' } })
  })
})
