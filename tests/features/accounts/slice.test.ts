import { describe, expect, it } from 'vitest'
import type { InputOf, Endpoint, OutputOf } from '#contract/endpoint.ts'
import { createLocalProblem, type Problem } from '#contract/problem.ts'
import { activate, checkActivationLink, selectActivation, setLinkState } from '#features/accounts/activation-slice.ts'
import { login, logout, resendMail, selectAccounts } from '#features/accounts/slice.ts'
import type { CallResult } from '#request/call-results.ts'
import type { SessionUser } from '#state/session-slice.ts'
import { type LoginCredentials, type ThunkExtra, createStore } from '#state/store.ts'
import { noTrails } from '#tests/support/device/no-trails.ts'

const user: SessionUser & Record<'seal_key' | 'session_seal_key' | 'seal_keys', unknown> = {
  id: 7,
  name: 'Li Wei',
  email: 'li@acme.example',
  title: 1,
  admin: true,
  order: false,
  alert: false,
  status: 1,
  avatar: null,
  language: 'en',
  access_level: 0,
  company_id: 2,
  company_name: 'Acme',
  company_code: 'acme',
  create_time: '2026-01-01 00:00:00',
  update_time: '2026-01-02 00:00:00',
  row_version: 3,
  seal_key: 'never to be shown',
  session_seal_key: { id: 1, key: 'never to be shown' },
  seal_keys: [{ id: 2, key: 'never to be shown' }],
}
const credentials: LoginCredentials = { company: ' acme ', username: ' li@acme.example', password: ' secret ' }
const createProblem = (code: string, status = 400): Problem => ({
  status,
  code,
  message: '',
  data: null,
  requestId: null,
})

const rejectAsUnfetched = () => Promise.reject(new TypeError('Failed to fetch dynamically imported module'))

/** Creates a store whose calls return `results`, and records the calls. */
function createStoreWithResults(results: {
  enterResult?: CallResult<{ user: SessionUser }>
  callResult?: CallResult<unknown>
  areChunksLost?: true
}) {
  const calls: unknown[] = []
  const extra: ThunkExtra = {
    api: {
      call<E extends Endpoint>(endpoint: E, input: InputOf<E>) {
        calls.push([endpoint.name, input])
        if (results.areChunksLost) return rejectAsUnfetched()
        return Promise.resolve((results.callResult ?? { kind: 'fresh', output: null }) as CallResult<OutputOf<E>>)
      },
    },
    signIn: (input) => {
      calls.push(input)
      if (results.areChunksLost) return rejectAsUnfetched()
      return Promise.resolve(results.enterResult ?? { kind: 'problem', problem: createLocalProblem('OFFLINE') })
    },
    signOut: () => {
      calls.push('leave')
      return Promise.resolve()
    },
    jobActions: { retry: () => Promise.resolve(), dismiss: () => Promise.resolve(), markSeen: () => Promise.resolve() },
    packages: { fetchChangeLog: () => Promise.reject(), send: () => Promise.reject(), forget: () => Promise.reject() },
    loadTrailActions: noTrails,
  }
  const store = createStore(extra)
  return {
    store,
    calls,
    getAccounts: () => selectAccounts(store.getState()),
    getActivation: () => selectActivation(store.getState()),
  }
}

describe('login', () => {
  it('trims the company and the user name, but not the password', async () => {
    const { store, calls } = createStoreWithResults({})
    await store.dispatch(login(credentials))
    expect(calls).toEqual([{ company: 'acme', username: 'li@acme.example', password: ' secret ', language: 'en' }])
  })

  it('sets the user of the session, and keeps the sealing keys out of the store', async () => {
    const { store } = createStoreWithResults({ enterResult: { kind: 'fresh', output: { user } } })
    await store.dispatch(login(credentials))
    expect(store.getState().session).toMatchObject({ kind: 'signed in', user: { name: 'Li Wei' } })
    expect(JSON.stringify(store.getState())).not.toContain('never to be shown')
    expect(JSON.stringify(store.getState())).not.toContain(' secret ')
  })

  it('stores the problem of a refusal', async () => {
    const { store, getAccounts } = createStoreWithResults({
      enterResult: { kind: 'problem', problem: createProblem('invalid_grant', 401) },
    })
    await store.dispatch(login(credentials))
    expect(getAccounts().loginStatus).toMatchObject({ kind: 'failed', problem: { code: 'invalid_grant' } })
    expect(store.getState().session.kind).not.toBe('signed in')
  })
})

it('Account actions return NEEDS_CONNECTION if their code cannot be loaded', async () => {
  const { store, getAccounts, getActivation } = createStoreWithResults({ areChunksLost: true })
  const expectedFailure = { kind: 'failed', problem: { code: 'NEEDS_CONNECTION' } }
  await store.dispatch(login(credentials))
  expect(getAccounts().loginStatus).toMatchObject(expectedFailure)
  await store.dispatch(resendMail(credentials))
  expect(getAccounts().resendStatus).toMatchObject(expectedFailure)
  await store.dispatch(checkActivationLink('key'))
  expect(getActivation().activationStatus).toMatchObject(expectedFailure)
  store.dispatch(setLinkState({ kind: 'good', shouldSetPassword: true }))
  await store.dispatch(activate('key', 'password'))
  expect(getActivation()).toMatchObject({ linkState: { kind: 'good' }, activationStatus: expectedFailure })
})

describe('resendMail', () => {
  it('requests the mail with company:e-mail and password (M25)', async () => {
    const { store, calls, getAccounts } = createStoreWithResults({})
    await store.dispatch(resendMail(credentials))
    expect(calls).toEqual([
      ['resendActivationMail', { body: { username: 'acme:li@acme.example', password: ' secret ' } }],
    ])
    expect(getAccounts().resendStatus).toEqual({ kind: 'sent', email: 'li@acme.example' })
  })

  it('stores the problem if the server does not support it', async () => {
    const { store, getAccounts } = createStoreWithResults({
      callResult: { kind: 'problem', problem: createProblem('NOT_SUPPORT', 501) },
    })
    await store.dispatch(resendMail(credentials))
    expect(getAccounts().resendStatus).toMatchObject({ kind: 'failed', problem: { code: 'NOT_SUPPORT' } })
  })
})

it('logout signs out even if the server does not respond', async () => {
  const { store, calls } = createStoreWithResults({})
  await store.dispatch(logout())
  expect(calls).toEqual(['leave'])
  expect(store.getState().session).toEqual({ kind: 'signed out', reason: 'left' })
})

describe('the link of an activation mail', () => {
  it.each([
    ['SET_PASSWORD', true],
    ['OK', false],
  ])('is valid for the code %s, which decides whether a password must be set', async (code, shouldSetPassword) => {
    const { store, getActivation } = createStoreWithResults({ callResult: { kind: 'fresh', output: { code } } })
    await store.dispatch(checkActivationLink('key'))
    expect(getActivation().linkState).toEqual({ kind: 'good', shouldSetPassword })
  })

  it.each(['INVALID_ACTIVATE_KEY', 'NO_ACTIVATE_KEY'])('is used up if the server returns %s', async (code) => {
    const { store, getActivation } = createStoreWithResults({
      callResult: { kind: 'problem', problem: createProblem(code) },
    })
    await store.dispatch(checkActivationLink('key'))
    expect(getActivation().linkState).toMatchObject({ kind: 'used up', problem: { code } })
  })

  it('stays good after a weak password or a lost connection', async () => {
    for (const code of ['WEAK_PASSWORD', 'NEEDS_CONNECTION']) {
      const { store, getActivation } = createStoreWithResults({
        callResult: { kind: 'problem', problem: createProblem(code) },
      })
      store.dispatch(setLinkState({ kind: 'good', shouldSetPassword: true }))
      await store.dispatch(activate('key', 'password'))
      expect(getActivation()).toMatchObject({
        linkState: { kind: 'good' },
        activationStatus: { kind: 'failed', problem: { code } },
      })
    }
  })

  it('is done after the activation', async () => {
    const { store, getActivation } = createStoreWithResults({
      callResult: { kind: 'fresh', output: { code: 'ACTIVATE_OK' } },
    })
    await store.dispatch(activate('key', 'Portal-demo-1'))
    expect(getActivation().linkState).toEqual({ kind: 'done' })
  })
})
