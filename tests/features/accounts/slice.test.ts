import { describe, expect, it } from 'vitest'
import type { InputOf, Endpoint, OutputOf } from '#contract/endpoint.ts'
import { localProblem, type Problem } from '#contract/problem.ts'
import { activate, linkOpened, login, logout, readLink, resendMail, selectAccounts } from '#features/accounts/slice.ts'
import type { Result } from '#request/results.ts'
import type { SessionUser } from '#state/session-slice.ts'
import { type Credentials, type Extra, makeStore } from '#state/store.ts'
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
const typed: Credentials = { company: ' acme ', username: ' li@acme.example', password: ' secret ' }
const problem = (code: string, status = 400): Problem => ({ status, code, message: '', data: null, requestId: null })

const unfetched = () => Promise.reject(new TypeError('Failed to fetch dynamically imported module'))

/** A store whose outside answers as told, and remembers what it was asked. */
function storeThat(answers: { enter?: Result<{ user: SessionUser }>; ask?: Result<unknown>; fails?: true }) {
  const heard: unknown[] = []
  const extra: Extra = {
    api: {
      call<E extends Endpoint>(endpoint: E, asked: InputOf<E>) {
        heard.push([endpoint.name, asked])
        if (answers.fails) return unfetched()
        return Promise.resolve((answers.ask ?? { kind: 'fresh', output: null }) as Result<OutputOf<E>>)
      },
    },
    enter: (credentials) => {
      heard.push(credentials)
      if (answers.fails) return unfetched()
      return Promise.resolve(answers.enter ?? { kind: 'problem', problem: localProblem('OFFLINE') })
    },
    leave: () => {
      heard.push('leave')
      return Promise.resolve()
    },
    jobs: { again: () => Promise.resolve(), dismiss: () => Promise.resolve(), seen: () => Promise.resolve() },
    packages: { changeLog: () => Promise.reject(), send: () => Promise.reject(), forget: () => Promise.reject() },
    trails: noTrails,
  }
  const store = makeStore(extra)
  return { store, heard, own: () => selectAccounts(store.getState()) }
}

describe('logging in', () => {
  it('takes blanks off company and name, and the password exactly as typed', async () => {
    const { store, heard } = storeThat({})
    await store.dispatch(login(typed))
    expect(heard).toEqual([{ company: 'acme', username: 'li@acme.example', password: ' secret ', language: 'en' }])
  })

  it('makes the user of the session, and keeps the sealing keys out of the store', async () => {
    const { store } = storeThat({ enter: { kind: 'fresh', output: { user } } })
    await store.dispatch(login(typed))
    expect(store.getState().session).toMatchObject({ kind: 'signed in', user: { name: 'Li Wei' } })
    expect(JSON.stringify(store.getState())).not.toContain('never to be shown')
    expect(JSON.stringify(store.getState())).not.toContain(' secret ')
  })

  it('that is refused keeps its problem beside the form', async () => {
    const { store, own } = storeThat({ enter: { kind: 'problem', problem: problem('invalid_grant', 401) } })
    await store.dispatch(login(typed))
    expect(own().login).toMatchObject({ kind: 'failed', problem: { code: 'invalid_grant' } })
    expect(store.getState().session.kind).not.toBe('signed in')
  })
})

it('what asks and cannot be fetched itself says that it needs a connection, and goes on waiting for nobody', async () => {
  const { store, own } = storeThat({ fails: true })
  const failed = { kind: 'failed', problem: { code: 'NEEDS_CONNECTION' } }
  await store.dispatch(login(typed))
  expect(own().login).toMatchObject(failed)
  await store.dispatch(resendMail(typed))
  expect(own().resend).toMatchObject(failed)
  await store.dispatch(readLink('key'))
  expect(own().activation).toMatchObject(failed)
  store.dispatch(linkOpened({ kind: 'good', setsPassword: true }))
  await store.dispatch(activate('key', 'password'))
  expect(own()).toMatchObject({ link: { kind: 'good' }, activation: failed })
})

describe('a deactivated account', () => {
  it('has its mail sent again by company:e-mail and password (M25)', async () => {
    const { store, heard, own } = storeThat({})
    await store.dispatch(resendMail(typed))
    expect(heard).toEqual([
      ['resendActivationMail', { body: { username: 'acme:li@acme.example', password: ' secret ' } }],
    ])
    expect(own().resend).toEqual({ kind: 'sent', email: 'li@acme.example' })
  })

  it('is told when that is not possible', async () => {
    const { store, own } = storeThat({ ask: { kind: 'problem', problem: problem('NOT_SUPPORT', 501) } })
    await store.dispatch(resendMail(typed))
    expect(own().resend).toMatchObject({ kind: 'failed', problem: { code: 'NOT_SUPPORT' } })
  })
})

it('logging out leaves, whatever the line does', async () => {
  const { store, heard } = storeThat({})
  await store.dispatch(logout())
  expect(heard).toEqual(['leave'])
  expect(store.getState().session).toEqual({ kind: 'signed out', because: 'left' })
})

describe('an activation link', () => {
  it.each([
    ['SET_PASSWORD', true],
    ['OK', false],
  ])('that is good (%s) says whether a password is to be set', async (code, setsPassword) => {
    const { store, own } = storeThat({ ask: { kind: 'fresh', output: { code } } })
    await store.dispatch(readLink('key'))
    expect(own().link).toEqual({ kind: 'good', setsPassword })
  })

  it.each(['INVALID_ACTIVATE_KEY', 'NO_ACTIVATE_KEY'])('that is %s is used up', async (code) => {
    const { store, own } = storeThat({ ask: { kind: 'problem', problem: problem(code) } })
    await store.dispatch(readLink('key'))
    expect(own().link).toMatchObject({ kind: 'used up', problem: { code } })
  })

  it('survives a weak password and a lost connection', async () => {
    for (const code of ['WEAK_PASSWORD', 'NEEDS_CONNECTION']) {
      const { store, own } = storeThat({ ask: { kind: 'problem', problem: problem(code) } })
      store.dispatch(linkOpened({ kind: 'good', setsPassword: true }))
      await store.dispatch(activate('key', 'password'))
      expect(own()).toMatchObject({ link: { kind: 'good' }, activation: { kind: 'failed', problem: { code } } })
    }
  })

  it('leads to success', async () => {
    const { store, own } = storeThat({ ask: { kind: 'fresh', output: { code: 'ACTIVATE_OK' } } })
    await store.dispatch(activate('key', 'Portal-demo-1'))
    expect(own().link).toEqual({ kind: 'done' })
  })
})
